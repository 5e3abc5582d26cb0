package counts

import (
	"time"

	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Source provides the readings of a run and their times, which its loads do not hold.
type Source interface {
	// Series returns the readings of a metric over the whole run.
	Series(metric string) series.Series
	// Levels returns a metric's periods, in order, by the first of the preferred statistics that exists.
	Levels(metric string, preferred []string) []Level
	// Over returns the run as a metric saw it: see [Run.Over].
	Over(metric string) (*Run, View)
	// Whole returns a metric's amount for the whole run: see [Run.Whole].
	Whole(metric string) (amount float64, from, to time.Time, ok bool)
	// Share returns the share of a repetition's work done between two moments.
	Share(load string, repetition int, from, to time.Time) (part float64, ok bool)
}

// Level is a source's value for a period.
type Level struct {
	From, To time.Time
	Value    float64
}

// Series returns the readings of a metric over the whole run; empty if the run did not read it.
func (r *Run) Series(metric string) series.Series {
	if r.Source == nil {
		return series.Series{}
	}
	return r.Source.Series(metric)
}

// Growth is a counter's growth over the whole run, including the time between repetitions.
type Growth struct{ Amount, Seconds float64 }

// Grew returns a metric's growth from its first reading or period to its last; false if unknown.
func (r *Run) Grew(metric string) (Growth, bool) {
	m, known := r.Counter(metric)
	if statistic := m.Type.Statistic(); known && statistic != "" {
		return grewInPeriods(r.Rates(metric, statistic), m.Type == runfile.Rate)
	}
	c := r.Series(metric).Grew()
	return Growth{c.Amount, c.Seconds()}, !c.From.IsZero()
}

// grewInPeriods adds up periods, each of which has an amount, or a rate per second.
func grewInPeriods(periods []Level, rates bool) (g Growth, known bool) {
	for _, p := range periods {
		amount, seconds := p.Value, p.To.Sub(p.From).Seconds()
		if rates {
			amount *= seconds
		}
		g.Amount, g.Seconds = g.Amount+amount, g.Seconds+seconds
	}
	return g, g.Seconds > 0
}

// GrewBetween returns how much more a metric grew over the whole run than the repetitions explain, given a constant
// rate and an amount for each repetition. It returns 0 if that is unknown. A source that moves late or in steps may show
// nothing in any repetition and yet move because of the load.
func (r *Run) GrewBetween(m Metric, perSecond, besides float64) float64 {
	repetitions := 0
	for _, load := range r.Loads {
		repetitions += len(load.Repetitions)
	}
	var whole Growth
	for i, name := range m.From {
		switch grew, known := r.Grew(name); {
		case !known:
			return 0
		case i > 0 && m.how == subtraction:
			whole.Amount -= grew.Amount
		default:
			whole.Amount, whole.Seconds = whole.Amount+grew.Amount, max(whole.Seconds, grew.Seconds)
		}
	}
	if beyond := whole.Amount - perSecond*whole.Seconds; beyond > besides*float64(repetitions+1) {
		return beyond
	}
	return 0
}

const mostChanges = 1000 // changes of a counter considered, without those of zero

// Step returns the greatest common divisor of a metric's counts, and the number of distinct counts that it is computed
// from, 0 if they have none. A judgement by this step does not depend on the unit.
func (r *Run) Step(m Metric) (divisor float64, of int) {
	var all []float64
	for _, load := range r.Loads {
		for _, repetition := range load.Repetitions {
			read := 0
			if len(m.From) == 1 {
				for change, err := range r.Series(m.From[0]).Changes(repetition.Begin, repetition.End) {
					if read++; err == nil && change.Amount != 0 {
						all = append(all, change.Amount)
					}
				}
			}
			if n, known := m.Raw(repetition); read == 0 && known {
				all = append(all, n)
			}
			if len(all) > mostChanges {
				return stats.Divisor(all)
			}
		}
	}
	return stats.Divisor(all)
}

// Levels returns the periods of a level, such as a credit balance, in order: the minimum if there is one, since a
// balance matters at its lowest.
func (r *Run) Levels(metric string) []Level {
	return r.levels(metric, runfile.Minimum, runfile.Average, runfile.Maximum)
}

// Rates returns the periods of a rate, by the given statistic.
func (r *Run) Rates(metric, statistic string) []Level { return r.levels(metric, statistic) }

func (r *Run) levels(metric string, preferred ...string) []Level {
	if r.Source == nil {
		return nil
	}
	return r.Source.Levels(metric, preferred)
}

// Whole returns the amount of a source with periods for the whole run, including the rests before the first load and
// after the last. It returns false if there was no rest or the periods do not cover the run.
func (r *Run) Whole(name string) (amount float64, from, to time.Time, ok bool) {
	if r.Source == nil || r.Header.Plan.RestSeconds <= 0 {
		return 0, from, to, false
	}
	return r.Source.Whole(name)
}

// View describes how a metric sees a run.
type View struct {
	Lag     time.Duration // it shows work this much later; 0: not found
	Stepped time.Duration // it moves in steps this far apart; 0: at every reading
	Periods bool          // its source has periods
}

// Over returns the run as a metric saw it. A source with periods or steps covers a stretch of each repetition, with or
// without the closing checkpoint; all other counts, and the work, then cover the same stretch. A metric that lags is
// counted later. If there is none of this, or the file lacks the work by the second, Over returns the run itself.
func (r *Run) Over(name string) (*Run, View) {
	if r.Source == nil || r.Narrowed || r.Observed != nil {
		return r, View{}
	}
	if part := metric.ServersPart(name); r.OfServer && part != nil {
		name = part[0] // the work of others does not affect its timing
	}
	return r.Source.Over(name)
}

// Did returns how much of a quantity there was between two moments of a repetition, background included: by its
// counter's readings, or by the share of the work done then.
func (r *Run) Did(d Quantity, a Load, repetition Repetition, from, to time.Time) (float64, bool) {
	if r.Source == nil {
		return 0, false
	}
	if len(d.From) == 0 {
		part, known := r.Source.Share(a.Name, repetition.Number, from, to)
		n, err := d.Count(a, repetition)
		return n * part, known && err == nil
	}
	grew := func(metric string) (float64, bool) {
		n, err := r.Series(metric).Between(from, to, series.Coarse(0))
		return n, err == nil
	}
	if d.how == subtraction {
		whole, one := grew(d.From[0])
		part, other := grew(d.From[1])
		return whole - part, one && other
	}
	sum, known := 0.0, false
	for _, metric := range d.From {
		if n, ok := grew(metric); ok {
			sum, known = sum+n, true
			if d.how == alternatives {
				break
			}
		}
	}
	return sum, known
}
