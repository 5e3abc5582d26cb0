package worlds

import (
	"fmt"
	"maps"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// The designs of a world with its own physics.
const (
	Wild    Design = "wild"         // the parameters of the plan identify
	Renamed Design = "wild-renamed" // the same under other names
	Odd     Design = "wild-odd"     // loads with drawn parameters
	// the plan identify on a server that shows nothing of its WAL, its pages or its device
	Aurora Design = "wild-aurora"
)

// Shares of wild worlds.
const (
	renamedPlans = 0.2
	oddPlans     = 0.2
	auroras      = 0.1
	visited      = 0.15
	// forgetful worlds did not record some of the inputs of quantities.
	forgetful  = 0.15
	forgotten  = 0.25
	slowWorlds = 0.25
	slowLoad   = 150
	mostHeld   = 0.15
	readEvery  = 1 // second
	readSlowly = 2 // if loads are long
)

// NewWild draws a world with its own physics, and meters with troubles of all kinds.
func NewWild(seed uint64, meters int) World {
	d := newDice(seed)
	w := d.wildServer(seed, d.wildDesign())
	for i := range meters {
		w.Meters = append(w.Meters, d.troubled(meterName(i), w))
	}
	return w
}

// NewWildOf draws such a world of which all meters are wanted. It takes the first seed, in large steps from the given
// one, whose world has wanted meters often enough.
func NewWildOf(seed uint64, meters int, wanted func(World, Meter) bool) World {
	const patience, far = 40, 1 << 40 // meters drawn per wanted one; distance of the seeds
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

// wildServer draws a server on a plain disk, and its work.
func (d *dice) wildServer(seed uint64, design Design) World { return serverOn(d, seed, design, nil) }

// serverOn draws a server on a storage, nil for a plain disk, and its work.
func serverOn(d *dice, seed uint64, design Design, on *storage) World {
	w := World{Seed: seed, period: time.Second, unrecorded: map[metric.Quantity]bool{}, reading: design.reads(),
		aurora: design.aurora()}
	loadSeconds := 5.0
	w.every = readEvery
	if d.chance(slowWorlds) {
		w.period, loadSeconds, w.every = time.Minute, slowLoad, readSlowly
	}
	s := d.server()
	s.storage = on
	if design.reads() {
		s.memory = d.memory(design)
	}
	w.plan = runfile.Plan{Name: string(design), Repetitions: repetitionsPerLoad, LoadSeconds: loadSeconds, Seed: seed,
		Loads: d.loads(design, s)}
	c := &courseBuilder{dice: d, background: d.background(), storage: on}
	if on != nil {
		w.Layer = on.layer
		w.Visited = c.backsUp(float64(repetitionsPerLoad*len(w.plan.Loads)) * (loadSeconds + 2))
	}
	if d.chance(visited) {
		w.Visited = true
		c.visitor = &visitor{stays: d.between(2, 60), share: d.between(0.03, 3)}
	}
	w.forget(d, design)
	w.run(c, s, loadSeconds)
	if d.chance(blurry) {
		w.blurred = d.uniform(0, mostBlurred)
	}
	for range w.repetitions {
		w.lost = append(w.lost, d.lost())
	}
	return w
}

// loads returns the loads of a design, on a server.
func (d *dice) loads(design Design, s server) []runfile.Load {
	loads := []runfile.Load{{Name: "idle"}}
	for _, h := range measured() {
		loads = append(loads, h.load)
	}
	switch design {
	case Reads:
		loads = loads[:1]
	case Odd, OddReads:
		loads = loads[:1]
		for range 6 + d.IntN(5) {
			loads = append(loads, d.load())
		}
	}
	for i := range loads {
		switch {
		case i == 0:
			continue
		case design == Renamed, design == Odd, design == OddReads:
			loads[i].Name = fmt.Sprintf("load %c%d", 'a'+d.IntN(26), i)
		}
		loads[i].Clients = s.clients
	}
	if design.reads() {
		loads = append(loads, d.readLoads(design, s)...)
	}
	return loads
}

func (d *dice) load() runfile.Load {
	a := runfile.Load{
		Method:    pick(d, []string{"insert", "insert-select", "insert-values", "copy"}),
		RowsPerTx: pick(d, []int{1, 1, 10, 100, 500, 1000, 5000}),
		Indexes:   d.IntN(5), Width: pick(d, []int{0, 0, 100, 1024, 4000}),
	}
	if d.chance(0.2) {
		a.SynchronousCommit = "off"
	}
	return a
}

// forget draws what the run does not record.
func (w *World) forget(d *dice, design Design) {
	device := []metric.Quantity{metric.DeviceRequests, metric.DeviceFlushes, metric.DeviceBytes, devReads, devRead}
	if design.aurora() {
		for _, quantity := range append(device, metric.WALRecords, metric.WALWrites, metric.WALSyncs,
			metric.PagesWritten, images) {
			w.unrecorded[quantity] = true
		}
		if d.chance(0.5) {
			w.unrecorded[metric.WALBytes] = true
		}
		return
	}
	if d.chance(remotes) {
		for _, quantity := range device {
			w.unrecorded[quantity] = true
		}
	}
	if !d.chance(forgetful) {
		return
	}
	for _, quantity := range []metric.Quantity{metric.WALBytes, metric.WALWrites, metric.WALSyncs, metric.PagesWritten} {
		if d.chance(forgotten) {
			w.unrecorded[quantity] = true
		}
	}
}

// run lays out the course of a world and sums up its repetitions.
func (w *World) run(c *courseBuilder, s server, loadSeconds float64) {
	tempers := map[string]variation{}
	for _, a := range w.plan.Loads {
		tempers[a.Name] = c.variation()
	}
	if c.visitor != nil {
		c.visitor.measure(s, w.plan.Loads, tempers)
	}
	for number := range repetitionsPerLoad {
		for _, i := range c.Perm(len(w.plan.Loads)) {
			a := w.plan.Loads[i]
			if a.MostRepetitions > 0 && number >= a.MostRepetitions {
				continue
			}
			c.repetition(s, a, tempers[a.Name], len(w.repetitions), loadSeconds)
			w.repetitions = append(w.repetitions, work{load: a, repetition: number + 1})
		}
	}
	c.pass(1, -1, false, nil)
	w.course, w.columns = &c.of, map[metric.Quantity]column{}
	for i, done := range c.of.work(len(w.repetitions)) {
		r := &w.repetitions[i]
		r.seconds, r.between, r.done, r.besides = done.seconds, done.between, done.done, done.besides
		if w.Reads() {
			maps.DeleteFunc(r.done, func(_ metric.Quantity, amount float64) bool { return amount < 1 }) // less than one is none
			continue
		}
		for _, quantity := range counts.OfInserts() {
			if !r.idle() {
				r.done[quantity.Name] = max(1, r.done[quantity.Name])
			}
		}
	}
}
