// Package comparison lays the reports of several runs side by side: what changed, by how much, and whether chance
// explains it.
package comparison
