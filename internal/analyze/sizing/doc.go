// Package sizing computes what to order for the storage work of a run, and its cost.
package sizing
