// Package tally makes a [counts.Run] from a run file: what each load did, the work of our own clients, and the growth
// of every counter.
//
// [FromRun] reads the records once and pairs them up: load events and load lines become a [counts.Repetition], and the
// readings around it its counts. In an observation, windows of one kind stand for a load. A source with periods, steps
// or a lag is counted over the times that it covers, together with everything it is compared with: see
// [counts.Run.Over].
//
// Nothing unknown is guessed. A repetition that must not be used is left out with the reason. A count hidden by a gap,
// a reset or silence is a *series.Missing. An oddity of the file becomes a [counts.Note]. No file makes this package
// panic.
package tally
