// Package bounds says how little and how much of each quantity the work of a load can have taken, on any server: a thousand rows in one
// transaction are not a thousand syncs of the log. Where nobody counted a quantity, that is all there is to go by. It judges nothing.
package bounds

import (
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Span is the least and the most that there may be of a quantity.
type Span struct{ Lo, Hi float64 }

// Anything returns what is known of a quantity of which nothing is known.
func Anything() Span { return Span{0, math.Inf(1)} }

// Empty reports whether nothing lies between the two.
func (s Span) Empty() bool { return s.Lo > s.Hi || math.IsInf(s.Lo, 1) }

// Has reports whether a value lies between the two.
func (s Span) Has(value float64) bool { return s.Lo <= value && value <= s.Hi }

// Work is the clients' work in a load, as a mean over some of its repetitions, with its factors.
type Work struct {
	Commits float64

	rows, seconds, indexes, width, clients float64

	known   bool // how the rows came in, or that there were none
	copied  bool
	changed bool // rows were updated or deleted, which takes the images of pages that nobody can tell the number of

	updated, returned, lookups, statements float64
	waited                                 bool // for the log, at each commit, for all that is known
	aurora                                 bool
}

// Methods of a load: rows come by COPY, or by INSERT of some sort.
const (
	byCopy   = "copy"
	byInsert = "insert"
)

// waiting returns the methods of which nothing but their settings tells whether a commit waits for the log.
func waiting() []string { return []string{byCopy, byInsert, "insert-select", "insert-values"} }

// manyClients are taken where a plan does not say how many there were.
const manyClients = 100

// Done returns the work of a load in these of its repetitions, under a server's settings.
func Done(load counts.Load, use []int, settings map[string]string, aurora bool) Work {
	d := Work{
		indexes: float64(load.Indexes), width: float64(load.Width), clients: manyClients,
		known: Inserts(load.Load), copied: load.Method == byCopy, aurora: aurora,
	}
	commit := load.SynchronousCommit
	if commit == "" {
		commit = settings["synchronous_commit"]
	}
	d.waited = commit != "off" && (slices.Contains(waiting(), load.Method) || changes(load)) && settings["fsync"] != "off"
	if load.Clients > 0 {
		d.clients = float64(load.Clients)
	}
	for _, r := range use {
		n, w := float64(len(use)), load.Repetitions[r]
		d.rows += float64(w.Work.Rows) / n
		d.Commits += float64(w.Work.Transactions) / n
		d.seconds += w.Seconds / n
		d.updated += float64(w.Work.Updated) / n
		d.returned += float64(w.Work.Returned) / n
		d.lookups += float64(w.Work.Lookups) / n
		d.statements += float64(w.Work.Statements) / n
	}
	d.changed = changes(load)
	if d.onlyReads() { // a commit of what wrote nothing leaves nothing in the WAL
		d.known, d.Commits = true, 0
	}
	return d
}

// changes reports whether our clients updated or deleted rows in a load.
func changes(a counts.Load) bool {
	return slices.ContainsFunc(a.Repetitions, func(r counts.Repetition) bool { return r.Work.Updated > 0 || r.Work.Deleted > 0 })
}

// Inserts reports whether a load inserts rows in a way that is known here.
func Inserts(a runfile.Load) bool {
	return a.Method == byCopy || strings.HasPrefix(a.Method, byInsert)
}
