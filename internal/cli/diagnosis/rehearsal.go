package diagnosis

import (
	"errors"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Times of each load of the invented run: a reading, a load between begin and end, and a reading before the end.
const (
	firstRead = iota
	begins
	loadBegins
	loadEnds
	lastRead
	ends
	loadLasts
)

func moment(i int) time.Time { return time.Unix(int64(i), 0) }

// loads are one with rows, statements, commits and index entries, and one of the sort that is hardest to model.
var loads = []runfile.Load{
	{Name: "insert", Method: "insert-select", RowsPerTx: manyRows, Indexes: 1, Clients: 1},
	{Name: "copy", Method: "copy", RowsPerTx: manyRows, Clients: 1},
}

// Enough work to make a server's occasional work negligible, in transactions like those of a plan's loads.
const (
	manyRows         = 1000
	manyTransactions = 1000
)

// rehearse returns the analysis of a run on the target whose readings are like the probes' last ones. It also assumes
// readings of the metrics in granted.
func rehearse(target runfile.Target, probes []Probe, granted []string) *counts.Run {
	records := []runfile.Record{runfile.Run{
		Schema: runfile.Schema, Target: target, Plan: runfile.Plan{Loads: loads, Repetitions: 1, LoadSeconds: 1},
	}}
	for _, p := range probes {
		for _, m := range p.Metrics {
			records = append(records, m)
		}
	}
	for i, load := range loads {
		at := i * loadLasts
		event := func(e runfile.Event, after int) runfile.Record {
			return runfile.LoadEvent{At: moment(at + after), Load: load.Name, Repetition: 1, Event: e}
		}
		records = append(records, readings(probes, granted, at+firstRead)...)
		records = append(records, event(runfile.Begin, begins), runfile.Work{
			From: moment(at + loadBegins), To: moment(at + loadEnds), Load: load.Name, Repetition: 1,
			Transactions: manyTransactions, Statements: manyTransactions, Rows: manyTransactions * manyRows})
		records = append(records, readings(probes, granted, at+lastRead)...)
		records = append(records, event(runfile.End, ends))
	}
	records = append(records, runfile.Ended{At: moment(len(loads) * loadLasts), Status: runfile.Complete})
	run, _ := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}) // it fails only for a torn or empty file
	return run
}

// anatomy is the probe that reads the WAL itself.
const anatomy = "anatomy"

func readings(probes []Probe, granted []string, at int) (all []runfile.Record) {
	for _, p := range probes {
		for _, gap := range p.Gaps {
			if gap.At, gap.Probe = moment(at), p.Name; !slices.Contains(granted, gap.Metric) {
				all = append(all, gap)
			}
		}
		values := map[string]float64{}
		for name, value := range p.Values {
			values[name] = value + grown(name, at)
		}
		for _, m := range p.Metrics {
			if slices.Contains(granted, m.Name) {
				values[m.Name] = grown(m.Name, at)
			}
		}
		all = append(all, runfile.Reading{At: moment(at), Probe: p.Name, Values: values})
	}
	return all
}

// grown returns a counter's value at a time. WAL counters grow by at least what the invented work needs, or the
// analysis would find them impossible.
func grown(name string, at int) float64 {
	const aSecond = 100 * manyTransactions * manyRows // more bytes than a row's record has
	if view(name) == anatomy {
		return float64(at)
	}
	switch metric.All().Row(name).Makes {
	case metric.WALRecords, metric.WALBytes, metric.WALSyncs:
		return float64(at) * aSecond
	default:
		return 0
	}
}

func missing(err error) *Missing {
	m, ok := errors.AsType[*series.Missing](err)
	if !ok {
		return &Missing{Reason: string(runfile.Failed), Detail: err.Error()}
	}
	return &Missing{Reason: string(m.Reason), Code: m.Code, Detail: m.Detail}
}
