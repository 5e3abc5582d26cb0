package sizing_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

func tariff(t *testing.T, region string) sizing.Tariff {
	t.Helper()
	return sizing.Tariff{Region: region, Prices: catalog.Prices()}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// TestBreakEven is AWS's own example: two r6g.2xlarge, 800 GiB, 1.2 billion I/O a month.
func TestBreakEven(t *testing.T) {
	us := tariff(t, "us-east-1")
	io, err := us.IOCost(1.2e9 / (730 * 3600))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "I/O", io, 240, 0.01)
	a := sizing.CostAurora(2*1.038*730, 800*0.10, io)
	near(t, "standard", a.Standard, 1835, 1)
	near(t, "optimized", a.Optimized, 2150, 1)
	near(t, "break-even", a.BreakEven, 0.30*1515.48+1.25*80, 0.01)
	near(t, "share of I/O", 100*io/a.Standard, 13.1, 0.05)
	if io > a.BreakEven {
		t.Error("stay on Standard, says the example")
	}
}

// TestPublishedBills recomputes bills that others have published.
func TestPublishedBills(t *testing.T) {
	us := tariff(t, "us-east-1")
	month := func(perSecond float64) float64 {
		cost, err := us.IOCost(perSecond)
		if err != nil {
			t.Fatal(err)
		}
		return cost
	}
	const days = 730.0 / 24
	near(t, "each of 140,000 WAL records billed, a day", month(140000)/days, 2419, 1)
	near(t, "three quarters of $248.23 a day", month(10774)/days, 0.75*248.23, 0.1)
	near(t, "$200 a day", month(11574)/days, 200, 0.1)
}

// TestPublishedCalibration compares the loads with published billed writes with the ranges taken from them: by bytes of
// WAL three loads of a loader and a bulk insert, by rows those and one of a mapper.
func TestPublishedCalibration(t *testing.T) {
	c := sizing.Published()
	logs := 0.0
	byBytes := []float64{111.6e6 * 4096 / 1.353e12, 442.7e6 * 4096 / 5.44e12, 399.9e6 * 4096 / 5.41e12,
		820 / (117000 * 75.4 / 4096)}
	for _, ratio := range byBytes {
		if ratio < c.OfWALUnits.Least || ratio > c.OfWALUnits.Most {
			t.Errorf("%g for 4,096 bytes is outside %+v", ratio, *c.OfWALUnits)
		}
		logs += math.Log(ratio) / float64(len(byBytes))
	}
	near(t, "the middle, by bytes", c.OfWALUnits.Value, math.Exp(logs), 0.005)
	for _, rows := range []float64{3.3, 15, 16, 117000.0 / 820} {
		if rows < c.RowsPerWrite.Least || rows > c.RowsPerWrite.Most {
			t.Errorf("%g rows a write are outside %+v", rows, *c.RowsPerWrite)
		}
	}
}

// TestBytesGoBeforeRows: if the WAL is known, rows are not used for billed writes; otherwise they give a range of a
// factor of 43.
func TestBytesGoBeforeRows(t *testing.T) {
	f, by, ok := sizing.ForecastAurora(new(117000.0), new(117000*75.4), sizing.Published())
	const units = 117000 * 75.4 / 4096
	if !ok || by.RowsPerWrite != nil ||
		f != (sizing.Range{Value: 0.34 * units, Least: 0.23 * units, Most: 0.45 * units}) {
		t.Errorf("by bytes: %+v, %+v", f, by)
	}
	f, by, ok = sizing.ForecastAurora(new(117000.0), nil, sizing.Published())
	if !ok || by.OfWALUnits != nil || math.Abs(f.Most/f.Least-143/3.3) > 1e-9 || f.Least != 117000.0/143 {
		t.Errorf("by rows: %+v, %+v", f, by)
	}
	if _, _, ok := sizing.ForecastAurora(nil, nil, sizing.Published()); ok {
		t.Error("from nothing")
	}
}

