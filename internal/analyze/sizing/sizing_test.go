package sizing_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/readtest"
)

func shipped(t *testing.T, name string) *counts.Run {
	t.Helper()
	run, err := tally.FromFile("../../../testdata/runs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func needsOf(t *testing.T, name string) map[string]needs.Need {
	t.Helper()
	all := map[string]needs.Need{}
	for _, n := range needs.Of(shipped(t, name)) {
		all[n.Load] = n
	}
	return all
}

// TestNeedsMatchPublishedTable compares with the table published with the shipped run, which includes the background,
// within what that adds.
func TestNeedsMatchPublishedTable(t *testing.T) {
	all := needsOf(t, "loads-pg17.jsonl")
	check := func(load string, rows, records, requests, flushes, mb float64) {
		t.Helper()
		n := all[load]
		near(t, load+" rows", *n.Rows, rows, 0.001*rows)
		near(t, load+" records", *n.WALRecords, records, 0.001*records)
		near(t, load+" requests", n.Mean.Requests(), requests, 3)
		near(t, load+" flushes", n.Mean.Flushes, flushes, 3)
		near(t, load+" MB", n.Mean.Bytes()/1e6, mb, 1)
	}
	check("bulk", 1679972, 1732561, 877, 733, 207)
	check("bulk-indexed", 534198, 1627823, 528, 398, 196)
	check("copy", 1159374, 43700, 693, 451, 84)
	check("single", 18726, 38021, 4743, 4740, 42)
	check("wide", 252478, 515820, 1758, 1317, 727)
}

// TestSpansOfRecords compares the ranges for WAL records with the loads of the shipped run.
func TestSpansOfRecords(t *testing.T) {
	least := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	most := [3]float64{}
	for _, n := range needsOf(t, "loads-pg17.jsonl") {
		for i, v := range []float64{*n.WALRecords / n.Mean.Requests(), *n.WALRecords / *n.Rows,
			*n.WALBytes / *n.WALRecords} {
			least[i], most[i] = min(least[i], v), max(most[i], v)
		}
	}
	c, err := figures.Convert(onAurora(t, "WriteIOPS"), 800000, tariff(t, "us-east-1"), sizing.Published())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "requests at most", c.Requests.Most/(800000/least[0]), 1, 0.001)
	near(t, "requests at least", c.Requests.Least/(800000/most[0]), 1, 0.001)
	near(t, "rows at least", c.Rows.Least/(800000/most[1]), 1, 0.001)
	near(t, "rows at most", c.Rows.Most/(800000/least[1]), 1, 0.001)
	near(t, "billed at least", c.Billed.Least/(800000*least[2]*0.23/4096), 1, 0.001)
	near(t, "billed at most", c.Billed.Most/(800000*most[2]*0.45/4096), 1, 0.001)
	near(t, "misread", *c.Misread, 800000*730*3600/1e6*0.20, 1)
}

// TestKindsMatchTheRun compares the meaning of records in each kind of load with the shipped run.
func TestKindsMatchTheRun(t *testing.T) {
	all := needsOf(t, "loads-pg17.jsonl")
	for _, k := range figures.Kinds() {
		n, found := all[k.Load]
		if !found {
			t.Fatalf("no load %s", k.Load)
		}
		near(t, k.Load+", records a row", *n.WALRecords / *n.Rows / k.RecordsPerRow, 1, 0.002)
		near(t, k.Load+", records a request", *n.WALRecords/n.Mean.Requests()/k.RecordsPerRequest, 1, 0.002)
		near(t, k.Load+", bytes a record", *n.WALBytes / *n.WALRecords / k.BytesPerRecord, 1, 0.002)
		delete(all, k.Load)
	}
	if len(all) > 0 {
		t.Errorf("and %d more", len(all))
	}
}

// TestBilledBytesOfWAL: 4,096,000 bytes of WAL a second are 1,000 units, of which 340 are billed.
func TestBilledBytesOfWAL(t *testing.T) {
	c, err := figures.Convert(onAurora(t, "WriteThroughput"), 4096000, tariff(t, "us-east-1"), sizing.Published())
	if err != nil || *c.Billed != (sizing.Range{Value: 340, Least: 230, Most: 450}) {
		t.Errorf("%+v, %v", c.Billed, err)
	}
}

