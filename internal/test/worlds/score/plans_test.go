package score

import (
	"fmt"
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

// userPlans returns the plans that ship, and those that once lost the verdict.
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
	writing.Loads = slices.DeleteFunc(slices.Clone(writing.Loads), func(a runfile.Load) bool {
		return load.Reads(a.Method) || a.Name == "async"
	})
	for _, p := range []worlds.Plan{
		with(cloud), with(writing), with(writing, load.JoinCold), with(writing, "single", "async"),
		with(cloud, "single"),
	} {
		all = append(all, p)
		for _, tidying := range []float64{1e-4, 1e-3, 0.05, 0.5} {
			all = append(all, worlds.Plan{Plan: p.Plan, Aurora: true, Background: 7.66, Tidying: tidying})
		}
	}
	for _, p := range []runfile.Plan{experiment.Published(), experiment.Reads(), experiment.Default(),
		experiment.Identify(), experiment.Updates(), experiment.Everything()} {
		all = append(all, worlds.Plan{Plan: complete(p)}, worlds.Plan{Plan: complete(p), Background: 7.66})
	}
	for _, p := range []runfile.Plan{experiment.Published(), experiment.Reads()} {
		all = append(all, worlds.Plan{Plan: complete(p), Aurora: true}, worlds.Plan{Plan: complete(p), Aurora: true,
			Background: 7.66, Tidying: 1e-3})
	}
	return all
}

