package counts

import (
	"time"

	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Source tells of a run what its loads do not: what was read, and when.
type Source interface {
	// Series returns what a metric read over the whole run.
	Series(metric string) series.Series
	// Levels returns a metric's periods, in order, by the first of some statistics that there is.
	Levels(metric string, preferred []string) []Level
	// Over counts the run as a metric saw it: see [Run.Over].
	Over(metric string) (*Run, View)
	// Whole returns a metric's amount for the whole run: see [Run.Whole].
	Whole(metric string) (amount float64, from, to time.Time, ok bool)
	// Share returns the part of a repetition's work that was done between two moments.
	Share(load string, repetition int, from, to time.Time) (part float64, ok bool)
}

// Level is a source's value for a period.
type Level struct {
	From, To time.Time
	Value    float64
}

// Series returns what a metric read over the whole run; a metric that the run did not read has an empty one.
func (r *Run) Series(metric string) series.Series {
	if r.Source == nil {
		return series.Series{}
	}
	return r.Source.Series(metric)
}

// Growth is a counter's growth over the whole run, including the time between repetitions.
type Growth struct{ Amount, Seconds float64 }

// Grew returns what a metric did from its first reading or period to its last; false where nothing tells.
func (r *Run) Grew(metric string) (Growth, bool) {
	m, known := r.Counter(metric)
	if statistic := m.Type.Statistic(); known && statistic != "" {
		return grewInPeriods(r.Rates(metric, statistic), m.Type == runfile.Rate)
	}
	c := r.Series(metric).Grew()
	return Growth{c.Amount, c.Seconds()}, !c.From.IsZero()
}

// grewInPeriods adds periods up, of which each tells an amount, or a rate for each second of it.
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

// GrewBetween returns what a metric grew by over the whole run beyond what the repetitions let expect, which is a rate
// throughout and so much besides in each of them; 0: no more than that, or nothing tells. A source that moves late or
// in steps may show nothing in any repetition and yet move for the load.
func (r *Run) GrewBetween(m Metric, perSecond, besides float64) float64 {
	repetitions := 0
	for _, load := range r.Loads {
		repetitions += len(load.Repetitions)
	}
	var whole Growth
	for i, name := range m.From {
		grew, known := r.Grew(name)
		switch {
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

const mostChanges = 1000 // of a counter that are looked at, leaving out where it stood still

// Step returns the largest number that all counts of a metric are multiples of, and how many differ that it rests on:
// none where they are multiples of nothing that would show. What is said of a metric by its step is the same in every
// unit.
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

// Levels returns what a source with periods of its own said of a level, such as a balance of credits, in order: the
// minimum where there is one, for what is left of credits is asked about at its worst.
func (r *Run) Levels(metric string) []Level {
	return r.levels(metric, runfile.Minimum, runfile.Average, runfile.Maximum)
}

// Rates returns what it said of a rate, by a statistic of each period.
func (r *Run) Rates(metric, statistic string) []Level { return r.levels(metric, statistic) }

func (r *Run) levels(metric string, preferred ...string) []Level {
	if r.Source == nil {
		return nil
	}
	return r.Source.Levels(metric, preferred)
}

// Whole returns what a source with periods says of the whole run, with the rest before its first load and after its
// last that sources which move in steps need; false where it does not tell of all of it, or where there was no such
// rest.
func (r *Run) Whole(name string) (amount float64, from, to time.Time, ok bool) {
	if r.Source == nil || r.Header.Plan.RestSeconds <= 0 {
		return 0, from, to, false
	}
	return r.Source.Whole(name)
}

// View describes a metric's view of a run.
type View struct {
	Lag     time.Duration // that it shows what was done so much later; 0: no such thing was found
	Stepped time.Duration // that it moves in steps so far apart; 0: it moves whenever it is read
	Periods bool          // its source tells of periods
}

// Over returns the run as a metric saw it. A source that tells of periods, or that moves in steps, tells of a stretch
// of each repetition, and may see the checkpoint that closes it or not: so all other counts, and the work, are those of
// the very same stretch. A metric that shows everything late is counted later. Where there is nothing of the sort, or
// the file does not tell what was done second by second, it is the run itself.
func (r *Run) Over(name string) (*Run, View) {
	if r.Source == nil || r.Narrowed || r.Observed != nil {
		return r, View{}
	}
	if part := metric.ServersPart(name); r.OfServer && part != nil {
		name = part[0] // what others do says nothing of when it tells
	}
	return r.Source.Over(name)
}

// Did returns how much of a quantity there was between two moments of a repetition, the background in it: by the
// readings of its counter, or by the part of the work that was done then.
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
