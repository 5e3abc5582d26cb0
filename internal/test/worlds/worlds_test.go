package worlds

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

func TestASeedIsAWorld(t *testing.T) {
	same := New(1, Full, 5).Records()
	if diff := cmp.Diff(same, New(1, Full, 5).Records()); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(same[5:], New(2, Full, 5).Records()[5:]) {
		t.Error("two seeds give one world")
	}
}

// TestLoadsMatchPlan because figures are about the plan that people run.
func TestLoadsMatchPlan(t *testing.T) {
	loads := New(1, Full, 0).plan.Loads
	want := append([]runfile.Load{{Name: "idle"}}, load.Loads()...)
	if diff := cmp.Diff(want, loads); diff != "" {
		t.Error(diff)
	}
}

// read returns a world as a method reads it: from its file.
func read(t *testing.T, w World) *counts.Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	file, err := runfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range w.Records() {
		if err := file.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := tally.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestFileMatchesWork compares quantities in the file with the true work.
func TestFileMatchesWork(t *testing.T) {
	w := New(3, Full, 3)
	w.blurred, w.remote = 0, false
	run := read(t, w)
	if len(run.Notes) > 0 {
		t.Errorf("the file has defects: %v", run.Notes)
	}
	compared := 0
	for i, r := range w.repetitions {
		load, _ := run.Load(r.load.Name)
		if r.idle() || w.lost[i] != "" {
			continue
		}
		repetition := load.Repetitions[r.repetition-1]
		for _, d := range counts.OfInserts() {
			got, err := d.Count(load, repetition)
			background := 0.5 * r.besides[d.Name] // it varies between repetitions
			if err != nil || math.Abs(got-r.done[d.Name]) > background+1 {
				t.Errorf("%s %d: %s is %g (%v), and %g was done", load.Name, r.repetition, d.Name, got, err,
					r.done[d.Name])
			}
			compared++
		}
	}
	if compared < 200 {
		t.Errorf("only %d counts were compared", compared)
	}
}

// TestWorldsResembleMeasuredRun: the median of many worlds is near the run that they were modelled on, row by row.
func TestWorldsResembleMeasuredRun(t *testing.T) {
	real, err := tally.FromFile("../../../testdata/runs/loads-pg17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string][]float64{}
	for seed := range uint64(200) {
		for _, r := range New(seed, Full, 0).repetitions {
			for _, d := range counts.OfInserts() {
				made[r.load.Name+" "+string(d.Name)] = append(made[r.load.Name+" "+string(d.Name)], r.done[d.Name]/r.done[metric.RowsWritten])
			}
		}
	}
	for _, load := range real.Loads {
		for _, d := range counts.OfInserts() {
			if load.Idle() || load.Name == "multi" && d.Name == metric.WALSyncs {
				continue
			}
			values := made[load.Name+" "+string(d.Name)]
			slices.Sort(values)
			low, high := values[len(values)/20], values[len(values)*19/20]
			if got := perRow(t, load, d); got < 0.97*low || got > 1.03*high {
				t.Errorf("%s in %s: %g a row measured, %g to %g in nine worlds of ten", d.Name, load.Name,
					got, low, high)
			}
		}
	}
}

func perRow(t *testing.T, load counts.Load, d counts.Quantity) float64 {
	t.Helper()
	count, rows := 0.0, 0.0
	for _, r := range load.Repetitions {
		n, err := d.Count(load, r)
		if err != nil {
			t.Fatal(err)
		}
		count, rows = count+n, rows+float64(r.Work.Rows)
	}
	return count / rows
}

// TestMetersKeepTheirRule: an exact, undisturbed meter shows in the file what its rule gives for the work.
func TestMetersKeepTheirRule(t *testing.T) {
	compared, kinds := map[Sort]int{}, map[runfile.MetricType]int{}
	for seed := range uint64(20) {
		w := New(seed, Full, 20)
		run := read(t, w)
		for _, m := range w.Meters {
			if m.Noise > 0 || m.Disturbed != "" || m.Rule.Sort == Unrelated {
				continue
			}
			for i, r := range w.repetitions {
				load, _ := run.Load(r.load.Name)
				got, err := load.Repetitions[r.repetition-1].Count(m.Name)
				if missing := m.missing[i]; missing != (err != nil) {
					t.Errorf("world %d %s in %s %d: missing is %v, got %v", seed, m.Name, r.load.Name, r.repetition,
						missing, err)
				}
				want := m.Rule.of(r.done)
				kinds[m.kind]++
				if err == nil && !r.idle() && math.Abs(got-want) > 0.05*want+0.3*m.Rule.of(r.besides)+10 {
					t.Errorf("world %d %s in %s %d: %g, want about %g", seed, m.Name, r.load.Name,
						r.repetition, got, want)
				}
				compared[m.Rule.Sort]++
			}
		}
	}
	for _, sort := range []Sort{Single, Mixture, Silent} {
		if compared[sort] < 20 {
			t.Errorf("of %s only %d repetitions were compared", sort, compared[sort])
		}
	}
	if len(kinds) != 3 {
		t.Errorf("only meters of these types were compared: %v", kinds)
	}
}

// TestEveryRuleIsDrawn: each quantity alone, each pair, and the two sorts without any.
func TestEveryRuleIsDrawn(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(100) {
		for _, m := range New(seed, Full, 50).Meters {
			var names []string
			share := 0.0
			for _, term := range m.Rule.Terms {
				names, share = append(names, string(term.Quantity)), share+term.Share
			}
			slices.Sort(names)
			if len(names) > 0 && math.Abs(share-1) > 1e-9 {
				t.Errorf("shares of %v sum to %g", m.Rule.Terms, share)
			}
			seen[strings.Join(append(names, string(m.Rule.Sort)), " ")]++
		}
	}
	n := len(counts.OfInserts())
	if want := n + n*(n-1)/2 + 2; len(seen) != want {
		t.Errorf("%d rules were drawn, of %d", len(seen), want)
	}
}

func TestNothingInTheFileTellsTheRules(t *testing.T) {
	a, b := New(7, Full, 30), New(8, Full, 30)
	plain := func(w World) (all []runfile.Metric) {
		for _, m := range w.metrics() {
			m.Type, m.Period = "", 0 // drawn apart from the rule
			all = append(all, m)
		}
		return all
	}
	if diff := cmp.Diff(plain(a), plain(b)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a.header().Plan.Loads, b.header().Plan.Loads); diff != "" {
		t.Error(diff)
	}
}

func TestAlike(t *testing.T) {
	w := New(1, Full, 0)
	meter := func(noise float64, terms ...Term) Meter {
		return Meter{Rule: Rule{Sort: Single, Terms: terms}, Noise: noise, missing: make([]bool, len(w.repetitions))}
	}
	rows := Term{Quantity: metric.RowsWritten, PerUnit: 3, Share: 1}
	check := func(m Meter, quantity metric.Quantity, want bool) {
		t.Helper()
		if got := w.Alike(m, quantity); got != want {
			t.Errorf("%v and %s with noise %g: alike is %v", m.Rule.Terms, quantity, m.Noise, got)
		}
		if w.Parted(m, quantity) == want { // none of these is in between
			t.Errorf("%v and %s with noise %g: parted is %v", m.Rule.Terms, quantity, m.Noise, want)
		}
	}
	check(meter(0.10, rows), metric.RowsWritten, true)
	check(meter(0.10, rows), metric.Entries, false)
	check(meter(0.10, rows), metric.WALRecords, false)
	check(meter(10, rows), metric.Entries, true)
	// A trace of something else is within the tolerance: one more row in a thousand.
	check(meter(0.01, rows, Term{Quantity: metric.Commits, PerUnit: 0.003, Share: 0.001}), metric.RowsWritten, true)
	check(meter(0.01, rows, Term{Quantity: metric.Commits, PerUnit: 3, Share: 0.3}), metric.RowsWritten, false)
	blind := meter(0.01, rows)
	for i, r := range w.repetitions {
		blind.missing[i] = r.load.Name != "bulk"
	}
	check(blind, metric.DeviceBytes, true) // one load separates nothing
}

// TestPowerOfFound simulates the test behind found, at the noncentrality from which on it is true.
func TestPowerOfFound(t *testing.T) {
	d := newDice(1)
	squares := func(freedom int, shift float64) float64 {
		sum := 0.0
		for i := range freedom {
			x := d.NormFloat64()
			if i == 0 {
				x += shift
			}
			sum += x * x
		}
		return sum
	}
	for _, freedom := range []int{1, 2, 7} {
		const plays = 40000
		var null []float64
		for range plays {
			null = append(null, squares(freedom, 0))
		}
		slices.Sort(null)
		critical := null[plays*99/100]
		for power, within := range map[float64][2]float64{usually: {0.87, 0.94}, always: {0.997, 1}} {
			edge, hits := 0.0, 0
			for !found(edge, float64(freedom), power) {
				edge += 0.1
			}
			for range plays {
				if squares(freedom, math.Sqrt(edge)) > critical {
					hits++
				}
			}
			if share := float64(hits) / plays; share < within[0] || share > within[1] {
				t.Errorf("%d degrees of freedom, noncentrality %.1f: found in %.4f of plays, not in %v", freedom, edge,
					share, within)
			}
		}
	}
}

func TestWhatIsNotRecordedIsMissing(t *testing.T) {
	w := New(3, Full, 0)
	w.remote = true
	run := read(t, w)
	load, _ := run.Load("bulk")
	for _, d := range counts.OfInserts() {
		if _, err := d.Count(load, load.Repetitions[0]); (err == nil) != w.Recorded(d.Name) {
			t.Errorf("%s: recorded %v, %v", d.Name, w.Recorded(d.Name), err)
		}
	}
}

func TestTwoLoads(t *testing.T) {
	run := read(t, New(1, TwoLoads, 2))
	var names []string
	for _, a := range run.Loads {
		names = append(names, a.Name)
	}
	if diff := cmp.Diff([]string{"idle", "bulk", "bulk-indexed"}, names); diff != "" {
		t.Error(diff)
	}
}
