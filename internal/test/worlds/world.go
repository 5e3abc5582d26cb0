package worlds

import (
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// Design is which arms a world runs.
type Design string

// The designs.
const (
	Full    Design = "identify" // all arms, for contrast
	TwoArms Design = "two-arms" // bulk and bulk-indexed, as published: nearly everything follows rows and entries
)

// Replicates and length of each arm, as by default in a real run; longer where the sources with periods are slow.
const (
	replicatesPerArm = 3
	shortArms        = 5
	longArms         = 150
	slow             = 0.15 // of worlds
)

// World is one run of a plan and the meters that watched it.
type World struct {
	Seed   uint64
	Meters []Meter

	plan       runfile.Plan
	replicates []work // in the order in which they ran
	blurred    float64
	lost       []string      // by replicate: the probe that was not read at its end, if any
	observed   bool          // nobody set up any load; replicates are steps of time
	remote     bool          // nobody could look at the device: it is on another machine
	period     time.Duration // of sources that have one

	// Of a wild world only.
	Tenanted   bool            // somebody else is on the device
	unrecorded map[string]bool // drivers that the run has nothing of
	course     course
	every      float64 // seconds between readings
}

// Reads tells whether some of its loads read.
func (w World) Reads() bool { return w.Design().reads() }

// Quantities are those that its loads are to tell from each other.
func (w World) Quantities() []drivers.Quantity {
	if w.Reads() {
		return drivers.All()
	}
	return drivers.OfInserts()
}

// Wild tells whether the physics of the world are its own.
func (w World) Wild() bool { return w.course != nil }

// Some worlds read their physical drivers with an error of their own: others are at work on the device, or a reading
// comes late.
const (
	blurry      = 0.25
	mostBlurred = 0.01
	probeFails  = 0.01
	remotes     = 0.10
)

// New draws a world.
func New(seed uint64, design Design, meters int) World {
	d := newDice(seed)
	w, armSeconds := World{Seed: seed, period: time.Second}, float64(shortArms)
	if d.chance(slow) {
		w.period, armSeconds = time.Minute, longArms
	}
	habits := []habit{{arm: runfile.Arm{Name: "idle"}}}
	m, background := d.machine(), d.background()
	for _, h := range measured() {
		if design == Full || slices.Contains([]string{"bulk", "bulk-indexed"}, h.arm.Name) {
			habits = append(habits, d.shifted(h, m))
		}
	}
	w.plan = runfile.Plan{Name: string(design), Replicates: replicatesPerArm, ArmSeconds: armSeconds, Seed: seed}
	for _, h := range habits {
		w.plan.Arms = append(w.plan.Arms, h.arm)
	}
	for number := range replicatesPerArm {
		for _, i := range d.Perm(len(habits)) {
			w.replicates = append(w.replicates, d.replicate(habits[i], m, background, number+1, armSeconds))
		}
	}
	if d.chance(blurry) {
		w.blurred = d.uniform(0, mostBlurred)
	}
	w.remote = d.chance(remotes)
	for range w.replicates {
		w.lost = append(w.lost, d.lost())
	}
	for i := range meters {
		w.Meters = append(w.Meters, d.meter(meterName(i), w.replicates))
	}
	return w
}

func (d *dice) lost() string {
	if d.chance(probeFails) {
		return pick(d, []string{pgstat, block})
	}
	return ""
}

// Recorded tells whether the run has what a driver is computed from.
func (w World) Recorded(driver string) bool {
	if w.observed && driver == drivers.Statements {
		return false
	}
	if _, listed := drivers.Named(driver); w.unrecorded[driver] || !listed {
		return false
	}
	return !w.remote || !slices.Contains([]string{drivers.DeviceRequests, drivers.DeviceFlushes, drivers.DeviceBytes, devReads, devRead}, driver)
}

// Complete tells whether the run has all that drivers are computed from.
func (w World) Complete() bool { return len(w.unrecorded) == 0 && !w.remote }

// Design is which arms the world runs.
func (w World) Design() Design { return Design(w.plan.Name) }

// TwoArms tells whether the world ran two arms only.
func (w World) TwoArms() bool { return w.plan.Name == string(TwoArms) }

// moved are the quantities that its loads move, under one of them at least.
func (w World) moved() []drivers.Quantity {
	if !w.Reads() {
		return drivers.OfInserts()
	}
	return slices.DeleteFunc(drivers.All(), func(d drivers.Quantity) bool { return w.movedBy(d.Name) == 0 })
}

// movedBy is how many loads move a quantity.
func (w World) movedBy(driver string) int {
	by := map[string]bool{}
	for _, r := range w.replicates {
		if r.done[driver] >= leastCount && !r.idle() {
			by[r.arm.Name] = true
		}
	}
	return len(by)
}

// Tells says that loads enough move all quantities of a rule for a method to tell them from others.
func (w World) Tells(r Rule) bool {
	const fewest = 4
	return !slices.ContainsFunc(r.Terms, func(t Term) bool { return w.movedBy(t.Driver) < fewest })
}
