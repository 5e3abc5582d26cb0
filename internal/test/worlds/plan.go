package worlds

import (
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Plan is a plan as users run it, and the server that they run it on.
type Plan struct {
	runfile.Plan

	Aurora     bool    // the server tells nothing of its WAL but its bytes, of its pages and of its storage
	Background float64 // that each meter shows per second, whatever the load
	Length     float64 // of a load, in seconds; 0: as the server asks
	Steps      float64 // seconds from one move of each meter to the next; 0: it moves whenever it is read
	// WAL records for each buffer that a load which only reads touches: it prunes pages and sets hints
	Tidying float64
}

// quickLoad is how long a load takes where all is read second by second.
const quickLoad = 5

// NewOf draws a server whose physics are its own, runs a plan on it, and has a meter for each of these rules, by name.
func NewOf(seed uint64, p Plan, rules map[string]Rule) World {
	d := newDice(seed)
	w := World{Seed: seed, period: time.Second, every: readEvery, unrecorded: map[string]bool{}, aurora: p.Aurora}
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
	// the tables are those of our own loads
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
		delete(w.unrecorded, counts.WALBytes)
	}
	w.run(&courier{dice: d, background: d.background()}, s, length)
	w.lost = make([]string, len(w.repetitions))
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		w.Meters = append(w.Meters, d.meterOf(name, rules[name], p, w))
	}
	return w
}

// meterOf has a meter count by a rule, with a noise of 1% and a background of its own.
func (d *dice) meterOf(name string, rule Rule, p Plan, w World) Meter {
	const noise = 0.01
	m := Meter{Name: name, Rule: rule, Noise: noise, kind: runfile.Counter, missing: make([]bool, len(w.repetitions))}
	if w.period == time.Minute {
		m.kind = runfile.CountPerPeriod
	}
	if p.Steps > 0 {
		m.kind, m.Trouble, m.step, m.phase = runfile.Counter, Stepping, p.Steps, p.Steps*d.Float64()
	}
	off := d.noises(m, w)
	m.sum = w.course.sum(func(i int, s slice) float64 {
		return (rule.of(s.done)+rule.of(s.besides))*off[i] + p.Background*s.seconds()
	})
	return m
}
