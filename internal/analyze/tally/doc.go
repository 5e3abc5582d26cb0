// Package tally turns a run file into what is known of each load, which [counts.Run] holds: the work our own clients
// did, and what every counter grew by for it.
//
// [FromRun] reads the records once and pairs them up: load events and load lines become a [counts.Repetition], and the
// readings around it its counts. Of an observation, windows of one kind stand for a load. A source that tells of
// periods of its own, moves in steps or shows everything late is counted by what it was asked about, and everything
// else with it: see [counts.Run.Over].
//
// What cannot be told is said, never guessed: a repetition that must not be used is left out with the reason, a count
// that a gap, a reset or silence hides is a *series.Missing, and what is odd about the file becomes a [counts.Note]. No
// content of a file makes this package panic.
package tally
