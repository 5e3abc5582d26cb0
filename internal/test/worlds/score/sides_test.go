package score

import (
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/test/worlds"
)

// TestSidesAgainstRule: a side without a weighty term is wrong, and NotLogical is complete only for a rule
// that is both requested and physical.
func TestSidesAgainstRule(t *testing.T) {
	rule := func(sides ...counts.Side) worlds.Rule {
		r := worlds.Rule{Sort: worlds.Mixture}
		for _, side := range sides {
			r.Terms = append(r.Terms, worlds.Term{Side: side, Share: 1 / float64(len(sides))})
		}
		return r
	}
	const l, r, p = counts.Logical, counts.Requested, counts.Physical
	all := []attribution.Kind{attribution.Logical, attribution.Requested, attribution.Physical, attribution.NotLogical,
		attribution.Mixed}
	for _, c := range []struct {
		rule        worlds.Rule
		right, told []attribution.Kind // all others are wrong; told is right and complete
	}{
		{rule(l, l), all[:1], all[:1]},
		{rule(r, r), []attribution.Kind{attribution.Requested, attribution.NotLogical}, all[1:2]},
		{rule(p, p), []attribution.Kind{attribution.Physical, attribution.NotLogical}, all[2:3]},
		{rule(r, p), all[3:4], all[3:4]},
		{rule(l, p), all[4:], all[4:]},
		{rule(l, r), all[4:], all[4:]},
		{rule(l, r, p), all[4:], all[4:]},
	} {
		for _, kind := range all {
			judged := Case{Meter: worlds.Meter{Rule: c.rule}, Verdict: attribution.Verdict{Kind: kind}}
			if wrong := judged.WrongSide(); wrong == slices.Contains(c.right, kind) {
				t.Errorf("%s of %v: wrong is %v", kind, c.rule.Sides(0), wrong)
			}
			if told := judged.sideTold(); told != slices.Contains(c.told, kind) {
				t.Errorf("%s of %v: told is %v", kind, c.rule.Sides(0), told)
			}
		}
	}
}

// TestPartsOfDeviceBytes: in these worlds of the tuning set bytes of the device fit as well as bytes of
// the WAL and pages written, which they consist of. That is no reason to call physical what a cache may answer.
func TestPartsOfDeviceBytes(t *testing.T) {
	threes := Kinds()[2]
	pages := 0
	for _, world := range []worlds.World{threes.Draw(30064771122, 25), threes.Draw(30064771148, 25),
		worlds.NewWild(12884902182, 25)} {
		cases, err := Judged(byTheMethod, world, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			heavy := c.Meter.Rule.Sides(weighty)
			if !heavy[counts.Requested] || heavy[counts.Logical] || !heavy[counts.Physical] {
				continue
			}
			pages++
			if c.WrongSide() {
				t.Errorf("world %d %s: %s, and it is %s", c.World.Seed, c.Meter.Name, c.said(), truth(c.Meter))
			}
		}
	}
	if pages < 5 {
		t.Errorf("%d sums with pages written and no logical work, want enough to say anything", pages)
	}
}

func byTheMethod(run *counts.Run) attribution.Verdicts {
	return attribution.Judge(run, attribution.Options{})
}

// TestPeriodsIncludeCheckpointInSides: periods and steps of a minute hardly include the pages of the
// checkpoint after a load. They are still a part of these metrics, and decide the side.
func TestPeriodsIncludeCheckpointInSides(t *testing.T) {
	for _, c := range []drawn{
		{12972921904, "meter/m012", "mixture 0.0477 rows (40 %) + 0.7118 pages_written (60 %), noise 3 %, periods"},
		{12972921904, "meter/m022", "mixture 68.16 pages_written (41 %) + 12.11 rows (59 %), noise 1 %, periods"},
		{12972911990, "meter/m015",
			"mixture 1.859 pages_written (46 %) + 0.0003925 wal_bytes (54 %), noise 3 %, periods"},
	} {
		said := ofMeter(t, worlds.NewWild(c.seed, 25), c.meter, c.rule)
		if said.WrongSide() || said.stated() && !said.termsNamed() {
			t.Errorf("world %d: %s\n  said: %s", c.seed, c.rule, said.said())
		}
	}
}
