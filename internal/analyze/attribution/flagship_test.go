package attribution_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/readtest"
)

// did holds the server's work in a repetition, by counters that a run on Aurora lacks.
type did struct {
	load    string
	reads   bool
	touched float64 // buffers
	of      func(quantity metric.Quantity) float64
}

// onAurora returns the shipped run plus read-only loads, as Aurora would show it: no WAL records, no pages, no device.
// The made-up metric counts truth, within half a percent.
func onAurora(t *testing.T, truth func(did) float64, without ...string) *counts.Run {
	t.Helper()
	run := fromFile(t, shippedRun)
	for _, load := range loaded(t, "17", nil).Loads {
		if slices.Contains([]string{"point-cold", "range-cold", "bitmap-cold", "scan-cold"}, load.Name) {
			run.Loads = append(run.Loads, load)
		}
	}
	run.Loads = slices.DeleteFunc(run.Loads, func(a counts.Load) bool { return slices.Contains(without, a.Name) })
	run.Header.Target.Flavor = "aurora"
	run.Counters = append(run.Counters, runfile.Metric{Name: made, Unit: "operations", Type: runfile.Counter})
	random := rand.New(rand.NewPCG(11, 12))
	for _, load := range run.Loads {
		for i, r := range load.Repetitions {
			touched := r.Counts["pgstat.database/blks_hit"].Raw + r.Counts["pgstat.database/blks_read"].Raw
			of := func(quantity metric.Quantity) float64 {
				d, _ := counts.Named(quantity)
				n, err := d.Count(load, r)
				if err != nil {
					return 0
				}
				return n
			}
			n := 0.0
			if !load.Idle() {
				n = truth(did{load.Name, r.Work.Returned > 0, touched, of}) * math.Exp(0.005*random.NormFloat64())
			}
			kept := maps.Clone(r.Counts)
			maps.DeleteFunc(kept, func(name string, _ counts.Count) bool {
				return strings.HasPrefix(name, "pgstat.wal/") || strings.HasPrefix(name, "block/") ||
					strings.HasPrefix(name, "pgstat.io/") ||
					strings.HasPrefix(name, "pgstat.bgwriter/") || strings.HasPrefix(name, "pgstat.checkpointer/")
			})
			kept[made] = counts.Count{Amount: n, Raw: n, Seconds: r.Seconds}
			load.Repetitions[i].Counts, load.Repetitions[i].Log = kept, nil
		}
	}
	return run
}

// TestWALRecordsAreNamedBesideReads: there is no model of WAL records for read-only loads, which make none or some per
// page touched. Loads that write decide all the same.
func TestWALRecordsAreNamedBesideReads(t *testing.T) {
	for _, perPage := range []float64{0, 0.001, 0.05, 0.8} {
		for _, factor := range []float64{1, 0.37} {
			v := judged(t, onAurora(t, func(d did) float64 {
				if d.reads {
					return factor * (40 + perPage*d.touched)
				}
				return factor * d.of(metric.WALRecords)
			}))
			if v.Kind != attribution.Logical || v.Counts != metric.WALRecords ||
				math.Abs(v.PerUnit.Value/factor-1) > 0.02 {
				t.Errorf("%g for one, %g for a page touched: %s %q %v %v: %s", factor, perPage, v.Kind, v.Counts,
					v.Between, v.Mixture, v.Why)
			}
		}
	}
	// A WAL record per page touched is possible, 30 are not.
	if v := judged(t, onAurora(t, func(d did) float64 {
		if d.reads {
			return 30 * d.touched
		}
		return d.of(metric.WALRecords)
	})); v.Counts == metric.WALRecords {
		t.Errorf("what shows 30 for each page touched is said to count WAL records: %s", v.Kind)
	}
}

// TestPhysicalIsNeverCalledLogical: if no device was recorded, device work is not taken for logical work that it
// followed in one or two loads.
func TestPhysicalIsNeverCalledLogical(t *testing.T) {
	asMany := func(d did, loads ...string) bool { return slices.Contains(loads, d.load) }
	for name, truth := range map[string]func(did) float64{
		"device requests":     func(d did) float64 { return d.of(metric.DeviceRequests) },
		"two for a WAL fsync": func(d did) float64 { return 2 * d.of(metric.WALSyncs) },
		"reads and writes": func(d did) float64 {
			return d.of(metric.DeviceRequests) + d.of(metric.DeviceReads)
		},
		"device flushes": func(d did) float64 { return d.of(metric.DeviceFlushes) },
		"as many as statements": func(d did) float64 {
			return math.Min(d.of(metric.Statements), d.of(metric.DeviceRequests))
		},
		"equal under two of all": func(d did) float64 {
			return d.of(metric.Statements) * map[bool]float64{true: 1, false: 0.3}[asMany(d, "single", "async")]
		},
	} {
		for _, without := range [][]string{nil, {"single"}, {"single", "async"}} {
			if name == "equal under two of all" && len(without) > 0 {
				continue
			}
			run := onAurora(t, truth, without...)
			exactly(run, name == "equal under two of all")
			if v := judged(t, run); v.Kind == attribution.Logical || v.Kind == attribution.Mixed {
				t.Errorf("%s, without %v: %s %q %v %v", name, without, v.Kind, v.Counts, v.Between, v.Mixture)
			}
		}
	}
}

