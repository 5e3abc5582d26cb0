package worlds

import (
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Design says which loads a world runs.
type Design string

// The designs.
const (
	Full     Design = "identify"  // all loads, for contrast
	TwoLoads Design = "two-loads" // bulk and bulk-indexed: nearly everything follows rows and entries
)

// Repetitions and length of each load, as by default in a real run; longer if the sources with periods are slow.
const (
	repetitionsPerLoad = 3
	shortLoads         = 5
	longLoads          = 150
	slow               = 0.15 // of worlds
)

// World is one run of a plan and the meters that watched it.
type World struct {
	Seed   uint64
	Meters []Meter

	plan        runfile.Plan
	repetitions []work // in the order in which they ran
	blurred     float64
	lost        []string      // by repetition: the probe that was not read at its end, if any
	observed    bool          // nobody set up any load; repetitions are steps of time
	remote      bool          // the device is on another machine and cannot be read
	period      time.Duration // of sources that have one

	// Of a wild world only.
	Visited    bool                     // the device has another user
	Layer      Layer                    // between the file system and its disks; empty: none
	reading    bool                     // some of its loads read
	aurora     bool                     // the server shows nothing of its WAL, its pages and its device
	unrecorded map[metric.Quantity]bool // quantities that the run did not record
	course     *course                  // of all copies of the world
	columns    map[metric.Quantity]column
	every      float64 // seconds between readings
}

// Reads reports whether some of its loads read.
func (w World) Reads() bool { return w.reading }

// Quantities returns the quantities that its loads should separate.
func (w World) Quantities() []counts.Quantity {
	if w.Reads() {
		return ofServers()
	}
	return counts.OfInserts()
}

// ofServers returns the quantities that the servers of worlds count, all older than 19.
func ofServers() []counts.Quantity {
	return slices.DeleteFunc(counts.All(), func(d counts.Quantity) bool {
		return d.Name == metric.PageImageBytes
	})
}

// Forget drops what only [World.Records] needs, in all copies of the world: most of its memory.
func (w World) Forget() {
	if w.Wild() {
		*w.course = nil
		clear(w.columns)
	}
}

// Wild reports whether the world has its own physics.
func (w World) Wild() bool { return w.course != nil }

// Some worlds read their physical quantities with an error: others use the device, or a reading is late.
const (
	blurry      = 0.25
	mostBlurred = 0.01
	probeFails  = 0.01
	remotes     = 0.10
)

// New draws a world.
func New(seed uint64, design Design, meters int) World {
	d := newDice(seed)
	w, loadSeconds := World{Seed: seed, period: time.Second}, float64(shortLoads)
	if d.chance(slow) {
		w.period, loadSeconds = time.Minute, longLoads
	}
	habits := []habit{{load: runfile.Load{Name: "idle"}}}
	m, background := d.machine(), d.background()
	for _, h := range measured() {
		if design == Full || slices.Contains([]string{"bulk", "bulk-indexed"}, h.load.Name) {
			habits = append(habits, d.shifted(h, m))
		}
	}
	w.plan = runfile.Plan{Name: string(design), Repetitions: repetitionsPerLoad, LoadSeconds: loadSeconds, Seed: seed}
	for _, h := range habits {
		w.plan.Loads = append(w.plan.Loads, h.load)
	}
	for number := range repetitionsPerLoad {
		for _, i := range d.Perm(len(habits)) {
			w.repetitions = append(w.repetitions, d.repetition(habits[i], m, background, number+1, loadSeconds))
		}
	}
	if d.chance(blurry) {
		w.blurred = d.uniform(0, mostBlurred)
	}
	w.remote = d.chance(remotes)
	for range w.repetitions {
		w.lost = append(w.lost, d.lost())
	}
	for i := range meters {
		w.Meters = append(w.Meters, d.meter(meterName(i), w.repetitions))
	}
	return w
}

func (d *dice) lost() string {
	if d.chance(probeFails) {
		return pick(d, []string{pgstat, block})
	}
	return ""
}

// Recorded reports whether the run has the inputs of a quantity.
func (w World) Recorded(quantity metric.Quantity) bool {
	if w.observed && quantity == metric.Statements {
		return false
	}
	if _, listed := counts.Named(quantity); w.unrecorded[quantity] || !listed {
		return false
	}
	return !w.remote || !slices.Contains([]metric.Quantity{metric.DeviceRequests, metric.DeviceFlushes, metric.DeviceBytes,
		devReads, devRead}, quantity)
}

// Complete reports whether the run has the inputs of all quantities.
func (w World) Complete() bool { return len(w.unrecorded) == 0 && !w.remote }

// Design returns which loads the world runs.
func (w World) Design() Design { return Design(w.plan.Name) }

// TwoLoads reports whether the world ran two loads only.
func (w World) TwoLoads() bool { return w.plan.Name == string(TwoLoads) }

// moved returns the quantities that some of its loads move.
func (w World) moved() []counts.Quantity {
	if !w.Reads() {
		return counts.OfInserts()
	}
	return slices.DeleteFunc(counts.All(), func(d counts.Quantity) bool { return w.movedBy(d.Name) == 0 })
}

// movedBy returns the number of loads that move a quantity.
func (w World) movedBy(quantity metric.Quantity) int {
	by := map[string]bool{}
	for _, r := range w.repetitions {
		if r.done[quantity] >= leastCount && !r.idle() {
			by[r.load.Name] = true
		}
	}
	return len(by)
}

// Tells reports whether enough loads move all quantities of a rule for a method to tell them from others.
func (w World) Tells(r Rule) bool {
	const fewest = 4
	return !slices.ContainsFunc(r.Terms, func(t Term) bool { return w.movedBy(t.Quantity) < fewest })
}
