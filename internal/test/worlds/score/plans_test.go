package score

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/worlds"
)

// flagship are the rules that the program is for: what WriteIOPS, VolumeWriteIOPs, blks_read and flushes may count.
func flagship() map[string]worlds.Rule {
	const volume = 0.33 / 4096 // billed writes for a byte of the WAL
	rule := func(perUnit float64, quantities ...string) worlds.Rule {
		r := worlds.Rule{Sort: worlds.Single}
		for _, q := range quantities {
			r.Terms = append(r.Terms, worlds.Term{Quantity: q, Side: counts.Side(metric.Quantity(q).Side()), PerUnit: perUnit})
		}
		if len(quantities) > 1 {
			r.Sort = worlds.Mixture
		}
		return r
	}
	return map[string]worlds.Rule{
		"meter/records": rule(1, counts.WALRecords), "meter/some": rule(0.37, counts.WALRecords), "meter/third": rule(0.31, counts.Rows),
		"meter/rows": rule(1, counts.Rows), "meter/entries": rule(1, counts.Entries),
		"meter/volume": rule(volume, counts.WALBytes), "meter/missed": rule(1, string(metric.PagesMissed)),
		"meter/writes": rule(1, counts.DeviceRequests), "meter/flushes": rule(1, counts.DeviceFlushes), "meter/syncs": rule(2, counts.WALSyncs),
		"meter/io": rule(1, counts.DeviceRequests, string(metric.DeviceReads)),
	}
}

// named tells whether a plan must name what a rule counts: its loads move that, and the run records it or models it, as the WAL's records.
func named(w worlds.World, r worlds.Rule) bool {
	quantity := r.Terms[0].Quantity
	return len(r.Terms) == 1 && (w.Recorded(quantity) || quantity == counts.WALRecords) && w.Tells(r)
}

// userPlans are the plans that ship, and those that were found to lose the verdict.
func userPlans() (all []worlds.Plan) {
	with := func(p runfile.Plan, names ...string) worlds.Plan {
		for _, a := range slices.Concat(load.Loads(), load.ReadLoads()) {
			if slices.Contains(names, a.Name) {
				p.Loads = append(p.Loads, a)
			}
		}
		return worlds.Plan{Plan: p, Aurora: true}
	}
	cloud, writing := experiment.Cloud(), experiment.Cloud()
	writing.Loads = slices.DeleteFunc(slices.Clone(writing.Loads), func(a runfile.Load) bool { return load.Reads(a.Method) || a.Name == "async" })
	for _, p := range []worlds.Plan{
		with(cloud), with(writing), with(writing, load.JoinCold), with(writing, "single", "async"), with(cloud, "single"),
	} {
		all = append(all, p)
		for _, tidying := range []float64{1e-4, 1e-3, 0.05, 0.5} {
			all = append(all, worlds.Plan{Plan: p.Plan, Aurora: true, Background: 7.66, Tidying: tidying})
		}
	}
	for _, p := range []runfile.Plan{experiment.Default(), experiment.Identify(), experiment.Updates(), experiment.Everything()} {
		all = append(all, worlds.Plan{Plan: p}, worlds.Plan{Plan: p, Background: 7.66})
	}
	return all
}

// TestFlagship holds what the program is for in every plan: what counts WAL records, rows, entries, WAL bytes or pages missed is named, and what
// storage does is never called logical.
func TestFlagship(t *testing.T) {
	t.Parallel()
	const draws = 1
	right, wanted := 0, 0
	for i, p := range userPlans() {
		for seed := range uint64(draws) {
			cases, err := Judged(byTheMethod, worlds.NewOf(77_000+seed+100*uint64(i), p, flagship()), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				what := fmt.Sprintf("plan %s (%d), aurora %t, background %g, tidying %g, %s", p.Name, len(p.Loads), p.Aurora, p.Background, p.Tidying, c.Meter.Name)
				physical := !slices.ContainsFunc(c.Meter.Rule.Terms, func(t worlds.Term) bool { return t.Side == counts.Logical })
				if k := c.Verdict.Kind; physical && (k == attribution.Logical || k == attribution.Mixed) {
					t.Errorf("%s: %s %s %v %v", what, k, c.Verdict.Counts, c.Verdict.Between, c.Verdict.Mixture)
				}
				if !named(c.World, c.Meter.Rule) {
					continue
				}
				wanted++
				if !nameOf(c) {
					t.Errorf("%s: %s %s %v %+v: %s", what, c.Verdict.Kind, c.Verdict.Counts, c.Verdict.Between, c.Verdict.Mixture, c.Verdict.Why)
				} else {
					right++
				}
			}
		}
	}
	t.Logf("%d of %d named", right, wanted)
	if wanted < 100 {
		t.Errorf("only %d were to be named", wanted)
	}
}

// nameOf tells whether the quantity was named, alone or as the world has it tied, with its ratio.
func nameOf(c Case) bool {
	v, term := c.Verdict, c.term()
	if quantity := counts.WALBytes; term.Quantity == quantity && !c.World.Recorded(counts.WALWrites) {
		return v.Kind == attribution.Physical && (v.Counts == quantity || slices.Contains(v.Between, quantity)) // beside what storage does for it, unseen
	}
	if v.Kind == attribution.CannotTell || !c.named() {
		return false
	}
	return v.PerUnit == nil || math.Abs(v.PerUnit.Value/term.PerUnit-1) < 0.05
}
