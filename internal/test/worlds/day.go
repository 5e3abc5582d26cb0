package worlds

import (
	"fmt"
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// A day of production: several sorts of work on a server with its own physics, each busier at some hours, and some of
// it in batches.
const (
	fewestWorks, mostWorks = 3, 7
	readings               = 1440
	readingSeconds         = 30
	parts                  = 12 // of the day, in which the worlds compare meters with rules
	batches                = 0.4
)

// Day is the design of a world that was observed for hours.
const Day Design = "day"

// NewDay draws a world that was observed for twelve hours.
func NewDay(seed uint64, meters int) World {
	d := newDice(seed)
	w := World{Seed: seed, observed: true, period: time.Second, every: readingSeconds,
		plan: runfile.Plan{Name: string(Day), Repetitions: 1}}
	for k := range parts {
		w.plan.Loads = append(w.plan.Loads, runfile.Load{Name: fmt.Sprintf("part %d", k+1), Method: "insert"})
	}
	s, background := d.server(), d.background()
	var works []*sortOfWork
	for n := fewestWorks + d.IntN(mostWorks-fewestWorks+1); len(works) < n; {
		works = append(works, d.sortOfWork(s, n))
	}
	for i := range readings {
		r := work{
			load: w.plan.Loads[i*parts/readings], repetition: i + 1, seconds: readingSeconds, between: readingSeconds,
			done: amounts{}, besides: amounts{},
		}
		for _, of := range works {
			r.done.add(of.done(d, s, i))
		}
		for _, quantity := range counts.OfInserts() {
			r.besides[quantity.Name] = math.Round(background[quantity.Name] * readingSeconds * d.lognormal(0.1))
			r.done[quantity.Name] = max(1, math.Round(r.done[quantity.Name]))
		}
		w.repetitions = append(w.repetitions, r)
	}
	w.watch(d, meters)
	return w
}

// sortOfWork is the work of some part of an application, and how it varies over the day.
type sortOfWork struct {
	load         runfile.Load
	variation    variation
	commits      float64 // per second, in the middle of its day
	swing, noon  float64
	wander       float64 // deviation from its usual course, as a logarithm
	every, lasts float64 // minutes, of a batch; 0: all day
	phase        float64
	owed         amounts // for the next checkpoint to write
}

func (d *dice) sortOfWork(s server, of int) *sortOfWork {
	a := d.load()
	a.Clients = s.clients
	w := &sortOfWork{load: a, variation: d.variation(), swing: d.uniform(0.2, 1.5), noon: d.uniform(0, 2*math.Pi),
		owed: amounts{}}
	w.commits = s.commits(a, w.variation) * d.between(0.01, 0.5) / float64(of)
	if d.chance(batches) {
		w.every, w.lasts, w.phase = d.between(30, 180), d.between(3, 20), d.uniform(0, 180)
	}
	return w
}

// done returns the work between two readings, with the pages of a checkpoint between them.
func (w *sortOfWork) done(d *dice, s server, reading int) amounts {
	w.wander = 0.95*w.wander + d.normal(0.1)
	commits := math.Round(w.commits * readingSeconds *
		math.Exp(w.swing*math.Sin(w.noon+math.Pi*float64(reading)/readings)+w.wander))
	if minute := float64(reading) * readingSeconds / 60; w.every > 0 && math.Mod(minute+w.phase, w.every) > w.lasts {
		commits = 0
	}
	now := amounts{}
	if commits > 0 {
		var later amounts
		now, later = s.does(w.load, w.variation, commits, readingSeconds)
		w.owed.add(later)
	}
	if reading%(checkpointSeconds/readingSeconds) == 0 {
		now.add(w.owed)
		w.owed = amounts{}
	}
	return now
}

// checkpointSeconds is checkpoint_timeout's default.
const checkpointSeconds = 300
