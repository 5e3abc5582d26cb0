package probetest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/probetest"
)

// sound returns the metrics of a good sampler.
func sound() []runfile.Metric {
	return []runfile.Metric{
		{Name: "good/reads", Unit: "operations", Type: runfile.Counter, Source: "s", Help: "h"},
		{Name: "good.view/depth", Unit: "operations", Type: runfile.Gauge, Source: "s", Help: "h"},
	}
}

// expect compares defects with the words that each must contain, in order.
func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		ok = ok && strings.Contains(got[i], want[i])
	}
	if !ok {
		t.Errorf("%s: found %q, want %q", what, got, want)
	}
}

func TestAnnouncementFindsDefects(t *testing.T) {
	check := func(what, name string, spoil func(m []runfile.Metric) []runfile.Metric, want ...string) {
		t.Helper()
		expect(t, what, probetest.Announcement(name, spoil(sound())), want...)
	}
	as := func(change func(m *runfile.Metric)) func(m []runfile.Metric) []runfile.Metric {
		return func(m []runfile.Metric) []runfile.Metric { change(&m[0]); return m }
	}
	check("sound", "good", as(func(*runfile.Metric) {}))
	check("no metrics", "good", func([]runfile.Metric) []runfile.Metric { return nil }, "no metrics")
	check("name", "Good", func(m []runfile.Metric) []runfile.Metric { return m[:0] }, "Good", "no metrics")
	check("other prefix", "good", as(func(m *runfile.Metric) { m.Name = "bad/reads" }), "bad/reads")
	check("twice", "good", func(m []runfile.Metric) []runfile.Metric { return append(m, m[0]) }, "twice")
	check("type", "good", as(func(m *runfile.Metric) { m.Type = "" }), "type")
	check("unit", "good", as(func(m *runfile.Metric) { m.Unit = "" }), "lacks")
	check("help", "good", as(func(m *runfile.Metric) { m.Help = "" }), "lacks")
	check("source", "good", as(func(m *runfile.Metric) { m.Source = "" }), "lacks")
}

func TestCompletenessFindsDefects(t *testing.T) {
	values := func(reads, depth float64) map[string]float64 {
		return map[string]float64{"good/reads": reads, "good.view/depth": depth}
	}
	gap := runfile.Gap{Metric: "good/reads", Reason: runfile.Unsupported, Detail: "too old"}
	check := func(what string, sample probe.Sample, want ...string) {
		t.Helper()
		expect(t, what, probetest.Completeness(sound(), sample), want...)
	}
	check("all read", probe.Sample{Values: values(1, 2)})
	check("one read, one gap", probe.Sample{Values: map[string]float64{"good.view/depth": 1}, Gaps: []runfile.Gap{gap}})
	whole := gap
	whole.Metric = ""
	check("one gap for all", probe.Sample{Gaps: []runfile.Gap{whole}})
	check("nothing", probe.Sample{}, "good/reads is neither", "good.view/depth is neither")
	check("both", probe.Sample{Values: values(1, 2), Gaps: []runfile.Gap{gap}}, "read and a gap")
	check("not a number", probe.Sample{Values: values(math.NaN(), 2)}, "NaN")
	extra := values(1, 2)
	extra["good/more"] = 3
	check("not announced", probe.Sample{Values: extra}, "not announced")
	spoiled := func(change func(g *runfile.Gap)) probe.Sample {
		g := gap
		change(&g)
		return probe.Sample{Values: map[string]float64{"good.view/depth": 1}, Gaps: []runfile.Gap{g}}
	}
	check("reason", spoiled(func(g *runfile.Gap) { g.Reason = "bad luck" }), "bad luck")
	check("detail", spoiled(func(g *runfile.Gap) { g.Detail = "" }), "detail")
	check("probe", spoiled(func(g *runfile.Gap) { g.Probe = "good" }), "fills in")
	check("unknown metric", spoiled(func(g *runfile.Gap) {
		g.Metric = "good/x"
	}), "not announced", "good/reads is neither")
}

func TestGrowthAndRiseFindDefects(t *testing.T) {
	at := func(reads, depth float64) probe.Sample {
		return probe.Sample{Values: map[string]float64{"good/reads": reads, "good.view/depth": depth}}
	}
	expect(t, "a gauge may fall", probetest.Growth(sound(), at(1, 5), at(1, 2)))
	expect(t, "a counter may not", probetest.Growth(sound(), at(3, 5), at(2, 5)), "from 3 to 2")
	expect(t, "below zero", probetest.Growth(sound(), at(-1, 5), at(2, 5)), "from -1")
	expect(t, "rose", probetest.Rise([]string{"good/reads"}, at(1, 0), at(2, 0)))
	expect(t, "stood still", probetest.Rise([]string{"good/reads"}, at(1, 0), at(1, 0)), "from 1 to 1")
	expect(t, "not read", probetest.Rise([]string{"good/reads"}, probe.Sample{}, at(1, 0)), "false, true")
	expect(t, "nothing asked", probetest.Rise(nil, at(1, 0), at(2, 0)), "nothing has to rise")
}
