package worlds

import (
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Meter is a metric by a hidden rule.
type Meter struct {
	Name  string
	Rule  Rule
	Noise float64 // the deviation of the logarithm of what it shows
	// Disturbed is the load in which something else shows up in it, in all repetitions or in one; empty: in none.
	Disturbed string
	// Restless is a meter of an unrelated rule that moves without load as it does under it.
	Restless bool

	kind    runfile.MetricType
	shown   []float64 // in each repetition of the world
	besides []float64 // of that, what goes on without load, from the first reading to the last
	missing []bool

	// Of a meter in a wild world only.
	Trouble          Trouble
	sum              []float64 // what it grew by until each slice of the course ends
	lag, step, phase float64   // seconds
	restarts, wraps  float64   // a moment; the count at which it begins anew
	unit             float64   // that it is rounded to; 0: to one
}

// Noises returns the levels of noise, the last of which stands for counters that are exact.
func Noises() []float64 { return []float64{0.01, 0.03, 0.10, 0} }

const (
	// exact meters are few: the others are harder.
	exact = 0.10
	// inPeriods is how often a meter's source tells of seconds that are over, as a rate or a sum, on a grid of its own.
	inPeriods = 0.15
	// disturbed is how often one load, or one repetition, shows what has nothing to do with the rule.
	disturbed = 0.10
	// Readings fail now and then, and a source is now and then blind through all of a load.
	readingFails = 0.02
	loadFails    = 0.03
	// backgrounded is how often a meter has a background of its own, up to this share of what the quietest load brings
	// it.
	backgrounded   = 0.67
	mostBackground = 0.3
)

// meter draws a meter in a world whose repetitions are given.
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

// counting returns what a meter shows that counts quantities, those of the background too.
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

// of returns what a rule makes of amounts.
func (r Rule) of(a amounts) float64 {
	sum := 0.0
	for _, t := range r.Terms {
		sum += t.PerUnit * a[t.Quantity]
	}
	return sum
}

// still returns a meter that goes its own steady way, or never moves.
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

// wandering returns a meter that moves by no quantity: anew in each repetition, or from load to load, and under load
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

// disturb lets something else show up in one load, in all its repetitions or in one.
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

// blind draws in which repetitions a meter is not read at the end.
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
