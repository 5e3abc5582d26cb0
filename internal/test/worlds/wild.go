package worlds

import (
	"fmt"
	"maps"
	"time"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// The designs of a world whose physics are its own.
const (
	Wild    Design = "wild"         // the factors of the plan identify
	Renamed Design = "wild-renamed" // the same by other names
	Odd     Design = "wild-odd"     // arms whose factors were drawn
	Aurora  Design = "wild-aurora"  // the plan identify on a server that tells nothing of its log, its pages or its device
)

// How often a wild world is what.
const (
	renamedPlans = 0.2
	oddPlans     = 0.2
	auroras      = 0.1
	tenanted     = 0.15
	// forgetful worlds did not record some of what drivers are computed from.
	forgetful  = 0.15
	forgotten  = 0.25
	longLoads  = 0.25
	longLoad   = 150
	mostHeld   = 0.15
	readEvery  = 1 // second
	readSlowly = 2 // where loads are long
)

// NewWild draws a world whose physics are its own, and meters with troubles of all kinds.
func NewWild(seed uint64, meters int) World {
	d := newDice(seed)
	w := d.wildServer(seed, d.wildDesign())
	for i := range meters {
		w.Meters = append(w.Meters, d.troubled(meterName(i), w))
	}
	return w
}

// NewWildOf draws such a world of which all meters are wanted: the first one, of those with the seed and far from it, in which
// a meter that is wanted comes often enough.
func NewWildOf(seed uint64, meters int, wanted func(World, Meter) bool) World {
	const patience, far = 40, 1 << 40 // meters drawn for each that is wanted; from a seed to the next
	d := newDice(seed)
	w := d.wildServer(seed, d.wildDesign())
	for drawn := 0; drawn < patience*(len(w.Meters)+1); drawn++ {
		if m := d.troubled(meterName(len(w.Meters)), w); wanted(w, m) {
			w.Meters = append(w.Meters, m)
		}
		if len(w.Meters) == meters {
			return w
		}
	}
	return NewWildOf(seed+far, meters, wanted)
}

func meterName(i int) string { return fmt.Sprintf("meter/m%03d", i+1) }

func (d *dice) wildDesign() Design {
	switch roll := d.Float64(); {
	case roll < renamedPlans:
		return Renamed
	case roll < renamedPlans+oddPlans:
		return Odd
	case roll < renamedPlans+oddPlans+auroras:
		return Aurora
	}
	return Wild
}

// wildServer draws a server and what it did.
func (d *dice) wildServer(seed uint64, design Design) World {
	w := World{Seed: seed, period: time.Second, unrecorded: map[string]bool{}}
	armSeconds := 5.0
	w.every = readEvery
	if d.chance(longLoads) {
		w.period, armSeconds, w.every = time.Minute, longLoad, readSlowly
	}
	s := d.server()
	if design.reads() {
		s.memory = d.memory(design)
	}
	w.plan = runfile.Plan{Name: string(design), Replicates: replicatesPerArm, ArmSeconds: armSeconds, Seed: seed, Arms: d.arms(design, s)}
	c := &courier{dice: d, background: d.background()}
	if d.chance(tenanted) {
		w.Tenanted = true
		c.tenant = &tenant{stays: d.between(2, 60), share: d.between(0.03, 3)}
	}
	w.forget(d, design)
	w.run(c, s, armSeconds)
	if d.chance(blurry) {
		w.blurred = d.uniform(0, mostBlurred)
	}
	for range w.replicates {
		w.lost = append(w.lost, d.lost())
	}
	return w
}

// arms are those of a design, on a server.
func (d *dice) arms(design Design, s server) []runfile.Arm {
	arms := []runfile.Arm{{Name: "idle"}}
	for _, h := range measured() {
		arms = append(arms, h.arm)
	}
	switch design {
	case Reads:
		arms = arms[:1]
	case Odd, OddReads:
		arms = arms[:1]
		for range 6 + d.IntN(5) {
			arms = append(arms, d.arm())
		}
	}
	for i := range arms {
		switch {
		case i == 0:
			continue
		case design == Renamed, design == Odd, design == OddReads:
			arms[i].Name = fmt.Sprintf("load %c%d", 'a'+d.IntN(26), i)
		}
		arms[i].Clients = s.clients
	}
	if design.reads() {
		arms = append(arms, d.readArms(design, s)...)
	}
	return arms
}

func (d *dice) arm() runfile.Arm {
	a := runfile.Arm{
		Method: pick(d, []string{"insert", "insert-select", "insert-values", "copy"}), RowsPerTx: pick(d, []int{1, 1, 10, 100, 500, 1000, 5000}),
		Indexes: d.IntN(5), Width: pick(d, []int{0, 0, 100, 1024, 4000}),
	}
	if d.chance(0.2) {
		a.SynchronousCommit = "off"
	}
	return a
}

// forget draws what the run does not record.
func (w *World) forget(d *dice, design Design) {
	device := []string{drivers.DeviceRequests, drivers.DeviceFlushes, drivers.DeviceBytes, devReads, devRead}
	if design.aurora() {
		for _, driver := range append(device, drivers.WALRecords, drivers.WALWrites, drivers.WALSyncs, drivers.PagesWritten, images) {
			w.unrecorded[driver] = true
		}
		if d.chance(0.5) {
			w.unrecorded[drivers.WALBytes] = true
		}
		return
	}
	if d.chance(remotes) {
		for _, driver := range device {
			w.unrecorded[driver] = true
		}
	}
	if !d.chance(forgetful) {
		return
	}
	for _, driver := range []string{drivers.WALBytes, drivers.WALWrites, drivers.WALSyncs, drivers.PagesWritten} {
		if d.chance(forgotten) {
			w.unrecorded[driver] = true
		}
	}
}

// run lays down the course of a world and sums up its replicates.
func (w *World) run(c *courier, s server, armSeconds float64) {
	tempers := map[string]temper{}
	for _, a := range w.plan.Arms {
		tempers[a.Name] = c.temper()
	}
	if c.tenant != nil {
		c.tenant.measure(s, w.plan.Arms, tempers)
	}
	for number := range replicatesPerArm {
		for _, i := range c.Perm(len(w.plan.Arms)) {
			a := w.plan.Arms[i]
			c.replicate(s, a, tempers[a.Name], len(w.replicates), armSeconds)
			w.replicates = append(w.replicates, work{arm: a, replicate: number + 1})
		}
	}
	c.pass(1, -1, false, nil)
	w.course = c.of
	for i, done := range c.of.work(len(w.replicates)) {
		r := &w.replicates[i]
		r.seconds, r.between, r.done, r.besides = done.seconds, done.between, done.done, done.besides
		if w.Reads() {
			maps.DeleteFunc(r.done, func(_ string, amount float64) bool { return amount < 1 }) // nothing at all
			continue
		}
		for _, driver := range drivers.OfInserts() {
			if !r.idle() {
				r.done[driver.Name] = max(1, r.done[driver.Name])
			}
		}
	}
}
