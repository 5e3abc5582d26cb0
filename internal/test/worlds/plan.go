package worlds

import (
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Plan is a plan as users run it, and the server that they run it on.
type Plan struct {
	runfile.Plan

	Aurora     bool    // the server shows only the bytes of its WAL, and nothing of its pages and storage
	Background float64 // of each meter, per second, whatever the load
	Length     float64 // of a load, in seconds; 0: as the server requires
	Steps      float64 // seconds between moves of each meter; 0: at every reading
	// WAL records per buffer touched by a load that only reads: it prunes pages and sets hints
	Tidying float64
}

// quickLoad is the length of a load, in seconds, if everything is read by the second.
const quickLoad = 5

// NewOf draws a server with its own physics, runs a plan on it, and has a meter for each of the rules, by name.
func NewOf(seed uint64, p Plan, rules map[string]Rule) World {
	d := newDice(seed)
	w := World{Seed: seed, period: time.Second, every: readEvery, unrecorded: map[metric.Quantity]bool{}, aurora: p.Aurora}
	length, design := float64(quickLoad), Both
	if p.Aurora {
		w.period, length, w.every, design = time.Minute, slowLoad, readSlowly, NoCache
	}
	if p.Length > 0 {
		length = p.Length
	}
	s := d.server()
	s.memory = d.memory(design)
	s.memory.tidying = p.Tidying
	// the tables of our own loads
	s.goesOn, s.sequence, s.rowBytes, s.splits = true, 1.0/33, 44, d.uniform(0.008, 0.03)
	w.plan = runfile.Plan{Name: p.Name, Repetitions: repetitionsPerLoad, LoadSeconds: length, Seed: seed,
		Loads: slices.Clone(p.Loads)}
	for i := range w.plan.Loads {
		a := &w.plan.Loads[i]
		if a.Clients == 0 && !a.Idle() {
			a.Clients = s.clients
		}
		if only(a.Method) {
			a.TableRows = int64(s.memory.table * s.perPage(*a))
		}
		w.reading = w.reading || only(a.Method) || changes(a.Method)
	}
	if p.Aurora {
		w.forget(d, NoCache)
		delete(w.unrecorded, metric.WALBytes)
	}
	w.run(&courseBuilder{dice: d, background: d.background()}, s, length)
	w.lost = make([]string, len(w.repetitions))
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		w.Meters = append(w.Meters, d.meterOf(name, rules[name], p, w))
	}
	return w
}

// meterOf returns a meter of a rule, with a noise of 1% and a background.
func (d *dice) meterOf(name string, rule Rule, p Plan, w World) Meter {
	const noise = 0.01
	m := Meter{Name: name, Rule: rule, Noise: noise, kind: runfile.Counter, missing: make([]bool, len(w.repetitions))}
	if w.period == time.Minute {
		m.kind = runfile.CountPerPeriod
	}
	if p.Steps > 0 {
		m.kind, m.Trouble, m.step, m.phase = runfile.Counter, Stepping, p.Steps, p.Steps*d.Float64()
	}
	off, shown := d.noises(m, w), w.shownBy(rule)
	m.sum = w.course.sum(func(i int, s slice) float64 { return shown[i]*off[i] + p.Background*s.seconds() })
	return m
}
