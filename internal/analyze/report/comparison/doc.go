// Package comparison compares the reports of several runs: what changed, by how much, and whether chance explains it.
package comparison
