package report_test

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// verdictsByHand returns one verdict of each kind, with invented figures, to test their display.
func verdictsByHand() attribution.Verdicts {
	of := func(name string) runfile.Metric { return runfile.Metric{Name: name} }
	one := func(value, lo, hi float64) *attribution.Estimate {
		return &attribution.Estimate{Value: value, Lo: lo, Hi: hi, Level: 0.95, N: 2}
	}
	rival := func(quantity metric.Quantity, status attribution.Status, spread *attribution.Estimate,
		loads ...attribution.LoadRatio) attribution.Rival {
		d, _ := counts.Named(quantity)
		return attribution.Rival{Quantity: quantity, Side: d.Side, Status: status, Spread: spread, Loads: loads}
	}
	return attribution.Verdicts{Metrics: []attribution.Verdict{
		{Metric: of("block/flushes"), Kind: attribution.Physical, Warnings: []attribution.Warning{
			{Code: "itself", Text: "A quantity is made of it"}}, Between: []metric.Quantity{metric.WALWrites, metric.WALSyncs},
			SettleWith: &attribution.Settle{Load: "async", Between: []metric.Quantity{metric.WALWrites, metric.WALSyncs},
				Factor: 2.5}},
		{Metric: of("block/requests"), Kind: attribution.Physical, Mixture: &attribution.Mixture{
			Off: 1.1, Terms: []attribution.Term{
				{Quantity: metric.WALWrites, Side: counts.Physical, PerUnit: *one(0.98, 0.90, 1.06), Share: 0.9},
				{Quantity: metric.PagesWritten, Side: counts.Physical, PerUnit: *one(0.013, 0.0105, 0.0152), Share: 0.1,
					Or: []metric.Quantity{metric.WALBytes}},
			}}},
		{Metric: of("block/writes"), Kind: attribution.Mixed, Mixture: &attribution.Mixture{
			Off: 1.2, Terms: []attribution.Term{
				{Quantity: metric.DeviceFlushes, Side: counts.Physical, PerUnit: *one(2, 1.9, 2.1), Share: 0.9},
				{Quantity: metric.Commits, Side: counts.Logical, PerUnit: *one(0.3, 0.2, 0.4), Share: 0.1},
			}}},
		{Metric: of("block/write_bytes"), Kind: attribution.CannotTell, Why: "its repetitions lie too far apart",
			Warnings: []attribution.Warning{{Code: "noise", Text: "Its repetitions lie too far apart."}}},
		{Metric: of("pgstat.wal/wal_sync"), Kind: attribution.Logical, Counts: metric.Entries,
			PerUnit: one(1.01, 0.972, 1.049),
			Rivals: []attribution.Rival{
				rival(metric.RowsWritten, attribution.Excluded, one(2, 1.9, 2.1), attribution.LoadRatio{Load: "bulk", Value: 1,
					Lowest: 0.99, Highest: 1.01, N: 3}),
				rival(metric.Entries, attribution.Consistent, one(1.02, 1, 1.05), attribution.LoadRatio{
					Load: "bulk", Value: 1, Lowest: 0.99, Highest: 1.01, N: 3}),
				rival(metric.WALBytes, attribution.Possible, one(1.2, 1.05, 1.4)),
				{Quantity: metric.WALWrites, Side: counts.Physical, Status: attribution.Excluded,
					Spread: one(1.1, 1.0, 1.3), Beaten: metric.Entries},
			}},
		{Metric: of("pgstat.wal/wal_write"), Kind: attribution.CannotTell,
			Between: []metric.Quantity{metric.RowsWritten, metric.Entries, metric.WALWrites}},
		{Metric: of("pgstat.database/tup_inserted"), Kind: attribution.Logical, Counts: metric.RowsWritten,
			PerUnit: one(1, 1, 1), Exact: true},
		{Metric: of("pgstat.database/deadlocks"), Kind: attribution.Silent, Why: "load does not move it"},
		{Metric: of("pgstat.wal/wal_records"), Kind: attribution.Logical, Counts: metric.WALRecords,
			Rivals: []attribution.Rival{rival(metric.WALRecords, attribution.Itself, nil)}},
		{Metric: of("pgstat.lsn/insert"), Kind: attribution.Physical, Counts: metric.WALBytes,
			Rivals: []attribution.Rival{rival(metric.WALBytes, attribution.Itself, nil)}},
	}}
}

