package score

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// ofReads reports whether a rule counts reads.
func (c Case) ofReads() bool {
	return slices.ContainsFunc(c.Meter.Rule.Terms, func(t worlds.Term) bool {
		return t.Quantity == worlds.BilledReads || t.Quantity == metric.BuffersTouched ||
			t.Quantity == metric.Lookups || t.Quantity.OfReads()
	})
}

// told reports whether enough loads move what the meter counts.
func (c Case) told() bool { return c.World.Tells(c.Meter.Rule) }

// ReadsTable returns the targets for worlds whose loads also read, update and delete.
func ReadsTable(cases []Case) []Figure {
	single, mixed := sortIs(worlds.Single), sortIs(worlds.Mixture)
	twos := func(c Case) bool { return len(c.Meter.Rule.Terms) == 2 }
	on := func(side counts.Side) func(Case) bool {
		return func(c Case) bool { return c.Meter.Rule.Sides(weighty)[side] }
	}
	onlyOn := func(side counts.Side) func(Case) bool {
		return func(c Case) bool { return single(c) && c.term().Side == side }
	}
	clean := where(cases, Case.clean, Case.told)
	reads := where(cases, Case.ofReads)
	return []Figure{
		atMost(0.0025, "loads that read: any error, in side or quantity", cases, wrong),
		atMost(0.005, "the same, counted most strictly", cases, Case.Strictly),
		atMost(0.001, "loads that read: wrong side", cases, Case.WrongSide),
		atMost(0.0001, "loads that read, single, clean: wrong side", where(cases, single, Case.clean), Case.WrongSide),
		atLeast(0.97, "the same: correct quantity, alone or with its true ties, noise 1 and 3%",
			where(clean, single, Case.slight), Case.named),
		atLeast(0.92, "the same, noise 10%", where(clean, single, Case.noisy), Case.named),
		atLeast(0.92, "loads that read, mixture of two: correct side", where(clean, mixed, twos), Case.sideTold),
		atLeast(0.99, "loads that read, unrelated to load: cannot tell", where(cases, sortIs(worlds.Unrelated)),
			func(c Case) bool {
				return !c.stated() || c.Wrong() == ""
			}),
		atMost(0.0025, "meters of reads: any error", reads, wrong),
		atMost(0.001, "meters of reads: wrong side", reads, Case.WrongSide),
		atLeast(0.97, "meters of reads, single, clean: named, noise 1 and 3%",
			where(clean, single, Case.ofReads, Case.slight), Case.named),
		atLeast(0.92, "the same, noise 10%", where(clean, single, Case.ofReads, Case.noisy), Case.named),
		seen("requested, single, clean: side stated", where(clean, onlyOn(counts.Requested)), Case.sideTold),
		seen("requested in part: wrong side", where(cases, on(counts.Requested)), Case.WrongSide),
		seen("reads that are logical, single, clean: side stated", where(clean, onlyOn(counts.Logical), Case.ofReads),
			Case.sideTold),
		seen("reads that are physical, single, clean: side stated", where(clean, onlyOn(counts.Physical), Case.ofReads),
			Case.sideTold),
		seen("reads with the device out of sight, single: side stated", where(reads, single, unseen), Case.sideTold),
		seen("billed reads: wrong side", where(cases, single, func(c Case) bool {
			return c.term().Quantity == worlds.BilledReads
		}), Case.WrongSide),
		seen("meters of writes where loads read, single, clean: named", where(clean, single, func(c Case) bool {
			return !c.ofReads()
		}), Case.named),
		seen("meters of writes where loads read: any error", where(cases, func(c Case) bool {
			return !c.ofReads()
		}), wrong),
		seen("at work under fewer than four loads, single, clean: named", where(cases, single, Case.clean, func(c Case) bool {
			return !c.told()
		}), Case.named),
		seen("loads that read, on Aurora: any error", where(cases, designIs(worlds.NoCache)), wrong),
	}
}

// unseen reports whether the run lacks the device's reads.
func unseen(c Case) bool { return !c.World.Recorded(metric.DeviceReads) }
