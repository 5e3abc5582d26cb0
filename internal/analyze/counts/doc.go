// Package counts holds what is known of each load of a run: the work our own clients did, and what every counter grew
// by for it. Package tally makes a [Run] from a run file.
//
// The background measured in idle loads is taken off every count. A [Quantity] is one way to count the work, logical or
// physical: rows, WAL records, requests to the device. [Load.Anatomy] takes the WAL records apart: read one by one where
// the run could, and else by a model of the work. What is not known is a *series.Missing, and never zero.
package counts
