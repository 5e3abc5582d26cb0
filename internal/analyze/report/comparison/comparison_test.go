package comparison_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/comparison"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/readtest"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// another returns the shipped run under another name, with its records changed.
func another(t *testing.T, name string, change func(runfile.Record) runfile.Record) comparison.Compared {
	t.Helper()
	records := runfiletest.Records(t, "../../../../testdata/runs/loads-pg17.jsonl")
	for i, record := range records {
		if header, is := record.(runfile.Run); is {
			header.ID = name
			record = header
		}
		records[i] = change(record)
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	return comparison.Compared{File: name, Run: run,
		Report: report.New(run, attribution.Judge(run, attribution.Options{}))}
}

func asItIs(r runfile.Record) runfile.Record { return r }

func compared(t *testing.T, runs ...comparison.Compared) comparison.Comparison {
	t.Helper()
	c, err := comparison.Compare(runs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUnchangedRuns compares a run with itself under another name.
func TestUnchangedRuns(t *testing.T) {
	c := compared(t, another(t, "before", asItIs), another(t, "after", asItIs))
	changes := 0
	for _, d := range c.Quantities {
		for _, a := range append(d.Loads, d.Geomean) {
			if change := a.Runs[1].Change; change != nil {
				changes++
				if math.Abs(change.Ratio-1) > 1e-12 || change.Differs || change.P < 0.999 ||
					!(float64(change.Lo) <= 1 && float64(change.Hi) >= 1) {
					t.Errorf("%s, %s: %+v", d.Quantity, a.Load, change)
				}
			}
		}
	}
	for _, m := range c.Metrics {
		if m.Changed != "" {
			t.Errorf("%s changed: %s", m.Metric, m.Changed)
		}
	}
	if changes == 0 || len(c.Metrics) == 0 {
		t.Errorf("%d changes and %d metrics compared", changes, len(c.Metrics))
	}
	var page strings.Builder
	if err := document.Text(&page, c.Document(false), 80); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if !strings.Contains(text, "No verdict changed.") {
		t.Error("the text does not say that no verdict changed")
	}
}

// TestContradictoryVerdicts: a metric that is not logical in one run may be physical in another, but
// not logical.
func TestContradictoryVerdicts(t *testing.T) {
	for kind, want := range map[attribution.Kind]string{attribution.Physical: "counts", attribution.Requested: "counts",
		attribution.Mixed: "counts", attribution.Logical: "verdict"} {
		before, after := another(t, "before", asItIs), another(t, "after", asItIs)
		before.Report.Metrics, after.Report.Metrics = before.Report.Metrics[:1], after.Report.Metrics[:1]
		before.Report.Metrics[0].Kind, after.Report.Metrics[0].Kind = attribution.NotLogical, kind
		if c := compared(t, before, after); len(c.Metrics) != 1 || c.Metrics[0].Changed != want {
			t.Errorf("not logical, then %s: %+v, want %s", kind, c.Metrics, want)
		}
	}
}

// TestDoubledRowsAreSeen: if one load has twice the rows, only its rate of rows doubles, and the geometric mean of
// eight loads rises by the eighth root of two.
func TestDoubledRowsAreSeen(t *testing.T) {
	before, after := another(t, "before", asItIs), another(t, "after", func(record runfile.Record) runfile.Record {
		if load, is := record.(runfile.Work); is && load.Load == "bulk" {
			load.Rows *= 2
			return load
		}
		return record
	})
	if back := compared(t, after, before).Quantities[0].Loads[0].Runs[1].Change; math.Abs(back.Ratio-0.5) > 1e-9 ||
		!back.Differs {
		t.Errorf("the other way round: %+v", back)
	}
	c := compared(t, before, after)
	if h := held(t, c, "rows/bulk>50%"); len(h.Tripped) != 1 || len(h.Unsure) != 0 {
		t.Errorf("twice is more than half as many again: %+v", h)
	}
	if h := held(t, c, "rows/bulk>400%"); len(h.Tripped) != 0 || len(h.Unsure) != 0 {
		t.Errorf("twice is not five times: %+v", h)
	}
	for _, d := range c.Quantities {
		for _, a := range d.Loads {
			change, want := a.Runs[1].Change, 1.0
			if a.Load == "bulk" && (d.Quantity == metric.RowsWritten || d.Quantity == metric.Entries) {
				want = 2
			}
			if change != nil && (math.Abs(change.Ratio-want) > 1e-9 || change.Differs != (want == 2)) {
				t.Errorf("%s, %s: %+v, want %g", d.Quantity, a.Load, change, want)
			}
		}
		if d.Quantity == metric.RowsWritten {
			if got, want := d.Geomean.Runs[1].Change.Ratio, math.Pow(2, 1.0/8); math.Abs(got-want) > 1e-9 {
				t.Errorf("geomean: %g, want %g", got, want)
			}
		}
	}
}

// TestChangesAreMeansOfLogarithms of the rates that the report shows.
func TestChangesAreMeansOfLogarithms(t *testing.T) {
	before, after := another(t, "before", asItIs), another(t, "after", func(record runfile.Record) runfile.Record {
		if load, is := record.(runfile.Work); is && load.Repetition == 2 {
			load.Rows *= 8
			return load
		}
		return record
	})
	for _, a := range compared(t, before, after).Quantities[0].Loads {
		if got := a.Runs[1].Change.Ratio; math.Abs(got-2) > 1e-9 { // the third root of 8
			t.Errorf("%s: %g", a.Load, got)
		}
	}
	// One repetition in three has eight times the rows: more than half as many again is not certain.
	if h := held(t, compared(t, before, after), "rows/bulk>50%"); len(h.Tripped) != 0 || len(h.Unsure) != 1 {
		t.Errorf("%+v", h)
	}
}

// TestGateTakesEveryName of a quantity: as a table prints it, plural or singular, and as in JSON, in any case.
func TestGateTakesEveryName(t *testing.T) {
	c := compared(t, another(t, "before", asItIs), another(t, "after", asItIs))
	for _, d := range c.Quantities {
		q := d.Quantity
		want := held(t, c, string(q)+"/copy>-50%")
		if len(want.Tripped) != 1 { // it is exact, and so surely more than half
			t.Errorf("%s: %+v", d.Quantity, want)
		}
		names := []string{q.Many(), q.One(), strings.ToUpper(q.Many()), strings.ReplaceAll(string(q), "_", "-")}
		if q == metric.DeviceBytes {
			names = append(names, "device MB", "Device mb")
		}
		for _, name := range names {
			if diff := cmp.Diff(want, held(t, c, name+"/copy > -50%")); diff != "" {
				t.Errorf("%s is not %s (-want +got):\n%s", name, d.Quantity, diff)
			}
		}
	}
}

// TestGateListsTheLabels of the tables, if it names none of them.
func TestGateListsTheLabels(t *testing.T) {
	c := compared(t, another(t, "before", asItIs), another(t, "after", asItIs))
	g, err := comparison.ParseGate("device GB>3%")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Hold(g); err == nil || !strings.HasSuffix(err.Error(), ", device requests, device flushes, device MB") {
		t.Errorf("%v", err)
	}
}

func held(t *testing.T, c comparison.Comparison, gate string) comparison.Held {
	t.Helper()
	g, err := comparison.ParseGate(gate)
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.Hold(g)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestDifferencesAreListed, in the order in which it is named.
func TestDifferencesAreListed(t *testing.T) {
	c := compared(t, another(t, "before", asItIs), another(t, "after", func(record runfile.Record) runfile.Record {
		if header, is := record.(runfile.Run); is {
			header.Target.Version, header.Plan.LoadSeconds = "", 60
			header.Target.Settings = map[string]string{"fsync": "off"}
			header.Plan.Loads[1].Clients = 7
			return header
		}
		return record
	}))
	want := []string{
		"Different server: A PostgreSQL 17.11, B PostgreSQL.",
		"Different length of loads: A 5 s, B 60 s.",
		"Different settings: fsync (A on, B off).",
		"Different work in A and B under the same name: bulk.",
	}
	if diff := cmp.Diff(want, c.Warnings[:len(want)]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, gate := range []string{"rows>10%", "rows/bulk>10%"} {
		if h := held(t, c, gate); len(h.Unknown) != 1 || len(h.Tripped)+len(h.Unsure) > 0 {
			t.Errorf("%s, though bulk does not do the same: %+v", gate, h)
		}
	}
	if h := held(t, c, "rows/copy>10%"); len(h.Unknown) != 0 {
		t.Errorf("copy does the same, and its change is not known: %+v", h)
	}
	if last := c.Warnings[len(c.Warnings)-1]; !strings.HasPrefix(last, "B: ") || !strings.Contains(last, "fsync") {
		t.Errorf("that fsync is off in B makes its numbers lie, and the last warning is %q", last)
	}
}

// TestJudgeKeepsWhatIsPrinted: the verdicts of a comparison agree with the reports of its runs, although Judge drops
// the figures behind them.
func TestJudgeKeepsWhatIsPrinted(t *testing.T) {
	run, err := tally.FromFile("../../../../testdata/runs/default-pg17.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	whole := report.New(run, attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}))
	judged := comparison.Judge("run", run).Report
	for i, m := range whole.Metrics {
		if got, want := fmt.Sprint(judged.Metrics[i].Terms()), fmt.Sprint(m.Terms()); got != want {
			t.Errorf("%s: %s, in its report %s", m.Metric, got, want)
		}
	}
}

// TestKindsOfTwoObservations: the second observation saw the first half of the first, without a kind or two, so the
// letters of the kinds move up. Their rates are not compared, and a gate is not known to hold.
func TestKindsOfTwoObservations(t *testing.T) {
	var runs []comparison.Compared
	for _, name := range []string{"whole", "half"} {
		records := runfiletest.Records(t, "../../../../testdata/runs/observed-pg17.jsonl.zst")
		if name == "half" {
			records = records[:len(records)*6/10]
		}
		header, _ := records[0].(runfile.Run)
		header.ID = name
		records[0] = header
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, comparison.Judge(name, run))
	}
	c := compared(t, runs...)
	for _, d := range c.Quantities {
		if len(d.Loads) > 0 || d.Geomean.Runs[1].Change != nil {
			t.Errorf("%s is compared: %+v, %+v", d.Quantity, d.Loads, d.Geomean.Runs[1].Change)
		}
	}
	const want = "load A of one is not load A of another"
	if len(c.Warnings) == 0 || !strings.Contains(c.Warnings[0], want) || len(c.Metrics) == 0 {
		t.Errorf("%d metrics are compared, and the first warning of %q does not say "+
			"%q", len(c.Metrics), c.Warnings, want)
	}
	if h := held(t, c, "rows>10%"); len(h.Unknown) != 1 {
		t.Errorf("the gate: %+v, want one run of which it is not known", h)
	}
}

// works changes the work of one load, or of every load but idle if the name is empty.
func works(load string, change func(*runfile.Work)) func(runfile.Record) runfile.Record {
	return func(record runfile.Record) runfile.Record {
		if w, is := record.(runfile.Work); is && (w.Load == load || load == "" && w.Load != "idle") {
			change(&w)
			return w
		}
		return record
	}
}

// TestGateKnowsLoadsThatCountedNothing: a load that wrote nothing in one run has no factor of change, so a gate over
// all loads cannot pass without it. One that wrote nothing in any run cannot have changed.
func TestGateKnowsLoadsThatCountedNothing(t *testing.T) {
	nothing := works("bulk", func(w *runfile.Work) { w.Rows = 0 })
	for gate, want := range map[string]int{"rows>10%": 1, "commits>10%": 0} {
		h := held(t, compared(t, another(t, "before", nothing), another(t, "after", asItIs)), gate)
		if len(h.Unknown) != want || len(h.Tripped) > 0 {
			t.Errorf("%s, with rows in bulk only in B: %+v, want %d unknown", gate, h, want)
		}
	}
	h := held(t, compared(t, another(t, "before", nothing), another(t, "after", nothing)), "rows>10%")
	if len(h.Unknown) > 0 {
		t.Errorf("no rows in bulk in any run: %+v", h)
	}
}

// TestZeroIsShown: a quantity that is zero in one run was counted in both.
func TestZeroIsShown(t *testing.T) {
	none := works("", func(w *runfile.Work) { w.Rows = 0 })
	before, neither := another(t, "before", none), another(t, "neither", none)
	for _, test := range []struct {
		runs             []comparison.Compared
		table, all, lack bool
	}{
		{[]comparison.Compared{before, another(t, "after", asItIs)}, true, false, false},
		{[]comparison.Compared{before, neither}, false, true, false},
	} {
		var page strings.Builder
		if err := document.Text(&page, compared(t, test.runs...).Document(false), 80); err != nil {
			t.Fatal(err)
		}
		for words, want := range map[string]bool{"\nRows a second\n": test.table, "Zero in all runs: rows": test.all,
			"Counted in no run": test.lack, "did not count": test.lack} {
			if strings.Contains(page.String(), words) != want {
				t.Errorf("%q is there: %t, want %t, in\n%s", words, !want, want, page.String())
			}
		}
	}
}

// TestUncountedIsSaidFirst: a quantity that one of the runs did not count is named above all tables, for that run.
func TestUncountedIsSaidFirst(t *testing.T) {
	blind := another(t, "blind", func(r runfile.Record) runfile.Record {
		if reading, is := r.(runfile.Reading); is {
			reading.Values = maps.Clone(reading.Values)
			delete(reading.Values, metric.BlockWriteBytes)
			return reading
		}
		return r
	})
	for _, c := range []struct {
		of   string
		runs []comparison.Compared
	}{
		{"A", []comparison.Compared{blind, another(t, "whole", asItIs)}},
		{"B", []comparison.Compared{another(t, "whole", asItIs), blind}},
		{"C", []comparison.Compared{another(t, "whole", asItIs), another(t, "again", asItIs), blind}},
	} {
		want := "Left out, because " + c.of + " did not count them, or its loads cannot tell them from others: device MB."
		if got := compared(t, c.runs...).Warnings; !slices.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLoadsThatReadAreNotInTheMean: what the server happens to write while a load reads is no rate of it.
func TestLoadsThatReadAreNotInTheMean(t *testing.T) {
	reads := works("async", func(w *runfile.Work) { w.Rows = 0 })
	c := compared(t, another(t, "before", reads), another(t, "after", reads))
	for _, d := range c.Quantities {
		if d.Quantity == metric.DeviceRequests && d.Geomean.Runs[0].PerSecond.N != 7 {
			t.Errorf("the mean is over %d loads, want the 7 that write", d.Geomean.Runs[0].PerSecond.N)
		}
	}
}

// TestMeanWithoutAValueSaysWhy, in JSON too.
func TestMeanWithoutAValueSaysWhy(t *testing.T) {
	none := works("", func(w *runfile.Work) { w.Rows = 0 })
	c := compared(t, another(t, "before", none), another(t, "after", none))
	i := slices.IndexFunc(c.Quantities, func(d comparison.ComparedQuantity) bool { return d.Quantity == metric.RowsWritten })
	for _, r := range c.Quantities[i].Geomean.Runs {
		if r.PerSecond.Known() || r.PerSecond.Missing == nil || r.PerSecond.Missing.Reason == "" {
			t.Errorf("%+v", r.PerSecond)
		}
	}
}

// TestReadsAreCompared: under the loads that read, and nothing else; the geometric means stand first.
func TestReadsAreCompared(t *testing.T) {
	reading := func(name string) comparison.Compared {
		records := readtest.Records(t, "17", nil)
		header := records[0].(runfile.Run)
		header.ID = name
		records[0] = header
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		return comparison.Compared{File: name, Run: run, Report: report.New(run, attribution.Judge(run, attribution.Options{}))}
	}
	var page strings.Builder
	if err := document.Text(&page, compared(t, reading("a"), reading("b")).Document(false), 80); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for title, want := range map[string]bool{"Rows a second": false, "Device reads a second": true,
		"Pages missed a second": true} {
		_, section, found := strings.Cut(text, "\n"+title+"\n\n")
		section, _, _ = strings.Cut(section, "\n\n")
		if !found || strings.Contains(section, "\npoint-cold ") != want {
			t.Errorf("point-cold, which only reads, is to be under %q: %v; it is in\n%s", title, want, text)
		}
	}
	if strings.Index(text, "All loads together") > strings.Index(text, "Rows a second") {
		t.Errorf("the means are not first:\n%s", text)
	}
}

// TestMeanAgreesWithItsChange: the ratio of the printed means is the printed change.
func TestMeanAgreesWithItsChange(t *testing.T) {
	c := compared(t, another(t, "before", asItIs), another(t, "after", works("bulk", func(w *runfile.Work) {
		if w.Repetition == 2 {
			w.Rows *= 8
		}
	})))
	for _, d := range c.Quantities {
		runs := d.Geomean.Runs
		if runs[1].Change == nil {
			continue
		}
		if got, want := runs[1].PerSecond.Value/runs[0].PerSecond.Value, runs[1].Change.Ratio; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: the means have the ratio %g, the change is %g", d.Quantity, got, want)
		}
	}
}

// TestOtherWorkUnderTheSameName of every kind that a plan can describe.
func TestOtherWorkUnderTheSameName(t *testing.T) {
	for what, change := range map[string]func(*runfile.Load){
		"a larger table":       func(a *runfile.Load) { a.TableRows = 1000 },
		"fewer rows looked up": func(a *runfile.Load) { a.OfRows = 10 },
		"another job":          func(a *runfile.Load) { a.Job = "--size=1g" },
		"a deeper queue":       func(a *runfile.Load) { a.Depth = 8 },
		"page cache":           func(a *runfile.Load) { a.Buffered = true },
	} {
		after := another(t, "after", func(record runfile.Record) runfile.Record {
			if header, is := record.(runfile.Run); is {
				header.Plan.Loads = slices.Clone(header.Plan.Loads)
				change(&header.Plan.Loads[1])
				return header
			}
			return record
		})
		if c := compared(t, another(t, "before", asItIs), after); len(held(t, c, "rows/bulk>10%").Unknown) != 1 {
			t.Errorf("%s: the gate does not know that bulk does other work: %q", what, c.Warnings)
		}
	}
}

// TestAlmostNothingIsLeft: a fall to 1/1,719 is not one to nothing.
func TestAlmostNothingIsLeft(t *testing.T) {
	before := another(t, "before", works("bulk", func(w *runfile.Work) { w.Rows *= 1719 }))
	h := held(t, compared(t, before, another(t, "after", asItIs)), "rows/bulk<-50%")
	if len(h.Tripped) != 1 || !strings.HasPrefix(h.Tripped[0], "B, bulk: -99.94% (-99.9") {
		t.Errorf("%+v, want -99.94%%", h) // 1 - 1/1719
	}
}
