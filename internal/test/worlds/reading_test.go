package worlds

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

func TestASeedIsAWorldThatReads(t *testing.T) {
	if diff := cmp.Diff(NewReading(1, 5).Records(), NewReading(1, 5).Records()); diff != "" {
		t.Error(diff)
	}
}

// TestReadLoadsMatchPlans: by name and by parameters, except for what depends on the server.
func TestReadLoadsMatchPlans(t *testing.T) {
	var want []runfile.Load
	for _, l := range slices.Concat(load.ReadLoads(), load.ChangeLoads()) {
		if l.Name == load.JoinCold { // worlds leave it out
			continue
		}
		l.Clients = 0
		want = append(want, l)
	}
	if diff := cmp.Diff(want, append(readPlan(), changePlan()...)); diff != "" {
		t.Error(diff)
	}
}

// TestFileMatchesReads compares each quantity in the file with the true work, and checks that every quantity is
// moved.
func TestFileMatchesReads(t *testing.T) {
	moved, compared := map[metric.Quantity]bool{}, 0
	for seed := range uint64(12) {
		w := NewReading(seed, 0)
		w.blurred, w.Visited = 0, false
		run := readWild(t, w)
		for i, r := range w.repetitions {
			load, _ := run.Load(r.load.Name)
			if r.idle() || w.lost[i] != "" {
				continue
			}
			repetition := load.Repetitions[slices.IndexFunc(load.Repetitions, func(x counts.Repetition) bool {
				return x.Number == r.repetition
			})]
			for _, d := range run.Quantities() {
				got, err := d.Count(load, repetition)
				if err != nil || d.Modelled {
					continue
				}
				moved[d.Name] = moved[d.Name] || r.done[d.Name] >= leastCount
				compared++
				rounding := float64(len(*w.course)) // a line of the load, or a part of a page, each second
				if math.Abs(got-r.done[d.Name]) > 0.01*r.done[d.Name]+3*r.besides[d.Name]+rounding {
					t.Errorf("world %d, %s %d: %s is %g, and %g was done", seed, load.Name, r.repetition, d.Name, got,
						r.done[d.Name])
				}
			}
		}
	}
	for _, d := range ofServers() {
		if !moved[d.Name] {
			t.Errorf("no load of twelve worlds moves %s", d.Name)
		}
	}
	if compared < 2000 {
		t.Errorf("only %d counts were compared", compared)
	}
}

// TestMeasuredReadsAreInRange: PostgreSQL's work for the same loads is within the range that worlds draw, in
// buffers touched, pages missed, bytes and requests of the device.
func TestMeasuredReadsAreInRange(t *testing.T) {
	real, err := tally.FromFile("../../../testdata/runs/default-pg17.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	pairs := [][2]metric.Quantity{
		{metric.BuffersTouched, metric.Statements}, {missed, metric.BuffersTouched}, {calls, missed}, {asked, missed},
		{devReads, missed}, {devRead, asked},
		{metric.WALRecords, metric.Statements}, {metric.WALBytes, metric.WALRecords},
	}
	compared := 0
	for _, name := range []string{"point-warm", "point-cold", "scan-cold", "update-indexed"} {
		load, _ := real.Load(name)
		for _, pair := range pairs {
			// by the size of the table
			if got := ratioOf(t, real, load, pair); got > 0 && !(name == "scan-cold" && pair[1] == metric.Statements) {
				low, high := drawnRatios(name, pair)
				compared++
				if got < 0.9*low || got > 1.1*high {
					t.Errorf("%s: %g %s for one of %s measured, %g to %g drawn", name, got, pair[0], pair[1], low, high)
				}
			}
		}
	}
	if compared < 20 {
		t.Errorf("only %d were compared", compared)
	}
}

func ratioOf(t *testing.T, run *counts.Run, load counts.Load, pair [2]metric.Quantity) float64 {
	t.Helper()
	sums := [2]float64{}
	for i, name := range pair {
		for _, r := range load.Repetitions {
			n, err := run.Quantity(name).Count(load, r)
			if err != nil {
				t.Fatal(err)
			}
			sums[i] += n
		}
	}
	return sums[0] / max(sums[1], 1)
}

func drawnRatios(name string, pair [2]metric.Quantity) (low, high float64) {
	low = math.Inf(1)
	for seed := range uint64(1000) {
		d := newDice(seed)
		s := d.server()
		s.memory = d.memory(Both)
		all := append(readPlan(), changePlan()...)
		a := all[slices.IndexFunc(all, func(a runfile.Load) bool { return a.Name == name })]
		if only(a.Method) {
			a.TableRows = int64(s.memory.table * s.perPage(a))
		}
		now, later := s.does(a, d.variation(), 1000, 1)
		now.add(later)
		ratio := now[pair[0]] / max(now[pair[1]], 1e-9)
		low, high = min(low, ratio), max(high, ratio)
	}
	return low, high
}