// TestFlagship checks the flagship rules in every plan: meters of WAL records, rows, entries, WAL bytes or pages missed
// are named, and storage work is never called logical.
func TestFlagship(t *testing.T) {
	t.Parallel()
	const draws = 1
	right, wanted := 0, 0
	for i, p := range userPlans() {
		for seed := range uint64(draws) {
			cases, err := Flagship(byTheMethod, 77_000+seed+100*uint64(i), p)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				what := fmt.Sprintf("plan %s (%d), aurora %t, background %g, tidying %g, %s", p.Name, len(p.Loads),
					p.Aurora, p.Background, p.Tidying, c.Meter.Name)
				if c.called() || c.contradicted() {
					t.Errorf("%s: %s, but %s", what, c.said(), c.Wrong())
				}
				if !c.mustName(p) {
					continue
				}
				wanted++
				if !rightlyNamed(c) {
					t.Errorf("%s: %s %s %v %+v: %s", what, c.Verdict.Kind, c.Verdict.Counts, c.Verdict.Between,
						c.Verdict.Mixture, c.Verdict.Why)
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

// TestFewIdleRepetitions: three idle repetitions happened to be similar, so that a count or two of a background of 7.66
// a second seemed to contradict the truth, and to support logical work.
func TestFewIdleRepetitions(t *testing.T) {
	t.Parallel()
	for meter, w := range map[string]worlds.World{
		"meter/missed": worlds.NewOf(27, worlds.Plan{Plan: complete(experiment.Updates()), Background: 7.66,
			Tidying: 0.05}, flagship()),
		"meter/some": worlds.NewOf(49, worlds.Plan{Plan: complete(experiment.Reads())}, flagship()),
	} {
		cases, err := Judged(byTheMethod, w, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			logical := c.term().Side == counts.Logical
			if c.Meter.Name == meter && (c.called() || logical && c.contradicted()) {
				t.Errorf("%s: %s, but %s", truth(c.Meter), c.said(), c.Wrong())
			}
		}
	}
}

// TestOwnBackgroundIsNoEvidence: a metric with its own background keeps, with nothing taken off, no ratio to what
// it counts, and may keep one to something with a similarly steady background. In one world WAL fsyncs followed
// flushes, in another few loads read pages; in the last two, pages missed followed the bytes that others read.
func TestOwnBackgroundIsNoEvidence(t *testing.T) {
	method := func(run *counts.Run) attribution.Verdicts { return attribution.Judge(run, attribution.Options{}) }
	all := shipped()
	for seed, of := range map[uint64]struct {
		plan  int
		named string
	}{41: {10, "meter/syncs"}, 27: {26, "meter/missed"}, 818538848: {25, ""}, 818539087: {26, ""}} {
		cases, err := Flagship(method, seed, all[of.plan])
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.contradicted() || c.Meter.Name == of.named && !slices.Contains(c.single(), c.term().Quantity) {
				t.Errorf("world %d: %s\n  said: %s", seed, truth(c.Meter), c.said())
			}
		}
	}
}

// TestOtherSideStaysOpen: worlds in which storage work was called logical, or WAL records physical. Half as many
// fsyncs as commits make two per fsync equal to the commits; rarely missed pages, lost in their background, follow the
// lookups that miss them; and the uncounted WAL records of loads that only read follow its bytes.
func TestOtherSideStaysOpen(t *testing.T) {
	t.Parallel()
	for seed, p := range map[uint64]worlds.Plan{
		2297882099: {Plan: experiment.Published()},
		2297881261: {Plan: experiment.Published(), Background: 7.66, Tidying: 0.05},
		2297882191: {Plan: experiment.Published(), Background: 7.66, Tidying: 0.05},
		2297881367: {Plan: experiment.Reads(), Aurora: true},
		2297880950: {Plan: experiment.Updates()},
	} {
		p.Plan = complete(p.Plan)
		cases, err := Flagship(byTheMethod, seed, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.called() || c.contradicted() {
				t.Errorf("%s, world %d: %s\n  said: %s", p.Name, seed, truth(c.Meter), c.said())
			}
		}
	}
}

// TestFsyncsOfSingleClient: each of its commits is an fsync, which nobody counts on Aurora. Loads that update do not
// bound their number, which is no reason to leave them out.
func TestFsyncsOfSingleClient(t *testing.T) {
	t.Parallel()
	p := complete(experiment.Updates())
	p.Loads = slices.DeleteFunc(p.Loads, func(a runfile.Load) bool { return a.Name == "bulk" || a.Name == "single" })
	for i := range p.Loads {
		p.Loads[i].Clients = 1
	}
	rules := map[string]worlds.Rule{"meter/syncs": {Sort: worlds.Single, Terms: []worlds.Term{
		{Quantity: metric.WALSyncs, Side: counts.Physical, PerUnit: 1}}}}
	for seed := range uint64(10) {
		cases, err := Judged(byTheMethod, worlds.NewOf(seed, worlds.Plan{Plan: p, Aurora: true}, rules), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.called() {
				t.Errorf("world %d: %s\n  said: %s", seed, truth(c.Meter), c.said())
			}
		}
	}
}

// TestAFewLoads: whatever few loads somebody chooses, with one client or more, storage work is not called logical.
func TestAFewLoads(t *testing.T) {
	t.Parallel()
	judged := 0
	for i, p := range shipped() {
		if p.Name != some {
			continue
		}
		for k := range uint64(5) {
			seed := 100*k + uint64(i) //nolint:gosec // small
			plan := chosen(p, seed)
			cases, err := Flagship(byTheMethod, seed, plan)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				judged++
				if c.called() {
					t.Errorf("world %d, aurora %t: %s\n  said: %s", seed, p.Aurora, truth(c.Meter), c.said())
				}
			}
		}
	}
	if judged < 200 {
		t.Errorf("%d were judged", judged)
	}
}

// TestTwoLoadsProveNothing: under the two loads that write, pages written were 0.935 and 0.997 times 0.37 WAL records;
// under the two that read nearly all requests were reads; and 0.31 rows were 0.97 and 0.99 times the WAL fsyncs.
func TestTwoLoadsProveNothing(t *testing.T) {
	t.Parallel()
	p := shipped()[len(shipped())-4]
	for _, seed := range []uint64{777000175, 777000583, 818539329} {
		cases, err := Flagship(byTheMethod, seed, chosen(p, seed))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.contradicted() {
				t.Errorf("world %d: %s\n  said: %s", seed, truth(c.Meter), c.said())
			}
		}
	}
}

// TestFewEventsExcludeNothing: under loads that only read, four or five flushes each were called bytes written,
// which hardly differ between loads and are counted by the thousand.
func TestFewEventsExcludeNothing(t *testing.T) {
	t.Parallel()
	cases, err := Flagship(byTheMethod, 2753534565, worlds.Plan{Plan: complete(experiment.Reads())})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.contradicted() || c.Meter.Name == "meter/missed" && !rightlyNamed(c) {
			t.Errorf("%s\n  said: %s", truth(c.Meter), c.said())
		}
	}
}