// TestCalibrateNeedsWholeLoads: five published minutes of one load are part of an hour's mean, and no calibration.
// Whole loads are: 111.6, 442.7 and 399.9 million billed writes for 1.353, 5.44 and 5.41 TB of WAL.
func TestCalibrateNeedsWholeLoads(t *testing.T) {
	if _, err := sizing.Calibrate(shipped(t, "published-aurora.jsonl"), "wide"); !errors.Is(err,
		sizing.ErrNotCalibrated) || !strings.Contains(err.Error(), "246,000 in 5 min") {
		t.Errorf("five minutes of a source that moves in steps of an hour calibrate: %v", err)
	}
	c, err := sizing.Calibrate(shipped(t, "published-digitized.jsonl"), "wide")
	if err != nil {
		t.Fatal(err)
	}
	units := math.Cbrt(111.6e6 * 442.7e6 * 399.9e6 / (1.353e12 * 5.44e12 * 5.41e12) * 4096 * 4096 * 4096)
	near(t, "billed writes for 4,096 bytes", c.OfWALUnits.Value, units, 1e-9)
	if c.RowsPerWrite != nil || c.Repetitions != 3 {
		t.Errorf("rows were not published: %+v", c)
	}
}

// TestCalibrateBySeveral: three repetitions with 100, 110 and 121 rows per write have the mean 110, and another would
// lie within a factor of exp(4.303 x ln 1.1 x sqrt(4/3)), by Student's t at two degrees of freedom.
func TestCalibrateBySeveral(t *testing.T) {
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var records []runfile.Record
	records = append(records, runfile.Run{Schema: runfile.Schema, ID: "own",
		Plan: runfile.Plan{Loads: []runfile.Load{{Name: "bulk", Method: "insert"}}}},
		runfile.Metric{Name: "cloudwatch/VolumeWriteIOPs", Unit: "operations", Type: runfile.CountPerPeriod,
			Period: 300})
	for i, writes := range []float64{12100, 11000, 10000} {
		from := begin.Add(time.Duration(i) * time.Hour)
		to := from.Add(5 * time.Minute)
		records = append(records,
			runfile.LoadEvent{At: from, Load: "bulk", Repetition: i + 1, Event: runfile.Begin},
			runfile.Work{From: from, To: to, Load: "bulk", Repetition: i + 1, Transactions: 1, Statements: 1,
				Rows: 1210000},
			runfile.Period{From: from, To: to, Probe: "cloudwatch", Metric: "cloudwatch/VolumeWriteIOPs",
				Statistic: "Sum", Value: writes},
			runfile.LoadEvent{At: to, Load: "bulk", Repetition: i + 1, Event: runfile.End})
	}
	c, err := sizing.Calibrate(runOf(t, records...), "bulk")
	if err != nil {
		t.Fatal(err)
	}
	factor := math.Exp(4.302653 * math.Log(1.1) * math.Sqrt(4.0/3))
	want := sizing.Calibration{RowsPerWrite: &sizing.Range{Value: 110, Least: 110 / factor, Most: 110 * factor},
		Repetitions: 3, Run: "own", Load: "bulk", NotIdle: true}
	if diff := cmp.Diff(want, c, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCalibrateWithoutReaders: what is billed while loads only read is background, and divided by their few bytes of WAL
// would make millions of an order.
func TestCalibrateWithoutReaders(t *testing.T) {
	const volume = "cloudwatch/VolumeWriteIOPs"
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, ID: "own", Start: begin, Plan: runfile.Plan{
		Loads: []runfile.Load{{Name: "bulk", Method: "insert"}, {Name: "scan", Method: "scan"}}}},
		runfile.Metric{Name: metric.InsertPosition, Unit: "bytes", Type: runfile.Counter},
		runfile.Metric{Name: volume, Unit: "operations", Type: runfile.CountPerPeriod, Period: 300}}
	read := func(at time.Time, bytes float64) runfile.Record {
		return runfile.Reading{At: at, Probe: "pgstat.lsn", Values: map[string]float64{metric.InsertPosition: bytes}}
	}
	for i, load := range []string{"bulk", "scan"} {
		from := begin.Add(time.Duration(i) * time.Hour)
		to, before := from.Add(5*time.Minute), float64(i)*4096*1e6
		work, wrote := runfile.Work{From: from, To: to, Load: load, Repetition: 1, Transactions: 1, Statements: 1}, 4096.0
		if load == "bulk" {
			work.Rows, wrote = 1e6, 4096*1e6
		} else {
			work.Returned = 1e6
		}
		records = append(records, read(from.Add(-time.Second), before),
			runfile.LoadEvent{At: from, Load: load, Repetition: 1, Event: runfile.Begin}, work,
			runfile.Period{From: from, To: to, Probe: "cloudwatch", Metric: volume, Statistic: "Sum", Value: 340_000},
			read(to, before+wrote), runfile.LoadEvent{At: to.Add(time.Second), Load: load, Repetition: 1, Event: runfile.End})
	}
	for i := range 3 { // the metric moves
		from := begin.Add(time.Duration(2+i) * time.Hour)
		records = append(records, runfile.Period{From: from, To: from.Add(5 * time.Minute), Probe: "cloudwatch", Metric: volume,
			Statistic: "Sum", Value: 1000 * float64(i+1)})
	}
	c, err := sizing.Calibrate(runOf(t, records...), "single")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "billed writes for 4,096 bytes", c.OfWALUnits.Value, 0.34, 1e-3)
}

