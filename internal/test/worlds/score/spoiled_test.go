package score

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/view"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/worlds"
)

// spoiling is something that can go wrong with a run, or with its writer.
type spoiling struct {
	name string
	// open: nothing can be concluded from such a run except that a metric does not move.
	open  bool
	spoil func([]runfile.Record) []runfile.Record
}

// unfounded is the spoiling with its own warning: every count includes the background.
const unfounded = "no idle load"

func spoilings() []spoiling {
	return []spoiling{
		{"as it is", false, func(all []runfile.Record) []runfile.Record { return all }},
		{"one load", true, only("bulk")},
		{"one load and idle", true, only("bulk", "idle")},
		{"idle loads alone", true, only("idle")},
		{"no loads at all", true, only()},
		{unfounded, false, only("bulk", "bulk-indexed", "copy", "copy-indexed", "single", "async", "multi", "wide")},
		{"repetitions of one", false, each(func(r runfile.Record) bool { return repetitionOf(r) <= 1 })},
		{"no load recorded", true, each(func(r runfile.Record) bool { return r.Kind() != runfile.KindWork })},
		{"nothing read", true, each(func(r runfile.Record) bool {
			return r.Kind() != runfile.KindRead && r.Kind() != runfile.KindPeriod
		})},
		{"cut off in the middle", false, func(all []runfile.Record) []runfile.Record { return all[:len(all)/2] }},
		{"loads with zero rows", false, changed(idleLoads("copy", "single"))},
		{"all loads with zero rows", false,
			changed(idleLoads("bulk", "bulk-indexed", "copy", "copy-indexed", "single", "async", "multi", "wide"))},
		{"counters that fall", false, readings(func(i int, v float64) float64 { return v * float64(1+i%3) })},
		{"counters below zero", false, readings(func(_ int, v float64) float64 { return v - 1e12 })},
		{"counters that only fall", true, readings(func(i int, v float64) float64 { return 1e15 - v })},
		{"counters beyond all bounds", false, readings(func(i int, v float64) float64 { return v * 1e290 })},
		{"rates below zero", false, changed(negativePeriods)},
		{"a clock set back", false, stepped(-time.Hour)},
		{"a clock set ahead", false, stepped(time.Hour)},
		{"a clock that runs backwards", true, backwards},
		{"loads run twice", true, twice},
		{"overlapping loads", true, changed(neverending)},
		{"contradictory metrics", false, contradictory},
		{"metrics of absurd types", true, changed(absurd)},
		{"a load planned twice", false, changed(plannedTwice)},
	}
}

// TestSpoiledRunsDegrade: defects make a verdict open, with the reason, and never wrong. If they remove the loads that
// separate two quantities, one term of a mixture may rarely be taken for the other.
func TestSpoiledRunsDegrade(t *testing.T) {
	judged, confused := 0, 0
	for _, s := range spoilings() {
		for _, design := range []worlds.Design{worlds.Full, worlds.TwoLoads} {
			world := worlds.New(5, design, 12)
			said := judgeSpoiled(t, s, world)
			for _, m := range world.Meters {
				c := Case{World: world, Meter: m, Verdict: said[m.Name]}
				judged++
				switch why := c.Wrong(); {
				case s.open && (c.Verdict.Why == "" || c.stated() && c.Verdict.Kind != attribution.Silent):
					t.Errorf("%s, %s %s: nothing can be told, and it is %s", s.name, design, m.Name, c.said())
				case why == "" || m.Disturbed != "" || m.Noise >= 0.10:
				case m.Rule.Sort == worlds.Mixture && c.Verdict.Mixture != nil:
					confused++
				default:
					t.Errorf("%s, %s %s: %s\n  true: %s\n  said: %s", s.name, design, m.Name, why, truth(m), c.said())
				}
			}
		}
	}
	if confused*100 > judged {
		t.Errorf("of %d meters %d are said to count a term that they do not", judged, confused)
	}
}

