// Package counts turns a run file into what is known of each load: the work our own clients did, and what every
// counter grew by for it.
//
// [FromRun] reads the records once and pairs them up: load events and load lines become a [Repetition], and the
// readings around it its counts. The background measured in idle loads is taken off every count. A [Quantity] is one
// way to count the work, logical or physical: rows, WAL records, requests to the device. [Load.Anatomy] takes the WAL
// records apart: read one by one where the run could, and else by a model of the work.
//
// What cannot be told is said, never guessed: a repetition that must not be used is left out with the reason, a count
// that a gap, a reset or silence hides is a *series.Missing, and what is odd about the file becomes a [Note]. No
// content of a file makes this package panic.
package counts
