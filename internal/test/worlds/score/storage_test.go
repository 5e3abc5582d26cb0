package score

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/test/worlds"
)

// TestDiskWorkIsNotLogical: on stripes, behind encryption or compression, copied on write, replicated or in
// units of a provider, the work of disks keeps no ratio to any quantity. The verdict on such meters is physical, or
// open.
func TestDiskWorkIsNotLogical(t *testing.T) {
	var cases []Case
	for seed := range uint64(3) {
		cases = append(cases, judgedAll(t, worlds.NewStorage(433791697900+seed, 25))...)
	}
	told := 0
	for _, c := range where(cases, isDisk) {
		if c.WrongSide() {
			t.Errorf("world %d on %s: %s\n  said: %s", c.World.Seed, c.World.Layer, truth(c.Meter), c.said())
		}
		if c.sideTold() {
			told++
		}
	}
	if told < 5 {
		t.Errorf("of what disks do the side of %d meters is told", told)
	}
}

// TestCoincidenceIsNotLogical: on a shared device, a metric exceeds the background by about the number of statements,
// within a fifth. It is not called logical.
func TestCoincidenceIsNotLogical(t *testing.T) {
	rule := "mixture 0.1387 requests of disks (66 %) + 0.7534 wal_syncs (34 %), noise 10 %"
	if said := ofMeter(t, worlds.NewStorage(435346330892, 25), "meter/m016", rule); said.called() {
		t.Errorf("%s: %s", rule, said.said())
	}
}

// drawn is a meter of a world on other storage, and what it counts.
type drawn struct {
	seed        uint64
	meter, rule string
}

// unnamed fails if a verdict is wrong, or names a quantity.
func unnamed(t *testing.T, all []drawn) {
	t.Helper()
	for _, c := range all {
		said := ofMeter(t, worlds.NewStorage(c.seed, 25), c.meter, c.rule)
		if said.Wrong() != "" || said.Verdict.Counts != "" {
			t.Errorf("world %d: %s\n  said: %s", c.seed, c.rule, said.said())
		}
	}
}

// TestSwitchingMetersAreNotNamed: these count one thing until some moment and another from then on, or more of the
// same. Over all loads they keep about one ratio to a quantity, and within each load they do not.
func TestSwitchingMetersAreNotNamed(t *testing.T) {
	unnamed(t, []drawn{
		{1000038, "meter/m025", "single 70.29 requests of disks (100 %), noise 3 %, switched"},
		{1000138, "meter/m009", "single 1.662 bytes of disks (100 %), noise 3 %, switched"},
		{1000182, "meter/m020", "mixture 4.631 requests of disks (36 %) + 12.21 device_requests (64 %), " +
			"noise 10 %, switched"},
		{1000275, "meter/m019", "single 0.1117 bytes of disks (100 %), noise 1 %, switched"},
		{433879820346, "meter/m012", "single 47.73 bytes of disks (100 %), noise 10 %, switched"},
	})
}

// TestWideRatioIsNotNamed: because of noise, a lag or others on the device, the ratio to a quantity is known only to
// within a third. Within that, a sum of two, or something unrecorded, passes for one quantity.
func TestWideRatioIsNotNamed(t *testing.T) {
	unnamed(t, []drawn{
		{433879706908, "meter/m021", "mixture 0.02784 device_bytes (17 %) + 436.2 rows (83 %), noise 0 %"},
		{433879706928, "meter/m012", "mixture 26.64 bytes of disks (57 %) + 1.108e+04 entries (43 %), noise 10 %, lag"},
		{433879706932, "meter/m021", "single 3.937 requests of disks (100 %), noise 1 %, lag"},
		{433879706962, "meter/m008", "single 0.3305 bytes of disks (100 %), noise 3 %"},
		{433879706974, "meter/m015", "mixture 0.01218 requests of disks (21 %) + 0.0006542 entries (79 %), noise 10 %"},
	})
}

// TestWideSpreadKeepsSide: these vary against a quantity by less than separates quantities, but by too much for a
// name. No sum on another side comes near them.
func TestWideSpreadKeepsSide(t *testing.T) {
	for _, c := range []drawn{
		{433879706932, "meter/m019", "single 0.1441 requests of disks (100 %), noise 3 %, samples"},
		{433879706960, "meter/m017", "single 2566 flushes of disks (100 %), noise 10 %"},
		{433879706960, "meter/m024", "single 340.7 flushes of disks (100 %), noise 10 %, lag"},
	} {
		said := ofMeter(t, worlds.NewStorage(c.seed, 25), c.meter, c.rule)
		if said.Verdict.Kind != attribution.Physical || len(said.single()) > 0 {
			t.Errorf("world %d: %s\n  said: %s", c.seed, c.rule, said.said())
		}
	}
}
