package report_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

const meter = "cloudwatch/WriteIOPS"

// withMeter makes a metric of the cloud show the WAL records, and removes all other counts of them.
func withMeter(run *counts.Run) *counts.Run {
	for _, a := range run.Loads {
		for i := range a.Repetitions {
			r := &a.Repetitions[i]
			r.Counts[meter], r.Log = r.Counts["pgstat.wal/wal_records"], nil
			delete(r.Counts, "pgstat.wal/wal_records")
		}
	}
	run.Counters = append(run.Counters, runfile.Metric{Name: meter, Unit: "operations", Type: runfile.Counter})
	return run
}

// TestModelledIsMarked: modelled quantities are marked wherever they are named, also in the table of work.
func TestModelledIsMarked(t *testing.T) {
	run := withMeter(runFrom(t, "../../../testdata/runs/local-pg17.jsonl.zst"))
	view := report.New(run, attribution.Judge(run, attribution.Options{}))
	text := unwrapped(textOf(t, view, 80))
	for _, want := range []string{
		"counts modelled WAL records, which is logical work, not storage I/O",
		"CloudWatch WriteIOPS LOGICAL modelled WAL records 1.000",
		"WAL records were not counted (this run did not read pg_stat_wal.wal_records). They are modelled from the " +
			"clients' work",
		"The model's error is at most 15% in copy",
		"(1) modelled from the clients' work, not counted",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	for _, a := range view.Loads {
		for _, w := range a.Work {
			if !a.Idle && (w.Modelled != (w.Quantity == metric.WALRecords) || w.Modelled && !w.PerSecond.Known()) {
				t.Errorf("in %s, %s are modelled: %t, and known: %t", a.Name, w.Quantity, w.Modelled,
					w.PerSecond.Known())
			}
		}
	}
}

// TestHeadlineSaysWhatItCounts, however much of that is open.
func TestHeadlineSaysWhatItCounts(t *testing.T) {
	run := withMeter(runFrom(t, "../../../testdata/runs/local-pg17.jsonl.zst"))
	sum := &attribution.Mixture{Terms: []attribution.Term{{Quantity: metric.RowsWritten, Share: 0.7},
		{Quantity: metric.Commits, Share: 0.3}}}
	for want, v := range map[string]attribution.Verdict{
		"it counts rows, which is logical work, not storage I/O.": {Counts: metric.RowsWritten},
		"it counts rows or commits, which is logical work, not storage I/O.": {
			Between: []metric.Quantity{metric.RowsWritten, metric.Commits}},
		"it counts rows and commits, which are logical work, not storage I/O.": {Mixture: sum},
		"it counts logical work, not storage I/O.": {
			Why: "Sums of different quantities explain it equally well, all with this verdict"},
	} {
		v.Metric, v.Kind = runfile.Metric{Name: meter}, attribution.Logical
		text := unwrapped(textOf(t, report.New(run, attribution.Verdicts{Metrics: []attribution.Verdict{v}}), 80))
		if !strings.Contains(text, "Despite its name, "+want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}
