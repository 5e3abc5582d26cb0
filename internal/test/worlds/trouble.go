package worlds

import (
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Trouble is a defect of a meter beyond independent noise.
type Trouble string

// The troubles of meters.
const (
	NoTrouble  Trouble = ""
	Correlated Trouble = "autocorrelated noise"
	HeavyTails Trouble = "heavy tails"
	Lagging    Trouble = "lag"
	Stepping   Trouble = "steps of a minute"
	Curved     Trouble = "nonlinear"
	Restarted  Trouble = "reset"
	Wrapping   Trouble = "wraps"
	InPeriods  Trouble = "periods"
)

// troubled draws a meter of a wild world.
func (d *dice) troubled(name string, w World) Meter {
	m := Meter{Name: name, Noise: d.noise(), kind: runfile.Counter, missing: d.blind(w.repetitions)}
	m.Rule = d.wildRule(loaded(w.repetitions), w)
	m.Trouble = d.trouble(w.period == time.Minute)
	if m.Trouble == InPeriods {
		m.missing = make([]bool, len(w.repetitions))
	}
	if _, listed := counts.Named(m.Rule.quantity()); !listed {
		switch m.Trouble {
		case Correlated, Curved, HeavyTails, Wrapping:
			m.Trouble = NoTrouble
		}
	}
	return counting(d, m, w)
}

// counting makes a meter count by its rule and with its trouble.
func counting(d *dice, m Meter, w World) Meter {
	noise := d.noises(m, w)
	switch m.Rule.Sort {
	case Silent, Unrelated:
		var whole []float64
		if m.Rule.Sort == Silent {
			whole = d.still(m.Noise, w.repetitions)
		} else {
			whole = d.wandering(&m, w.repetitions)
		}
		rate := 0.0
		m.sum = w.course.sum(func(_ int, s slice) float64 {
			if s.repetition >= 0 {
				rate = whole[s.repetition] / w.repetitions[s.repetition].between
			}
			return rate * s.seconds()
		})
	default:
		own := 0.0
		if d.chance(backgrounded) {
			own = w.least(m.Rule) / w.repetitions[0].between * d.between(mostBackground/300, mostBackground)
		}
		bend := func(rate float64) float64 { return rate }
		if m.Trouble == Curved {
			bend = d.bend(m.Rule, w)
		}
		var amounts []float64
		if m.Trouble == Switched {
			amounts = switches(d, &m, w)
		} else {
			amounts = w.shownBy(m.Rule)
		}
		late := 0.0 // part of a slice's count shows in the next one
		m.sum = w.course.sum(func(i int, s slice) float64 {
			rate := amounts[i] / s.seconds()
			shown := late + (bend(rate)+own)*s.seconds()*noise[i]
			late = 0
			if s.loaded {
				late = d.uniform(0, mostHeld) * shown
			}
			return shown - late
		})
	}
	d.disturbWild(&m, w)
	switch m.Trouble {
	case Lagging:
		m.lag = d.uniform(1, 5)
	case Stepping:
		m.step, m.phase = 60, 60*d.Float64()
	case Restarted:
		m.restarts = d.Float64() * w.course.end()
	case Wrapping:
		if m.wraps = 1 << 32; w.Reads() && m.sum[len(m.sum)-1] > m.wraps*float64(len(w.repetitions)) {
			m.wraps, m.Trouble = 0, NoTrouble // it would wrap several times between readings
		}
	case InPeriods:
		m.kind = pick(d, []runfile.MetricType{runfile.Rate, runfile.CountPerPeriod})
	}
	return m
}

// wildRule also draws sums of three.
func (d *dice) wildRule(done []amounts, w World) Rule {
	const threes, foreigners = 0.1, 0.04
	if d.chance(foreigners) {
		t := pick(d, w.foreign())
		t.PerUnit, t.Share = d.between(1, 100), 1
		if shown := smallest(done, func(a amounts) float64 { return a[t.Quantity] }); math.IsInf(shown, 1) ||
			t.Quantity == PageImages && slices.ContainsFunc(done, func(a amounts) bool { return a[t.Quantity] == 0 }) {
			return Rule{Sort: Silent} // this server writes none
		}
		return Rule{Sort: Single, Terms: []Term{t}}
	}
	if !d.chance(threes) {
		return d.rule(done, w.moved())
	}
	all, r := w.moved(), Rule{Sort: Mixture}
	for _, i := range d.Perm(len(all))[:3] {
		r.Terms = append(r.Terms, Term{Quantity: all[i].Name, Side: all[i].Side,
			PerUnit: d.lognormal(0.7) / typical(done, all[i].Name)})
	}
	factor := d.between(1, 100) * leastCount / smallest(done, r.of)
	for i := range r.Terms {
		t := &r.Terms[i]
		t.Share = r.share(done, *t)
	}
	for i := range r.Terms {
		r.Terms[i].PerUnit *= factor
	}
	return r
}

func (d *dice) trouble(long bool) Trouble {
	const clean = 0.4
	if d.chance(clean) {
		return NoTrouble
	}
	if long {
		return pick(d, []Trouble{InPeriods, InPeriods, Stepping, Stepping, Lagging, Correlated, HeavyTails})
	}
	return pick(d, []Trouble{Correlated, HeavyTails, Lagging, Lagging, Curved, Curved, Restarted, Wrapping, InPeriods})
}

// noises returns the factors by which a meter is off in each slice: constant in a repetition, or changing slowly.
func (d *dice) noises(m Meter, w World) []float64 {
	all := make([]float64, len(*w.course))
	memory := d.between(3, w.course.end()/5)
	slow, last, factor := d.normal(1), -2, 1.0
	for i, s := range *w.course {
		if m.Trouble == Correlated {
			keep := math.Exp(-s.seconds() / memory)
			slow = keep*slow + math.Sqrt(1-keep*keep)*d.normal(1)
			all[i] = math.Exp(m.Noise * slow)
			continue
		}
		if s.repetition != last && s.repetition >= 0 {
			last, factor = s.repetition, d.lognormal(m.Noise)
			if m.Trouble == HeavyTails {
				factor = math.Exp(m.Noise * d.student())
			}
		}
		all[i] = factor
	}
	return all
}

// student draws from Student's distribution with three degrees of freedom, scaled to a variance of one.
func (d *dice) student() float64 {
	squares := 0.0
	for range 3 {
		x := d.NormFloat64()
		squares += x * x
	}
	return d.NormFloat64() / math.Sqrt(squares)
}

// quantity returns the first quantity of a rule; empty if none.
func (r Rule) quantity() metric.Quantity {
	if len(r.Terms) == 0 {
		return ""
	}
	return r.Terms[0].Quantity
}

// nextToNothing is a negligible share of the amount under the largest load.
const nextToNothing = 0.01

// bend draws a curve for the rule's values: a root, a cap, or merging that grows with load.
func (d *dice) bend(r Rule, w World) func(rate float64) float64 {
	var rates []float64
	least := 0.0 // loads that hardly do it have no bend
	if w.Reads() {
		for _, x := range w.repetitions {
			if !x.idle() {
				least = max(least, nextToNothing*r.of(x.done)/x.seconds)
			}
		}
	}
	for _, x := range w.repetitions {
		if shown := r.of(x.done); !x.idle() && shown > least*x.seconds {
			rates = append(rates, shown/x.seconds)
		}
	}
	slices.Sort(rates)
	knee := rates[int(float64(len(rates))*d.uniform(0.2, 0.7))]
	power := d.uniform(0.4, 0.8)
	switch d.IntN(3) {
	case 0:
		return func(rate float64) float64 { return knee * math.Pow(rate/knee, power) }
	case 1:
		return func(rate float64) float64 { return min(rate, knee) }
	default:
		return func(rate float64) float64 { return rate / (1 + rate/knee) }
	}
}

// disturbWild is disturb for a course.
func (d *dice) disturbWild(m *Meter, w World) {
	if m.Trouble != NoTrouble {
		return
	}
	m.shown, m.besides = make([]float64, len(w.repetitions)), make([]float64, len(w.repetitions))
	for i := range m.shown {
		m.shown[i], m.besides[i] = 1, 1
	}
	d.disturb(m, w.repetitions)
	off := m.shown
	if m.Disturbed == "" {
		return
	}
	plain := m.sum
	m.sum = w.course.sum(func(i int, s slice) float64 {
		if s.repetition < 0 {
			return plain[i+1] - plain[i]
		}
		return (plain[i+1] - plain[i]) * off[s.repetition]
	})
}
