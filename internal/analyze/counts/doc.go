// Package counts holds what each load of a run did: the work of our own clients, and the growth of every counter.
// Package tally makes a [Run] from a run file.
//
// The background measured in idle loads is taken off every count. A [Quantity] is one way to count the work, logical or
// physical: rows, WAL records, requests to the device. [Load.Anatomy] breaks down the WAL records, which were read one
// by one if possible and are modelled from the work otherwise. An unknown count is a *series.Missing, never zero.
package counts
