// Package runfile keeps the record of one run: everything that was measured, as it was read, in one file.
//
// A run file is JSON Lines, one record a line, append-only; a name ending in .zst is compressed on the way. Measuring
// and analyzing meet only here: whatever writes needs a server, a kernel or an account, whatever reads needs only the
// file. The kinds of record are in record.go; docs/reference/run-file.md describes them field by field.
//
//   - [Create] makes a new file and never overwrites one; its [Writer] may be used by many goroutines.
//   - [Append] goes on with a file later: sources that tell of periods tell of them when a run is long over.
//   - [Open] and [Read] stream a file back, drop a torn last line and say so, and name the line of any other defect.
//   - [OpenRows] and [ReadRows] do the same for long runs, with a [Row] for each [Reading]: no map, and names shared.
//   - [Scrub] takes secrets out of free text; the writer applies it, so that no caller can forget.
//
// Readings are raw: cumulative counters as the source showed them, never rates. Missing is never zero: what could not
// be read is a [Gap] with its reason.
package runfile