// TestConstantCountersAreSilent: counters that do not move are only ever called silent.
func TestConstantCountersAreSilent(t *testing.T) {
	world := worlds.New(5, worlds.Full, 20)
	still := spoiling{"counters that stand still", false, readings(func(int, float64) float64 { return 7 })}
	for name, v := range judgeSpoiled(t, still, world) {
		if v.Kind != attribution.Silent && v.Kind != attribution.CannotTell || v.Why == "" {
			t.Errorf("%s: %s because %q", name, v.Kind, v.Why)
		}
	}
}

// judgeSpoiled judges and reports a spoiled run, and returns the verdict on each meter.
func judgeSpoiled(t *testing.T, s spoiling, world worlds.World) map[string]attribution.Verdict {
	t.Helper()
	path := t.TempDir() + "/run.jsonl"
	if err := save(path, s.spoil(world.Records())); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	run, err := read(path)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	all := attribution.Judge(run, attribution.Options{})
	if s.name == unfounded && !slices.ContainsFunc(all.Warnings, func(w attribution.Warning) bool {
		return w.Code == "no-idle"
	}) {
		t.Errorf("%s: nothing warns of it: %v", s.name, all.Warnings)
	}
	rendered := report.New(run, all)
	if err := errors.Join(document.Text(io.Discard, report.Document(run, rendered, nil, nil), 80),
		view.JSON(io.Discard, rendered)); err != nil {
		t.Errorf("%s: %v", s.name, err)
	}
	said := map[string]attribution.Verdict{}
	for _, v := range all.Metrics {
		said[v.Metric.Name] = v
	}
	for _, m := range world.Meters {
		if _, found := said[m.Name]; !found {
			said[m.Name] = attribution.Verdict{Kind: attribution.CannotTell, Why: "it is not in the run"}
		}
	}
	return said
}

// TestAnythingIsJudged: records in any order, some lost, some twice, some changed at random, give a report and no
// panic.
func TestAnythingIsJudged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	ways := spoilings()
	for seed := range uint64(15) {
		world := worlds.New(seed, worlds.TwoLoads, 5)
		records := world.Records()
		for range 1 + random.IntN(3) {
			records = ways[random.IntN(len(ways))].spoil(records)
		}
		body := records[1:]
		for range random.IntN(20) {
			i, j := random.IntN(len(body)), random.IntN(len(body))
			body[i], body[j] = body[j], body[i]
		}
		for range random.IntN(10) {
			i := random.IntN(len(body))
			body = append(body[:i:i], body[i+random.IntN(2):]...)
		}
		judgeSpoiled(t, spoiling{"anything", false, func([]runfile.Record) []runfile.Record {
			return append(records[:1:1], body...)
		}}, world)
	}
}

// each keeps the records for which a condition holds.
func each(keep func(runfile.Record) bool) func([]runfile.Record) []runfile.Record {
	return func(all []runfile.Record) (kept []runfile.Record) {
		for _, r := range all {
			if keep(r) {
				kept = append(kept, r)
			}
		}
		return kept
	}
}

// changed replaces each record.
func changed(to func(runfile.Record) runfile.Record) func([]runfile.Record) []runfile.Record {
	return func(all []runfile.Record) []runfile.Record {
		for i, r := range all {
			all[i] = to(r)
		}
		return all
	}
}

func repetitionOf(r runfile.Record) int {
	switch r := r.(type) {
	case runfile.LoadEvent:
		return r.Repetition
	case runfile.Work:
		return r.Repetition
	}
	return 0
}

func loadOf(r runfile.Record) string {
	switch r := r.(type) {
	case runfile.LoadEvent:
		return r.Load
	case runfile.Work:
		return r.Load
	}
	return ""
}

// only keeps these loads, in the plan as well.
func only(loads ...string) func([]runfile.Record) []runfile.Record {
	kept := map[string]bool{"": true}
	for _, a := range loads {
		kept[a] = true
	}
	return func(all []runfile.Record) []runfile.Record {
		all = each(func(r runfile.Record) bool { return kept[loadOf(r)] })(all)
		run := all[0].(runfile.Run)
		planned := run.Plan.Loads
		run.Plan.Loads = nil
		for _, a := range planned {
			if kept[a.Name] {
				run.Plan.Loads = append(run.Plan.Loads, a)
			}
		}
		all[0] = run
		return all
	}
}