// TestWritesHiddenByFailover: the position in the WAL continues on the new instance, so what was written while none
// answered counts.
func TestWritesHiddenByFailover(t *testing.T) {
	const volume = "cloudwatch/VolumeWriteIOPs"
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	position := func(minutes int, bytes float64) runfile.Record {
		return runfile.Reading{At: at(minutes), Probe: "pgstat.lsn", Values: map[string]float64{
			metric.InsertPosition: bytes}}
	}
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, ID: "own", Start: noon, Target: runfile.Target{Flavor: "aurora"},
			Plan: runfile.Plan{RestSeconds: 3600, Loads: []runfile.Load{{Name: "bulk", Method: "insert"}}}},
		runfile.Metric{Name: metric.InsertPosition, Unit: "bytes", Type: runfile.Counter},
		runfile.Metric{Name: volume, Unit: "operations", Type: runfile.CountPerPeriod, Period: 300},
		position(59, 1000), runfile.LoadEvent{At: at(60), Load: "bulk", Repetition: 1, Event: runfile.Begin},
		runfile.Work{From: at(60), To: at(70), Load: "bulk", Repetition: 1, Transactions: 1, Statements: 1, Rows: 1},
		position(63, 1000+4096*100e6), runfile.Gap{At: at(64), Probe: "pgstat.lsn",
			Reason: runfile.Reason(series.Reset)}, position(66, 1000+4096*600e6),
		runfile.LoadEvent{At: at(70), Load: "bulk", Repetition: 1, Event: runfile.End}, position(71, 1000+4096*1000e6),
	}
	for i := range 26 {
		writes := 0.0
		if i >= 12 && i < 24 { // the mean of an hour
			writes = 340e6 / 12
		}
		records = append(records, runfile.Period{From: at(5 * i), To: at(5*i + 5), Probe: "cloudwatch", Metric: volume,
			Statistic: "Sum", Value: writes})
	}
	c, err := sizing.Calibrate(runOf(t, records...), "")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "billed writes for 4,096 bytes", c.OfWALUnits.Value, 0.34, 1e-9)
}

// TestCalibrateErrors checks the one-line error.
func TestCalibrateErrors(t *testing.T) {
	_, err := sizing.Calibrate(shipped(t, "loads-pg17.jsonl"), "bulk")
	const want = "nothing to calibrate with; give a run on Aurora whose loads contain whole periods of VolumeWriteIOPs, and " +
		"that counts their rows or bytes of WAL"
	if why := " (this run did not read CloudWatch VolumeWriteIOPs)"; err == nil || err.Error() != want+why {
		t.Errorf("%v, want %s", err, want+why)
	}

	// what is missing may be the WAL, not the writes
	_, err = sizing.Calibrate(without(t, "published-digitized.jsonl", `,"cloudwatch/WriteThroughput":[0-9.e+]+`), "bulk")
	if err == nil || !strings.HasPrefix(err.Error(), want+" (") || strings.Contains(err.Error(), "did not read CloudWatch VolumeWriteIOPs") {
		t.Errorf("without bytes of WAL: %v", err)
	}
}

// TestCalibrateWithoutFlavor: a file that does not say that its server is Aurora must not turn five minutes of a metric
// that moves each hour into a bill.
func TestCalibrateWithoutFlavor(t *testing.T) {
	for _, run := range []*counts.Run{shipped(t, "published-aurora.jsonl"), without(t, "published-aurora.jsonl", `"flavor":"aurora",`)} {
		if c, err := sizing.Calibrate(run, "bulk"); err == nil || !strings.Contains(err.Error(), "it changes in steps of about 1 h") {
			t.Errorf("of the flavor %q: %+v, %v", run.Header.Target.Flavor, c, err)
		}
	}
}

