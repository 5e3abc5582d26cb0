package worlds

import (
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Meter is a metric with a hidden rule.
type Meter struct {
	Name  string
	Rule  Rule
	Noise float64 // standard deviation of the logarithm of its amounts
	// Disturbed is the load in which something else shows up in it, in all repetitions or in one; empty if none.
	Disturbed string
	// Restless is a meter of an unrelated rule that also moves without load.
	Restless bool

	kind    runfile.MetricType
	shown   []float64 // in each repetition of the world
	besides []float64 // the background in it, from the first reading to the last
	missing []bool

	// Of a meter in a wild world only.
	Trouble          Trouble
	sum              []float64 // its growth until the end of each slice of the course
	lag, step, phase float64   // seconds
	restarts, wraps  float64   // a moment; the count at which it starts again
	unit             float64   // that it is rounded to; 0: to one
}

// Noises returns the levels of noise; the last is for exact counters.
func Noises() []float64 { return []float64{0.01, 0.03, 0.10, 0} }

const (
	// exact is the share of exact meters: the others are harder.
	exact = 0.10
	// inPeriods is the share of meters whose source has periods, as a rate or a sum, on their own grid.
	inPeriods = 0.15
	// disturbed is the share of meters in which one load, or one repetition, shows something unrelated.
	disturbed = 0.10
	// Readings fail now and then, and a source may fail during a whole load.
	readingFails = 0.02
	loadFails    = 0.03
	// backgrounded is the share of meters with a background of their own, up to this share of their count in the
	// quietest load.
	backgrounded   = 0.67
	mostBackground = 0.3
)

// meter draws a meter in a world with the given repetitions.
func (d *dice) meter(name string, repetitions []work) Meter {
	m := Meter{Name: name, Rule: d.rule(loaded(repetitions), counts.OfInserts()), Noise: d.noise()}
	switch m.Rule.Sort {
	case Single, Mixture:
		m.shown, m.besides = d.counting(m, repetitions)
	case Silent:
		m.shown = d.still(m.Noise, repetitions)
		m.besides = m.shown
	case Unrelated:
		m.shown = d.wandering(&m, repetitions)
		m.besides = m.shown
	}
	d.disturb(&m, repetitions)
	m.missing = d.blind(repetitions)
	m.kind = runfile.Counter
	if d.chance(inPeriods) {
		m.kind = pick(d, []runfile.MetricType{runfile.Rate, runfile.CountPerPeriod})
	}
	return m
}

// loaded returns the amounts of the repetitions under load.
func loaded(repetitions []work) (done []amounts) {
	for _, w := range repetitions {
		if !w.idle() {
			done = append(done, w.done)
		}
	}
	return done
}

func (d *dice) noise() float64 {
	levels := Noises()
	if d.chance(exact) {
		return levels[len(levels)-1]
	}
	return pick(d, levels[:len(levels)-1])
}

// counting returns the amounts of a meter that counts quantities, background included.
func (d *dice) counting(m Meter, repetitions []work) (shown, besides []float64) {
	own := 0.0 // background per second
	if d.chance(backgrounded) {
		least := smallest(loaded(repetitions), m.Rule.of)
		own = least / repetitions[0].between * d.between(mostBackground/300, mostBackground)
	}
	for _, w := range repetitions {
		noise, idle := d.lognormal(m.Noise), own*w.between*d.lognormal(m.Noise)
		shown = append(shown, (m.Rule.of(w.done)+m.Rule.of(w.besides))*noise+idle)
		besides = append(besides, m.Rule.of(w.besides)*noise+idle)
	}
	return shown, besides
}

// of applies a rule to amounts.
func (r Rule) of(a amounts) float64 {
	sum := 0.0
	for _, t := range r.Terms {
		sum += t.PerUnit * a[t.Quantity]
	}
	return sum
}

// still returns a meter with a constant rate, possibly zero.
func (d *dice) still(noise float64, repetitions []work) []float64 {
	rate := d.between(10, 10000) // per second
	if d.chance(0.25) {
		rate = 0
	}
	shown := make([]float64, len(repetitions))
	for i, w := range repetitions {
		shown[i] = rate * w.between * d.lognormal(noise)
	}
	return shown
}

// wandering returns a meter unrelated to any quantity: it varies between repetitions, or between loads, and under load
// more than idle or the same.
func (d *dice) wandering(m *Meter, repetitions []work) []float64 {
	rate, wide, byLoad := d.between(100, 1e6), d.uniform(0.7, 1.5), d.chance(1.0/3)
	m.Restless = !byLoad && d.chance(0.5)
	ofLoad := map[string]float64{}
	shown := make([]float64, len(repetitions))
	for i, w := range repetitions {
		if _, met := ofLoad[w.load.Name]; !met {
			ofLoad[w.load.Name] = d.lognormal(wide)
		}
		factor := d.lognormal(wide)
		if byLoad {
			factor = ofLoad[w.load.Name] * d.lognormal(m.Noise)
		}
		if w.idle() && !m.Restless {
			factor /= 100
		}
		shown[i] = rate * w.between * factor
	}
	return shown
}

// disturb adds something unrelated in one load, in all its repetitions or in one.
func (d *dice) disturb(m *Meter, repetitions []work) {
	if m.Rule.Sort != Single && m.Rule.Sort != Mixture || !d.chance(disturbed) {
		return
	}
	at := pick(d, repetitions)
	if at.idle() {
		return
	}
	factor := d.between(1.3, 3)
	if d.chance(0.5) {
		factor = 1 / factor
	}
	m.Disturbed = at.load.Name
	whole := d.chance(0.5)
	for i, w := range repetitions {
		if w.load.Name == at.load.Name && (whole || w.repetition == at.repetition) {
			m.shown[i] *= factor
			m.besides[i] *= factor
		}
	}
}

// blind draws the repetitions at whose end a meter is not read.
func (d *dice) blind(repetitions []work) []bool {
	load := ""
	if d.chance(loadFails) {
		load = pick(d, repetitions).load.Name
	}
	missing := make([]bool, len(repetitions))
	for i, w := range repetitions {
		missing[i] = d.chance(readingFails) || w.load.Name == load && !w.idle()
	}
	return missing
}
