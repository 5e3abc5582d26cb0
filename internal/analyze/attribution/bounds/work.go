// Package bounds computes how little and how much of each quantity the work of a load can have taken, on any server: a
// thousand rows in one transaction are not a thousand WAL fsyncs. It is used for quantities that nobody counted, and
// judges nothing.
package bounds

import (
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Span is the least and the most of a quantity.
type Span struct{ Lo, Hi float64 }

// Anything returns the bounds of a quantity about which nothing is known.
func Anything() Span { return Span{0, math.Inf(1)} }

// Empty reports whether no value lies in s.
func (s Span) Empty() bool { return s.Lo > s.Hi || math.IsInf(s.Lo, 1) }

// Has reports whether a value lies in s.
func (s Span) Has(value float64) bool { return s.Lo <= value && value <= s.Hi }

// Work is the clients' work in a load, as a mean over some repetitions, with the load's parameters.
type Work struct {
	Commits float64

	rows, seconds, indexes, width, clients float64

	known   bool // how the rows came in is known, or there were none
	copied  bool
	changed bool // rows were updated or deleted, which adds an unknown number of page images

	updated, returned, lookups, statements float64
	waited                                 bool // for the WAL, at each commit, as far as is known
	aurora                                 bool
}

// Methods of a load that insert rows.
const (
	byCopy   = "copy"
	byInsert = "insert"
)

// waiting returns the methods for which settings alone decide whether a commit waits for the WAL.
func waiting() []string { return []string{byCopy, byInsert, "insert-select", "insert-values"} }

// manyClients is assumed if a plan does not give the number of clients.
const manyClients = 100

// Done returns the work of a load in the repetitions use, under a server's settings.
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
	if d.onlyReads() { // a commit that wrote nothing leaves nothing in the WAL
		d.known, d.Commits = true, 0
	}
	return d
}

// changes reports whether our clients updated or deleted rows in a load.
func changes(a counts.Load) bool {
	return slices.ContainsFunc(a.Repetitions, func(r counts.Repetition) bool { return r.Work.Updated > 0 || r.Work.Deleted > 0 })
}

// Inserts reports whether a load inserts rows in a known way.
func Inserts(a runfile.Load) bool { return a.Method == byCopy || strings.HasPrefix(a.Method, byInsert) }

// Usual returns what one row typically costs under a load, by quantity, on a server with a local disk. These rules of
// thumb serve to choose a load to advise, never to judge.
func Usual(a runfile.Load) map[metric.Quantity]float64 {
	commits, indexes, width := 1/float64(max(1, a.RowsPerTx)), float64(a.Indexes), float64(a.Width)
	statements, records, bytes := commits, 1.0, 70+width
	switch a.Method {
	case byInsert:
		statements = 1
	case byCopy:
		records, bytes = (44+width)/logPage, 24+width
	}
	bytes += 66*indexes + 40*commits
	syncs := 0.4 * commits
	writes := 1.05 * syncs
	if a.Clients == 1 {
		syncs = commits
	}
	if a.SynchronousCommit == "off" {
		syncs, writes = commits/8000, commits/4000
	}
	pages := (44+width)/logPage + 0.002*indexes
	return map[metric.Quantity]float64{
		metric.RowsWritten: 1, metric.Entries: 1 + indexes, metric.Statements: statements, metric.Commits: commits,
		metric.WALRecords: records + indexes + commits + 1.0/32, metric.WALBytes: bytes, metric.WALWrites: writes,
		metric.WALSyncs:     syncs,
		metric.PagesWritten: pages, metric.DeviceFlushes: 1.05 * syncs, metric.DeviceRequests: writes + 0.03*pages,
		metric.DeviceBytes: bytes + logPage*(writes+pages),
	}
}
