package worlds

import (
	"math"
	"slices"
	"sort"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// slice is a short stretch of a run with constant rates.
type slice struct {
	from, to   float64 // seconds from the start of the run
	repetition int     // of the world; -1: between two of them
	loaded     bool
	done       amounts // by the load
	besides    amounts // by the background and by others on the device
}

func (s slice) seconds() float64 { return s.to - s.from }

// course is a run by the second.
type course []slice

// column holds the amounts of one quantity in each slice of a course.
type column struct{ done, besides []float64 }

// column returns the amounts of a quantity, which it looks up only once.
func (w World) column(quantity metric.Quantity) column {
	c, found := w.columns[quantity]
	if !found {
		for _, s := range *w.course {
			c.done, c.besides = append(c.done, s.done[quantity]), append(c.besides, s.besides[quantity])
		}
		w.columns[quantity] = c
	}
	return c
}

// shownBy returns the amounts by a rule in each slice.
func (w World) shownBy(r Rule) []float64 {
	shown := make([]float64, len(*w.course))
	for _, t := range r.Terms {
		for i, amount := range w.column(t.Quantity).done {
			shown[i] += t.PerUnit * amount
		}
	}
	besides := make([]float64, len(shown))
	for _, t := range r.Terms {
		for i, amount := range w.column(t.Quantity).besides {
			besides[i] += t.PerUnit * amount
		}
	}
	for i, amount := range besides {
		shown[i] += amount
	}
	return shown
}

// courseBuilder lays out a course.
type courseBuilder struct {
	*dice
	of         course
	background amounts
	visitor    *visitor
	storage    *storage // nil: a plain disk
	backup     backup
}

// pass adds a slice.
func (c *courseBuilder) pass(seconds float64, repetition int, loaded bool, done amounts) {
	from := 0.0
	if n := len(c.of); n > 0 {
		from = c.of[n-1].to
	}
	s := slice{from: from, to: from + seconds, repetition: repetition, loaded: loaded, done: done,
		besides: c.background.times(seconds * c.lognormal(0.2))}
	if c.visitor != nil {
		s.besides.add(c.visitor.does(c.dice, seconds))
	}
	s.besides.add(c.backup.does(s.from, s.to))
	s.besides = c.storage.put(s.besides, variation{extra: 1, merging: 1}, s.besides)
	c.of = append(c.of, s)
}

// visitor is another user of the device, who comes and goes.
type visitor struct {
	busy     bool
	stays    float64 // mean duration of either state, in seconds
	share    float64 // of the requests of our median load, while busy
	requests float64 // the same, per second
}

// measure sets how busy the visitor is beside these loads.
func (t *visitor) measure(s server, loads []runfile.Load, tempers map[string]variation) {
	var rates []float64
	for _, a := range loads {
		if !a.Idle() {
			now, later := s.does(a, tempers[a.Name], s.commits(a, tempers[a.Name]), 1)
			rates = append(rates, now[metric.DeviceRequests]+later[metric.DeviceRequests])
		}
	}
	slices.Sort(rates)
	t.requests = t.share * rates[len(rates)/2]
}

func (t *visitor) does(d *dice, seconds float64) amounts {
	if d.chance(min(1, seconds/t.stays)) {
		t.busy = !t.busy
	}
	if !t.busy {
		return nil
	}
	n := t.requests * seconds * d.lognormal(0.2)
	return amounts{metric.DeviceRequests: n, metric.DeviceFlushes: n / 10, metric.DeviceBytes: 16e3 * n,
		devReads: n / 2, devRead: 8e3 * n}
}

// backsUp adds a backup to some runs of about the given length.
func (c *courseBuilder) backsUp(seconds float64) bool {
	if !c.chance(backedUp) {
		return false
	}
	from := seconds * c.uniform(0.1, 0.8)
	c.backup = backup{from, from + seconds*c.uniform(0.1, 0.4), c.between(10e6, 1e9)}
	return true
}

// fewFlushes is the number of flushes of a checkpoint with nothing to write.
const fewFlushes = 2

// repetition adds one repetition of a load: a pause, seconds of slightly varying load, and the checkpoint that closes
// it.
func (c *courseBuilder) repetition(s server, a runfile.Load, t variation, place int, seconds float64) {
	c.pass(c.uniform(0.2, 1.2), -1, false, nil)
	level, wobble := c.lognormal(0.05), 0.0
	owed := amounts{}
	for left := seconds * c.lognormal(0.003); left > 0; left-- {
		length := min(1, left)
		if a.Idle() {
			c.pass(length, place, false, nil)
			continue
		}
		wobble = 0.7*wobble + c.normal(0.08)
		commits := max(1, math.Round(s.commits(a, t)*length*level*math.Exp(wobble)))
		now, later := s.does(a, t, commits, length)
		owed.add(later)
		c.pass(length, place, true, now)
	}
	if a.Idle() {
		return
	}
	closing := amounts{metric.DeviceFlushes: s.closingFlushes}
	if only(a.Method) {
		closing[metric.DeviceFlushes] = fewFlushes
	}
	owed.add(s.storage.put(closing, t, closing))
	c.pass(c.uniform(0.3, 1.5), place, false, owed)
}

// work returns each repetition as a whole.
func (c course) work(n int) []work {
	all := make([]work, n)
	for i := range all {
		all[i] = work{done: amounts{}, besides: amounts{}}
	}
	for _, s := range c {
		if s.repetition < 0 {
			continue
		}
		w := &all[s.repetition]
		w.done.add(s.done)
		w.besides.add(s.besides)
		w.between += s.seconds()
		if s.loaded {
			w.seconds += s.seconds()
		}
	}
	return all
}

// sum returns the growth of something from the start to the end of each slice.
func (c course) sum(of func(i int, s slice) float64) []float64 {
	all := make([]float64, len(c)+1)
	for i, s := range c {
		all[i+1] = all[i] + of(i, s)
	}
	return all
}

// at returns a sum at a moment.
func (c course) at(sum []float64, moment float64) float64 { return c.place(moment).in(sum) }

// place is a moment in a course.
type place struct {
	slice    int
	into, of float64 // seconds of the slice
}

func (c course) place(moment float64) place {
	i := sort.Search(len(c), func(i int) bool { return c[i].to >= moment })
	if i == len(c) || moment <= c[i].from {
		return place{slice: i}
	}
	return place{i, moment - c[i].from, c[i].seconds()}
}

// in returns a sum at the place.
func (p place) in(sum []float64) float64 {
	if p.of == 0 {
		return sum[p.slice]
	}
	return sum[p.slice] + (sum[p.slice+1]-sum[p.slice])*p.into/p.of
}

func (c course) end() float64 { return c[len(c)-1].to }