// exactly removes the noise of a metric that equals the statements under two loads.
func exactly(run *counts.Run, wanted bool) {
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			if c := r.Counts[made]; wanted && (load.Name == "single" || load.Name == "async") {
				c.Amount, c.Raw = float64(r.Work.Statements), float64(r.Work.Statements)
				r.Counts[made] = c
			}
		}
	}
}

// TestUnitChangesNothing: a metric gets the same verdict if it is multiplied by 1,000, by 60 or by 1/8192.
func TestUnitChangesNothing(t *testing.T) {
	for name, count := range map[string]counted{
		"rows": of(metric.RowsWritten, 0.013), "a WAL write and a row": func(_ string, _ float64,
			x map[metric.Quantity]float64) float64 {
			return x[metric.RowsWritten] + 800*x[metric.WALWrites]
		},
		"few": func(_ string, _ float64, x map[metric.Quantity]float64) float64 { return x[metric.WALSyncs] / 50 },
		"a seldom one": func(load string, _ float64, _ map[metric.Quantity]float64) float64 {
			return map[string]float64{"bulk": 1.2, "copy": 2.4, "wide": 3.3}[load]
		},
	} {
		said := func(unit float64) attribution.Verdict {
			run := with(t, count)
			for _, load := range run.Loads {
				for _, r := range load.Repetitions {
					c := r.Counts[made]
					c.Raw = unit * math.Round(c.Raw)
					c.Amount = c.Raw
					r.Counts[made] = c
				}
			}
			return judged(t, run)
		}
		want := said(1)
		for _, unit := range []float64{1000, 60, 1. / 8192, 4096, 0.001} {
			v := said(unit)
			if v.Kind != want.Kind || v.Counts != want.Counts || !slices.Equal(v.Between, want.Between) ||
				(v.Mixture == nil) != (want.Mixture == nil) {
				t.Errorf("%s, %g for one: %s %q %v, else %s %q %v", name, unit, v.Kind, v.Counts, v.Between, want.Kind,
					want.Counts, want.Between)
			}
		}
	}
}

// TestTraceOfAnotherQuantityIsNotMixed: a few percent of other work under some loads keep a quantity within the
// tolerance, so the verdict is not MIXED.
func TestTraceOfAnotherQuantityIsNotMixed(t *testing.T) {
	for _, part := range []float64{0.02, 0.05} {
		v := judged(t, with(t, func(load string, _ float64, x map[metric.Quantity]float64) float64 {
			if load == "copy" || load == "wide" || load == "multi" {
				return (1 - part) * x[metric.RowsWritten]
			}
			return x[metric.RowsWritten]
		}))
		if v.Kind == attribution.Mixed {
			t.Errorf("%g%% off under three loads: %s of %v", 100*part, v.Kind, v.Mixture)
		}
	}
	// The larger of two quantities is neither of them, nor their sum.
	v := judged(t, with(t, func(_ string, _ float64, x map[metric.Quantity]float64) float64 {
		return math.Max(x[metric.DeviceRequests], x[metric.DeviceBytes]/262144)
	}))
	if v.Kind == attribution.Mixed || v.Kind == attribution.Logical {
		t.Errorf("the larger of requests and bytes: %s %q %v", v.Kind, v.Counts, v.Mixture)
	}
}

// TestTraceOfBuffersIsNoSum reproduces a run on a real server: a metric of buffers touched, 3% more under two
// loads, was called a sum with pages missed.
func TestTraceOfBuffersIsNoSum(t *testing.T) {
	run := loaded(t, "17", map[string]func(readtest.Load) float64{made: func(l readtest.Load) float64 {
		return (l.Hits+l.Misses)*map[string]float64{"point-cold": 1.03, "scan-cold": 1.03}[l.Load] + map[bool]float64{
			true: 0, false: l.Hits + l.Misses}[l.Load == "point-cold" || l.Load == "scan-cold"]
	}})
	v := judged(t, run)
	named := []metric.Quantity{v.Counts}
	if v.Mixture != nil {
		named = nil
		for _, term := range v.Mixture.Terms {
			named = append(named, term.Quantity)
		}
	}
	if v.Kind != attribution.Logical || !slices.Equal(named, []metric.Quantity{metric.BuffersTouched}) {
		t.Errorf("%s %q between %v: %s", v.Kind, named, v.Between, v.Why)
	}
}