// idleLoads turns these loads into idle ones.
func idleLoads(loads ...string) func(runfile.Record) runfile.Record {
	return func(r runfile.Record) runfile.Record {
		if l, isLoad := r.(runfile.Work); isLoad {
			for _, a := range loads {
				if l.Load == a {
					l.Transactions, l.Statements, l.Rows = 0, 0, 0
				}
			}
			return l
		}
		return r
	}
}

// readings changes the i-th reading.
func readings(to func(i int, value float64) float64) func([]runfile.Record) []runfile.Record {
	return func(all []runfile.Record) []runfile.Record {
		n := 0
		return changed(func(r runfile.Record) runfile.Record {
			reading, isReading := r.(runfile.Reading)
			if !isReading {
				return dropPeriod(r)
			}
			values := map[string]float64{}
			for metric, value := range reading.Values {
				values[metric] = to(n, value)
			}
			n++
			reading.Values = values
			return reading
		})(all)
	}
}

// dropPeriod gives periods another statistic, so that only counters have amounts.
func dropPeriod(r runfile.Record) runfile.Record {
	if p, isPeriod := r.(runfile.Period); isPeriod {
		p.Statistic = "Maximum"
		return p
	}
	return r
}

func negativePeriods(r runfile.Record) runfile.Record {
	if p, isPeriod := r.(runfile.Period); isPeriod {
		p.Value = -p.Value
		return p
	}
	return r
}

// stepped sets the clock in the middle of the file.
func stepped(by time.Duration) func([]runfile.Record) []runfile.Record {
	return func(all []runfile.Record) []runfile.Record {
		for i := len(all) / 2; i < len(all); i++ {
			all[i] = moved(all[i], func(t time.Time) time.Time { return t.Add(by) })
		}
		return all
	}
}

func backwards(all []runfile.Record) []runfile.Record {
	start := all[0].(runfile.Run).Start
	return changed(func(r runfile.Record) runfile.Record {
		return moved(r, func(t time.Time) time.Time { return start.Add(-t.Sub(start)) })
	})(all)
}

func moved(r runfile.Record, to func(time.Time) time.Time) runfile.Record {
	switch r := r.(type) {
	case runfile.LoadEvent:
		r.At = to(r.At)
		return r
	case runfile.Reading:
		r.At = to(r.At)
		return r
	case runfile.Gap:
		r.At = to(r.At)
		return r
	case runfile.Work:
		r.From, r.To = to(r.From), to(r.To)
		return r
	case runfile.Period:
		r.From, r.To = to(r.From), to(r.To)
		return r
	}
	return r
}

// twice repeats every event a little later.
func twice(all []runfile.Record) (doubled []runfile.Record) {
	for _, r := range all {
		doubled = append(doubled, r)
		if r.Kind() == runfile.KindLoad {
			doubled = append(doubled, moved(r, func(t time.Time) time.Time { return t.Add(time.Millisecond) }))
		}
	}
	return doubled
}

// neverending ends each load long after the next ones began.
func neverending(r runfile.Record) runfile.Record {
	if e, isEvent := r.(runfile.LoadEvent); isEvent && e.Event == runfile.End {
		e.At = e.At.Add(time.Hour)
		return e
	}
	return r
}

// contradictory announces every metric again as something else.
func contradictory(all []runfile.Record) (doubled []runfile.Record) {
	for _, r := range all {
		doubled = append(doubled, r)
		if m, isMetric := r.(runfile.Metric); isMetric {
			m.Unit, m.Type = "furlongs", runfile.Gauge
			doubled = append(doubled, m)
		}
	}
	return doubled
}

func absurd(r runfile.Record) runfile.Record {
	if m, isMetric := r.(runfile.Metric); isMetric {
		m.Type, m.Unit, m.Period = "absurd", "", -1
		return m
	}
	return r
}

func plannedTwice(r runfile.Record) runfile.Record {
	if run, isRun := r.(runfile.Run); isRun {
		run.Plan.Loads = append(run.Plan.Loads, run.Plan.Loads...)
		return run
	}
	return r
}