// TestNeedOfMetrics: operations and bytes of RDS make a need; without the bytes they do not.
func TestNeedOfMetrics(t *testing.T) {
	converted := func(name string, amount float64) figures.Converted {
		t.Helper()
		meanings := slices.DeleteFunc(metric.MeaningsOf(name), func(m metric.Meaning) bool { return m.On != "rds" })
		c, err := figures.Convert(meanings, amount, tariff(t, "us-east-1"), sizing.Published())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	writes, bytes, reads := converted("WriteIOPS", 3000), converted("WriteThroughput", 60e6), converted("ReadIOPS", 100)
	if need, _ := figures.NeedOf([]figures.Converted{writes, bytes}); need == nil || need.Writes != 3000 ||
		need.WriteBytes != 60e6 || need.Reads != 0 || !math.IsNaN(need.Flushes) {
		t.Errorf("%+v", need)
	}
	for _, lacking := range [][]figures.Converted{{writes}, {bytes}, {writes, bytes, reads}} {
		if need, _ := figures.NeedOf(lacking); need != nil {
			t.Errorf("%d metrics: %+v", len(lacking), need)
		}
	}
}

func onAurora(t *testing.T, name string) []metric.Meaning {
	t.Helper()
	return slices.DeleteFunc(metric.MeaningsOf(name), func(m metric.Meaning) bool {
		return m.On != "aurora" || m.Metric != name
	})
}

// TestVolumeWriteIOPsAreCounted: it counts billed operations, and the rate per second is 1/300 of it.
func TestVolumeWriteIOPsAreCounted(t *testing.T) {
	c, err := figures.Convert(onAurora(t, "VolumeWriteIOPs"), 246000, tariff(t, "us-east-1"), sizing.Published())
	if err != nil || c.Side != metric.Physical || c.Rows != nil || c.PerSecond != 820 {
		t.Errorf("%+v, %v", c, err)
	}
	near(t, "a month", c.IOCost.Value, 820*730*3600/1e6*0.20, 0.01)
}

func TestWhatCannotBeConverted(t *testing.T) {
	check := func(meanings []metric.Meaning, want string) {
		t.Helper()
		if _, err := figures.Convert(meanings, 1, sizing.Tariff{}, sizing.Published()); err == nil ||
			err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	check(metric.MeaningsOf("WriteIOPS"), "WriteIOPS means different things on aurora and rds; choose one with --flavor")
	check(onAurora(t, "CommitLatency"),
		"CommitLatency counts time of one commit, which says nothing about requests to storage")
	check(nil, "no such metric is known there")
}

// TestOperationsAsCounted are the examples of the EBS user guide: SSD volumes count up to 256 KiB, hard disks up to
// 1,024.
func TestOperationsAsCounted(t *testing.T) {
	check := func(requests, kib, unit, least, most float64) {
		t.Helper()
		r := needs.Rate{Writes: requests, WriteBytes: requests * kib * 1024}
		gotLeast, gotMost := r.Operations(unit, true)
		if gotLeast != least || gotMost != most {
			t.Errorf("%g of %g KiB in units of %g: from %g to %g, want from %g to %g", requests, kib, unit, gotLeast,
				gotMost, least, most)
		}
	}
	check(1, 1024, 256, 4, 4)
	check(8, 32, 256, 1, 8) // sequential, random
	check(1, 1024, 1024, 1, 1)
	check(8, 128, 1024, 1, 8)
}

// TestScaling computes the two laws by hand.
func TestScaling(t *testing.T) {
	rate := needs.Rate{Writes: 100, Flushes: 80, WriteBytes: 1e6}
	up, err := sizing.ScaleTo(1000, 4000, 50) // six times
	if err != nil {
		t.Fatal(err)
	}
	want := sizing.Span{
		Value: needs.Rate{Writes: 600, Flushes: 480, WriteBytes: 6e6},
		Least: needs.Rate{Writes: 100, Flushes: 80, WriteBytes: 6e6},
		Most:  needs.Rate{Writes: 600, Flushes: 480, WriteBytes: 6e6},
	}
	if diff := cmp.Diff(want, up.Apply(rate)); diff != "" {
		t.Errorf("up (-want +got):\n%s", diff)
	}
	down, err := sizing.ScaleTo(1000, 100, 0) // a tenth, with four commits per flush
	if err != nil {
		t.Fatal(err)
	}
	down.Shared = 4
	want = sizing.Span{
		Value: needs.Rate{Writes: 10, Flushes: 8, WriteBytes: 1e5},
		Least: needs.Rate{Writes: 10, Flushes: 8, WriteBytes: 1e5},
		Most:  needs.Rate{Writes: 40, Flushes: 32, WriteBytes: 1e5},
	}
	if diff := cmp.Diff(want, down.Apply(rate)); diff != "" {
		t.Errorf("down (-want +got):\n%s", diff)
	}
}

// TestPagesNeedNotGoWithTheRows: of 1 MB a second a quarter is pages, which may stay the same with four times the rows,
// and with a quarter of them.
func TestPagesNeedNotGoWithTheRows(t *testing.T) {
	rate := needs.Rate{WriteBytes: 1e6}
	up := sizing.Scale{Factor: 4, Shared: 1, Pages: 0.25}.Apply(rate)
	near(t, "up, at least", up.Least.WriteBytes, 0.25e6+4*0.75e6, 1e-6)
	near(t, "up, at most", up.Most.WriteBytes, 4e6, 1e-6)
	down := sizing.Scale{Factor: 0.25, Shared: 1, Pages: 0.25}.Apply(rate)
	near(t, "down, at least", down.Least.WriteBytes, 0.25e6, 1e-6)
	near(t, "down, at most", down.Most.WriteBytes, 0.25e6+0.75e6/4, 1e-6)
}

// TestWorstOfSeveral: the target is the maximum of each number, whichever run has it, in any order of runs.
func TestWorstOfSeveral(t *testing.T) {
	a, b := shipped(t, "local-pg15.jsonl.zst"), shipped(t, "local-pg17.jsonl.zst")
	size := func(runs ...*counts.Run) sizing.Sizing {
		t.Helper()
		volumes := []catalog.Volume{volume(t, "gp3")}
		s, err := sizing.Size(sizing.Ask{Load: "wide", Tariff: tariff(t, "us-east-1"), Volumes: volumes}, runs...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, other := size(a).Target.Most, size(b).Target.Most
	if one.Writes < other.Writes == (one.WriteBytes < other.WriteBytes) {
		t.Fatal("the runs are no test: one is the worse in everything")
	}
	for _, both := range []sizing.Sizing{size(a, b), size(b, a)} {
		want := needs.Rate{
			Reads: max(one.Reads, other.Reads), Writes: max(one.Writes, other.Writes),
			Flushes:   max(one.Flushes, other.Flushes),
			ReadBytes: max(one.ReadBytes, other.ReadBytes), WriteBytes: max(one.WriteBytes, other.WriteBytes),
		}
		if diff := cmp.Diff(want, both.Target.Most); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if both.Run != a && one.WriteBytes > other.WriteBytes || both.Run != b && one.WriteBytes < other.WriteBytes {
			t.Error("the seconds are not those of the run that asks for most bytes")
		}
	}
}

// TestModelMatchesDevice: without the device, the model must come near the device's count. It was fitted to
// this run, so this only checks its arithmetic.
func TestModelMatchesDevice(t *testing.T) {
	run := shipped(t, "loads-pg17.jsonl")
	measured := needs.Of(run)
	for i := range run.Loads {
		for j := range run.Loads[i].Repetitions {
			for _, m := range []string{"block/writes", "block/flushes", "block/write_bytes"} {
				delete(run.Loads[i].Repetitions[j].Counts, m)
			}
		}
	}
	for i, n := range needs.Of(run) {
		m := measured[i]
		if n.Model == nil || m.Model != nil {
			t.Fatalf("%s: model %v", n.Load, n.Model)
		}
		for _, pair := range [][2]float64{{n.Mean.Requests(), m.Mean.Requests()}, {n.Mean.Bytes(), m.Mean.Bytes()}} {
			if off := pair[0] / pair[1]; off < 0.5 || off > 2 {
				t.Errorf("%s: model %g, device %g", n.Load, pair[0], pair[1])
			}
		}
	}
}

// TestModelIsWidened: the target is twice the highest repetition of the model, and the lower bound half of its lowest.
func TestModelIsWidened(t *testing.T) {
	run := shipped(t, "loads-pg17.jsonl")
	for i := range run.Loads {
		for j := range run.Loads[i].Repetitions {
			delete(run.Loads[i].Repetitions[j].Counts, "block/writes")
		}
	}
	ask := sizing.Ask{Load: "single", Tariff: tariff(t, "us-east-1"), Volumes: []catalog.Volume{volume(t, "gp3")}}
	s, err := sizing.Size(ask, run)
	if err != nil {
		t.Fatal(err)
	}
	if most, least := s.Target.Most.Writes, s.Target.Least.Writes; s.Basis != sizing.ByModel ||
		most < 2*s.Need.Mean.Writes || least > s.Need.Mean.Writes/2 || len(s.Warnings) != 1 {
		t.Errorf("from %g to %g around %g, %s, %q", least, most, s.Need.Mean.Writes, s.Basis, s.Warnings)
	}
}

func TestNothingToSize(t *testing.T) {
	ask := sizing.Ask{Tariff: tariff(t, "us-east-1")}
	_, err := sizing.Size(ask, shipped(t, "published-aurora.jsonl"))
	if err == nil {
		t.Error("nothing of the storage was published")
	}
	if _, err := sizing.Options(sizing.Question{}, nil, nil, sizing.Tariff{}); err != sizing.ErrNoDemand {
		t.Errorf("no demand: %v", err)
	}
}

// TestObservationTellsNoSeconds: an observation keeps one reading per window, even if two are a second apart by chance.
func TestObservationTellsNoSeconds(t *testing.T) {
	for _, n := range needs.Of(shipped(t, "observed-pg17.jsonl.zst")) {
		if n.Missing != nil || n.Mean.Writes <= 0 || n.Peaks != nil {
			t.Errorf("%s: %+v", n.Load, n)
		}
	}
}

// TestObservationIsSizedForAllLoads, which are of one server. One of them counts alone if it is requested.
func TestObservationIsSizedForAllLoads(t *testing.T) {
	run := shipped(t, "observed-pg17.jsonl.zst")
	alone := needs.Of(run)
	var want needs.Rate
	for _, n := range alone {
		want.Writes, want.WriteBytes = max(want.Writes, n.Highest.Writes), max(want.WriteBytes, n.Highest.WriteBytes)
	}
	size := func(load string) sizing.Sizing {
		t.Helper()
		s, err := sizing.Size(sizing.Ask{Load: load, GiB: 100, Tariff: tariff(t, "us-east-1")}, run)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	all := size("")
	if got := all.Target.Most; len(all.Parts) != len(alone) || got.Writes != want.Writes ||
		got.WriteBytes != want.WriteBytes {
		t.Errorf("%d of %d loads, %+v; want %g writes and %g bytes a second", len(all.Parts), len(alone), got,
			want.Writes, want.WriteBytes)
	}
	if one := size("load A"); len(one.Parts) != 1 || one.Target.Most.Writes != alone[0].Highest.Writes {
		t.Errorf("load A alone: %d parts, %+v", len(one.Parts), one.Target.Most)
	}
}

// TestOrderSaysThatAClockWasSetBack, since what was read meanwhile is in no figure.
func TestOrderSaysThatAClockWasSetBack(t *testing.T) {
	run := shipped(t, "observed-pg17.jsonl.zst")
	run.Observed.SetBack = counts.SetBack{At: run.Header.Start, By: time.Hour, Lost: 60}
	s, err := sizing.Size(sizing.Ask{GiB: 100}, run)
	const want = "The clock was set back by 1 h at 2026-11-20 13:35:04 UTC, and what was read until it had caught up " +
		"(60 readings) is left out: if it was busier then, this order is too small"
	if err != nil || !slices.Contains(s.Cautions, want) {
		t.Errorf("%v, %q lack %s", err, s.Cautions, want)
	}
}

// TestReadLoadsHaveANeed: a load that only reads has a need, even if the device wrote less under it than when
// idle. Its reads are as measured.
func TestReadLoadsHaveANeed(t *testing.T) {
	run := runOf(t, readtest.Records(t, "17", nil)...)
	reads := map[string]float64{"point-cold": 5834, "scan-warm": 0, "point-warm": 0}
	for _, need := range needs.Of(run) {
		if want, is := reads[need.Load]; is && (need.Model != nil || need.Missing != nil ||
			math.Abs(need.Mean.Reads-want) > 1+want/50) {
			t.Errorf("%s: %g reads a second, want %g; %v, %v", need.Load, need.Mean.Reads, want, need.Model,
				need.Missing)
		}
	}
}

// TestKeptColdIsNotChosen: in a default run scan-cold moves most bytes by far, but a load with its table in memory is
// sized for. Requested by name, the cold one is.
func TestKeptColdIsNotChosen(t *testing.T) {
	run := shipped(t, "default-pg17.jsonl.zst")
	for asked, want := range map[string]string{"": "wide", "scan-cold": "scan-cold"} {
		s, err := sizing.Size(sizing.Ask{Load: asked, GiB: 100, Tariff: tariff(t, "us-east-1")}, run)
		if err != nil {
			t.Fatal(err)
		}
		if left := s.LeftOut(); s.Need.Load != want || len(left) != map[bool]int{true: 2}[asked == ""] {
			t.Errorf("--load %q: sized for %s, and what is left out: %v", asked, s.Need.Load, left)
		}
	}
}