// without reads a shipped run without the parts of its text that match.
func without(t *testing.T, name, part string) *counts.Run {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/runs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	cut := regexp.MustCompile(part).ReplaceAll(text, nil)
	if len(cut) == len(text) {
		t.Fatalf("%s has no %s", name, part)
	}
	run, err := tally.FromRun(runfile.Read(bytes.NewReader(cut)))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestPagesAskedAreBilled: per page that was not in shared_buffers, which the run counts, 0.34, 0.36 and 0.64 reads
// were billed in published loads, and AWS documents one at most.
func TestPagesAskedAreBilled(t *testing.T) {
	run := shipped(t, "local-pg17.jsonl.zst")
	ask := sizing.Ask{Load: "wide", Growth: 100, GiB: 100, Tariff: tariff(t, "us-east-1")}
	s, err := sizing.Size(ask, run)
	if err != nil {
		t.Fatal(err)
	}
	f := s.Aurora.Forecast
	pages := 0.0
	load, _ := run.Load("wide")
	for _, r := range load.Repetitions {
		asked, err := r.Count("pgstat.database/blks_read")
		if err != nil {
			t.Fatal(err)
		}
		pages += 2 * asked / r.Seconds / float64(len(load.Repetitions))
	}
	if pages <= 0 {
		t.Fatal("this load reads nothing, and is no test")
	}
	near(t, "at least", f.BilledReads.Least, 0.34*pages, 1e-9)
	near(t, "as estimated", f.BilledReads.Value, math.Exp((math.Log(0.34)+math.Log(0.36)+math.Log(0.64))/3)*pages, 1e-9)
	near(t, "at most", f.BilledReads.Most, pages, 1e-9)
	cost, err := ask.Tariff.IOCost(f.BilledWrites.Value + f.BilledReads.Value)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "bill", s.Aurora.IOCost[1], cost, 1e-9)
}

// TestUnknownPagesAreSaid: what Aurora would bill for reads is unknown if a run did not count the pages asked for.
func TestUnknownPagesAreSaid(t *testing.T) {
	const said = "Aurora bills those missing from its buffers: its I/O may cost more"
	for _, c := range []struct {
		file    string
		volumes []string
		want    bool
	}{{"loads-pg17.jsonl", []string{"aurora"}, true}, {"loads-pg17.jsonl", []string{"aurora", "gp3"}, false},
		{"local-pg17.jsonl.zst", []string{"aurora"}, false}} {
		ask := sizing.Ask{Load: "wide", GiB: 100, Tariff: tariff(t, "us-east-1")}
		for _, name := range c.volumes {
			ask.Volumes = append(ask.Volumes, volume(t, name))
		}
		s, err := sizing.Size(ask, shipped(t, c.file))
		if text := strings.Join(s.Cautions, "; "); err != nil || strings.Contains(text, said) != c.want {
			t.Errorf("%s on %v: %q, %v", c.file, c.volumes, text, err)
		}
	}
}

// TestAuroraAmongTheOptions computes the storage, I/O and extra compute of 100 GiB by hand.
func TestAuroraAmongTheOptions(t *testing.T) {
	ask := sizing.Ask{Load: "bulk", GiB: 100, Instance: "db.r6g.large", Tariff: tariff(t, "us-east-1"),
		Volumes: catalog.Volumes(), Instances: catalog.Instances()}
	s, err := sizing.Size(ask, shipped(t, "loads-pg17.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	writes := *s.Need.WALBytes / 4096 * 0.34
	const million = 730 * 3600 * 0.20 / 1e6 // one per second for a month
	for _, o := range s.Options {
		switch o.Volume.Name {
		case "aurora":
			near(t, "Standard", o.Bill.Total, 10+writes*million, 0.01)
			near(t, "at least", o.BillSpan[0], 10+s.Aurora.Forecast.BilledWrites.Least*million, 0.01)
			near(t, "at most", o.BillSpan[1], 10+s.Aurora.Forecast.BilledWrites.Most*million, 0.01)
		case "aurora-iopt1":
			near(t, "I/O-Optimized", o.Bill.Total, 22.5+0.30*0.26*730, 0.01)
		}
	}
	if f := s.Aurora.Forecast; f.BilledReads.Value != 0 {
		t.Errorf("%+v billed reads a second: the run read none", f.BilledReads)
	}
}
