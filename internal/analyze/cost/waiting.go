package cost

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// flushing holds the server's settings and counts of WAL fsyncs.
type flushing struct {
	settings map[string]string
	sets     bool                                                  // the operation sets synchronous_commit
	fsyncs   func(counts.Load, counts.Repetition) (float64, error) // by all processes
}

func flushingOf(run *counts.Run) flushing {
	f := flushing{settings: run.Header.Target.Settings, sets: run.Header.Operation.SetsCommit}
	for _, q := range run.Quantities() {
		if q.Name == metric.WALSyncs {
			f.fsyncs = q.Count
		}
	}
	return f
}

// waiting counts the commits that waited for a WAL fsync, both halves of a two-phase commit. A commit that waits makes
// an fsync, unless another process makes it meanwhile. So all waited if there were as many fsyncs, and none if the
// server counts the sessions' own and there were none. In between, some did not wait (synchronous_commit=off), or
// several shared an fsync, and the number is unknown. The WAL writer makes the fsyncs of commits that do not wait.
func (f flushing) waiting(a counts.Load, r counts.Repetition) (n, background float64, err error) {
	n, _, err = sumParts(records, commit, prepare)(a, r)
	if err != nil || n == 0 {
		return n, 0, err
	}
	if why := f.uncounted(); why != "" {
		return 0, 0, &series.Missing{Reason: counts.NotRecorded, Detail: why}
	}
	all, err := f.fsyncs(a, r.AsRead())
	if err != nil {
		return 0, 0, err
	}
	switch own, byProcess := grew(r, metric.StatIOWALClientFsyncs); {
	case byProcess && own == 0:
		return 0, 0, nil
	case byProcess && own >= n, all >= n && !f.sets && f.settings["synchronous_commit"] != "off":
		return n, 0, nil
	}
	return 0, 0, &series.Missing{Reason: counts.NotRecorded, Detail: fmt.Sprintf(
		"%s and %s: some did not wait, or several waited for one fsync", printable.Counted(int(n), "commit"),
		printable.Counted(int(all), "fsync"))}
}

// uncounted says why the server does not count WAL fsyncs; empty if it does.
func (f flushing) uncounted() string {
	switch method := f.settings["wal_sync_method"]; {
	case f.settings["fsync"] == "off":
		return "fsync is off on this server"
	case strings.HasPrefix(method, "open_"):
		return "with wal_sync_method=" + method + " PostgreSQL counts no fsyncs"
	}
	return ""
}

var ownFsyncs = kind{name: OwnFsyncs, unit: "fsyncs", help: "fsyncs of the WAL that sessions made: 18 and later",
	of: lessBackground(func(_ counts.Load, r counts.Repetition) (float64, error) {
		c, there := r.Counts[metric.StatIOWALClientFsyncs]
		switch {
		case !there || c.Missing != nil && c.Missing.Reason == series.Reason(runfile.Unsupported):
			return 0, &series.Missing{Reason: counts.NotRecorded,
				Detail: "before version 18, PostgreSQL does not show which process fsynced the WAL"}
		case c.Missing != nil:
			return 0, c.Missing
		}
		return c.Amount, nil
	})}

// own returns the WAL writes or fsyncs that are certainly the operation's: its sessions' if the server counts by
// process (18), else one per commit that waited. The rest may be the WAL writer's, which flushes transactions longer
// than wal_writer_delay, or the checkpointer's.
func (f flushing) own(column string) func(counts.Load, counts.Repetition) float64 {
	return func(a counts.Load, r counts.Repetition) float64 {
		if clients, byProcess := grew(r, "pgstat.io/wal_client_"+column); byProcess {
			return clients
		}
		return f.needed(1)(a, r)
	}
}

const notOwn = "the rest may be the WAL writer's or the checkpointer's: hold " + WaitingCommits + " to a budget"

// pageOfWAL is the least that PostgreSQL writes of its WAL, in the default build.
const pageOfWAL = 8192

// needed returns the least count that an operation needs: each per commit that waited.
func (f flushing) needed(each float64) func(counts.Load, counts.Repetition) float64 {
	return func(a counts.Load, r counts.Repetition) float64 {
		n, _, err := f.waiting(a, r)
		if err != nil {
			return 0
		}
		return n * each
	}
}