// TestFirstRoundShowsWhatIsKnown: while a run goes on, the screen shows what is known, and nothing that is open.
func TestFirstRoundShowsWhatIsKnown(t *testing.T) {
	run, err := tally.FromRun(runfiletest.Sequence(demo()))
	if err != nil {
		t.Fatal(err)
	}
	shown := func(verdicts attribution.Verdicts) string {
		return rendered(t, func(w io.Writer) error { return document.Text(w, report.New(run, verdicts).SoFar(), 80) })
	}
	verdicts := verdictsByHand()
	verdicts.Metrics[1].Kind = attribution.NotLogical
	text := shown(verdicts)
	for _, want := range []string{"So far, after ", "times fewer", "\n  ALL ", "\n  NO ", "work of the database",
		"not known yet"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not show %q:\n%s", want, text)
		}
	}
	if text := shown(attribution.Verdicts{}); !strings.Contains(text, "not known yet") ||
		strings.Contains(text, " NO ") {
		t.Errorf("of nothing it shows\n%s", text)
	}
}

// TestScreenSoFarNamesTheDecidingLoad: during the first round, the screen counts the loads that were run, and
// names the one that will settle what is open.
func TestScreenSoFarNamesTheDecidingLoad(t *testing.T) {
	records := runfiletest.Records(t, "../../../testdata/runs/loads-pg17.jsonl")
	var begun []runfile.Record
	for _, r := range records {
		if e, is := r.(runfile.LoadEvent); is && e.Load != "bulk" {
			continue
		}
		begun = append(begun, r)
	}
	run, err := tally.FromRun(runfiletest.Sequence(begun))
	if err != nil {
		t.Fatal(err)
	}
	flushes := attribution.Verdict{Metric: runfile.Metric{Name: "block/flushes"}, Kind: attribution.CannotTell}
	shown := func(tells string) string {
		flushes.SettleWith = &attribution.Settle{Load: tells}
		r := report.New(run, attribution.Verdicts{Metrics: []attribution.Verdict{flushes}})
		return rendered(t, func(w io.Writer) error { return document.Text(w, r.SoFar(), 80) })
	}
	for tells, want := range map[string]string{"single": "flushes: single will tell",
		"bulk": "/proc/diskstats flushes, bytes", "nowhere": "/proc/diskstats flushes, bytes"} {
		text := shown(tells)
		if strings.Contains(text, "will tell") != (tells == "single") {
			t.Errorf("where %s tells, a load will:\n%s", tells, text)
		}
		for _, want := range []string{want, fmt.Sprintf("So far, after 1 of %d loads:", len(run.Loads)-1), // without idle
			"times fewer (bulk)"} {
			if !strings.Contains(text, want) {
				t.Errorf("where %s tells, it does not show %q:\n%s", tells, want, text)
			}
		}
	}
	if run, err = tally.FromRun(runfiletest.Sequence(records)); err != nil {
		t.Fatal(err)
	}
	view := report.New(run, attribution.Verdicts{Metrics: []attribution.Verdict{flushes}})
	text := rendered(t, func(w io.Writer) error { return document.Text(w, view.SoFar(), 80) })
	if want := "So far, after 24 repetitions of 8 loads:"; !strings.Contains(text, want) { // three rounds, without idle
		t.Errorf("after all rounds it does not show %q:\n%s", want, text)
	}
}

// TestRatiosCanBeRead: as many digits as the interval justifies, and inverted if small.
func TestRatiosCanBeRead(t *testing.T) {
	run, err := tally.FromRun(runfiletest.Sequence(demo()))
	if err != nil {
		t.Fatal(err)
	}
	check := func(value, lo, hi float64, want string) {
		t.Helper()
		v := attribution.Verdict{
			Metric: runfile.Metric{Name: "block/requests"}, Kind: attribution.Physical, Counts: metric.WALWrites,
			PerUnit: &attribution.Estimate{Value: value, Lo: lo, Hi: hi, Level: 0.9, N: 7},
		}
		text := textOf(t, report.New(run, attribution.Verdicts{Metrics: []attribution.Verdict{v}}), 80)
		if want = "/proc/diskstats writes - flushes PHYSICAL WAL writes " + want +
			" 7"; !strings.Contains(unwrapped(text), want) {
			t.Errorf("%v from %v to %v: not %q in\n%s", value, lo, hi, want, text)
		}
		if !strings.Contains(text, "  90%") {
			t.Errorf("the level is not in the header:\n%s", text)
		}
	}
	check(0.9876, 0.9512, 1.0241, "0.99 0.95-1.02")
	check(0.9876, 0.9872, 0.9881, "0.988 0.987-0.988")
	check(8120, 5300, 11400, "8,100 5,300-11,400")
	check(1.3, 0.2, 8.8, "1.3 0.2-8.8")
	check(0.0125, 0.0105, 0.0149, "0.0125 0.0105-0.0149")
	check(1./12800, 1./20000, 1./10000, "1/13,000 10,000-20,000")
	check(1./12800, 0, 1./10000, "1/12,800 >10,000")
	check(1./320_624, 1./21_074_558, 1./161_541, "1/321k 162k-21M")
	check(2, 0.5, math.Inf(1), "2.00 unbounded")
	check(1, 1, 1, "1.00 1.00-1.00")
}

