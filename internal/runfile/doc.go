// Package runfile keeps the record of one run: everything that was measured, as it was read, in one file.
//
// A run file is JSON Lines, one record a line, append-only; a name ending in .zst is compressed on the way. Measuring
// and analyzing meet only here: writers need a server, a kernel or an account, readers need only the file. The kinds of
// record are in record.go; docs/reference/run-file.md describes them field by field.
//
//   - [Create] makes a new file and never overwrites one; its [Writer] is safe for concurrent use.
//   - [Append] continues a file later: sources with periods have values long after a run is over.
//   - [Open] and [Read] stream a file back, drop a torn last line and report it, and name the line of any other defect.
//   - [OpenRows] and [ReadRows] do the same for long runs, with a [Row] for each [Reading]: without maps, and with
//     shared names.
//   - [Scrub] removes secrets from free text; the writer applies it, so that no caller can forget.
//
// Readings are raw: cumulative counters as the source showed them, never rates. Missing is never zero: a value that
// could not be read is a [Gap] with its reason.
package runfile
