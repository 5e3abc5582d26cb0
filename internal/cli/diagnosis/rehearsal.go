package diagnosis

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Moments of the run that is made up: a reading, a load between begin and end, and a reading before the end.
const (
	firstRead = iota
	begins
	loadBegins
	loadEnds
	lastRead
	ends
)

func moment(i int) time.Time { return time.Unix(int64(i), 0) }

// arm is one with rows, statements, commits and index entries.
var arm = runfile.Arm{Name: "arm", Method: "insert-select", RowsPerTx: 1, Indexes: 1, Clients: 1}

// rehearse gives what the analysis would make of a run on the target in which the probes read what they have just read.
// The metrics in granted are taken to have been read as well.
func rehearse(target runfile.Target, probes []Probe, granted []string) *drivers.Run {
	records := []runfile.Record{runfile.Run{
		Schema: runfile.Schema, Target: target,
		Plan: runfile.Plan{Arms: []runfile.Arm{arm}, Replicates: 1, ArmSeconds: 1},
	}}
	for _, p := range probes {
		for _, m := range p.Metrics {
			records = append(records, m)
		}
	}
	records = append(records, readings(probes, granted, firstRead)...)
	records = append(records,
		event(runfile.Begin, begins),
		runfile.Load{From: moment(loadBegins), To: moment(loadEnds), Arm: arm.Name, Replicate: 1, Transactions: 1, Statements: 1, Rows: 1})
	records = append(records, readings(probes, granted, lastRead)...)
	records = append(records, event(runfile.End, ends), runfile.Ended{At: moment(ends), Status: runfile.Complete})
	run, _ := drivers.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}) // it fails for a torn file or none, which this is not
	return run
}

func event(e runfile.Event, at int) runfile.ArmEvent {
	return runfile.ArmEvent{At: moment(at), Arm: arm.Name, Replicate: 1, Event: e}
}

func readings(probes []Probe, granted []string, at int) []runfile.Record {
	var all []runfile.Record
	for _, p := range probes {
		for _, gap := range p.Gaps {
			if gap.At, gap.Probe = moment(at), p.Name; !slices.Contains(granted, gap.Metric) {
				all = append(all, gap)
			}
		}
		values := map[string]float64{}
		maps.Copy(values, p.Values)
		for _, m := range p.Metrics {
			if slices.Contains(granted, m.Name) {
				values[m.Name] = 0
			}
		}
		all = append(all, runfile.Reading{At: moment(at), Probe: p.Name, Values: values})
	}
	return all
}

func missing(err error) *Missing {
	m, ok := errors.AsType[*series.Missing](err)
	if !ok {
		return &Missing{Reason: string(runfile.Failed), Detail: err.Error()}
	}
	return &Missing{Reason: string(m.Reason), Code: m.Code, Detail: m.Detail}
}