// TestManyCandidatesAreNotListed: a metric that may count one of a few quantities lists them; for one that may count
// nearly anything, the report says that little is known.
func TestManyCandidatesAreNotListed(t *testing.T) {
	run, err := tally.FromRun(runfiletest.Sequence(demo()))
	if err != nil {
		t.Fatal(err)
	}
	said := func(excluded, left int) string {
		v := attribution.Verdict{Metric: runfile.Metric{Name: "pgstat.wal/wal_write"}, Kind: attribution.CannotTell}
		for i, q := range metric.Quantities()[:excluded+left] {
			v.Rivals = append(v.Rivals, attribution.Rival{Quantity: q, Status: attribution.Excluded})
			if i >= excluded {
				v.Between, v.Rivals[i].Status = append(v.Between, q), attribution.Possible
			}
		}
		v.Rivals = append(v.Rivals, attribution.Rival{Quantity: metric.DeviceBytes, Status: attribution.Unknown})
		return unwrapped(textOf(t, report.New(run, attribution.Verdicts{Metrics: []attribution.Verdict{v}}), 80))
	}
	for want, text := range map[string]string{
		"pg_stat_wal.wal_write: It moved too little or too unsteadily to exclude more than 3 of the 25 counted " +
			"quantities.": said(3, 22),
		"pg_stat_wal.wal_write: It moved too little or too unsteadily to exclude any of the 22 counted " +
			"quantities.": said(0, 22),
		"pg_stat_wal.wal_write: it may count rows updated, HOT updates or rows deleted.": said(1, 3),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestTiesAndDevices: a tied quantity stands beside the counted one, and a device metric follows logical work but does
// not count it.
func TestTiesAndDevices(t *testing.T) {
	run, err := tally.FromRun(runfiletest.Sequence(demo()))
	if err != nil {
		t.Fatal(err)
	}
	one := attribution.Estimate{Value: 1, Lo: 0.9, Hi: 1.1, Level: 0.95, N: 2}
	said := func(v attribution.Verdict) string {
		return unwrapped(textOf(t, report.New(run, attribution.Verdicts{Metrics: []attribution.Verdict{v}}), 80))
	}
	flushes := attribution.Rival{Quantity: metric.DeviceFlushes, Side: counts.Physical,
		Status: attribution.Possible, Ratio: &one}
	for want, v := range map[string]attribution.Verdict{
		"pg_stat_wal.wal_sync PHYSICAL WAL fsyncs 1.00 exact 2 tied with device flushes 1.00 0.90-1.10 2": {
			Metric: runfile.Metric{Name: "pgstat.wal/wal_sync"}, Kind: attribution.Physical,
			Counts: metric.WALSyncs, Exact: true,
			PerUnit: &attribution.Estimate{Value: 1, Lo: 1, Hi: 1, Level: 0.95, N: 2},
			Tied:    []metric.Quantity{metric.DeviceFlushes},
			Rivals: []attribution.Rival{{Quantity: metric.WALSyncs, Side: counts.Physical, Status: attribution.Itself},
				flushes},
		},
		"writes - flushes PHYSICAL WAL writes 1.00 0.90-1.10 2 + grows with rows 1.00 0.90-1.10 2": {
			Metric: runfile.Metric{Name: "block/requests"}, Kind: attribution.Physical, Mixture: &attribution.Mixture{
				Terms: []attribution.Term{
					{Quantity: metric.WALWrites, Side: counts.Physical, PerUnit: one, Share: 0.8},
					{Quantity: metric.RowsWritten, Side: counts.Logical, PerUnit: one, Share: 0.2},
				}},
		},
		"LOGICAL, as PostgreSQL documents: pg_stat_database.tup_inserted.": {
			Metric: runfile.Metric{Name: "pgstat.database/tup_inserted"}, Kind: attribution.Logical,
			Counts: metric.RowsWritten, PerUnit: &one,
		},
	} {
		if text := said(v); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
