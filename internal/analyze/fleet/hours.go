package fleet

import (
	"fmt"
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/runfile"
)

// sheet holds the values of each hour, by metric and statistic.
type sheet struct {
	from  time.Time
	hours int
	cells map[string][]cell
}

type cell struct {
	sum, seconds float64 // of a mean, weighted by time
	extreme      float64 // of a maximum or a minimum
	known        bool
}

// mostCells bounds the hours of all metrics together, some 32 bytes each: ten times the requested metrics of a year.
const mostCells = 4_000_000

// newSheet returns a sheet of the requested time, extended to all periods.
func newSheet(periods []runfile.Period, from, to time.Time) (sheet, error) {
	all := runfile.Stretch{From: from, To: to}
	for _, p := range periods {
		all.Extend(p.From, p.To)
	}
	from, to = all.From.UTC().Truncate(time.Hour), all.To
	s := sheet{from: from, hours: int(math.Ceil(to.Sub(from).Hours())), cells: map[string][]cell{}}
	for _, p := range periods {
		if !p.To.After(p.From) {
			return s, fmt.Errorf("a period of %s ends at %s, before it begins", p.Metric,
				p.To.Format(time.RFC3339))
		}
		if (len(s.cells)+1)*s.hours > mostCells {
			return s, fmt.Errorf("its periods of %d metrics, from %s to %s, cover more hours than can be analyzed",
				len(s.cells)+1, from.Format(time.DateOnly), to.Format(time.DateOnly))
		}
		s.add(p)
	}
	return s, nil
}

func (s *sheet) add(p runfile.Period) {
	key := p.Metric + " " + p.Statistic
	if s.cells[key] == nil {
		s.cells[key] = make([]cell, s.hours)
	}
	c := &s.cells[key][int(p.From.Sub(s.from)/time.Hour)]
	if p.Statistic == runfile.Maximum && (!c.known || p.Value > c.extreme) ||
		p.Statistic == runfile.Minimum && (!c.known || p.Value < c.extreme) {
		c.extreme = p.Value
	}
	seconds := p.To.Sub(p.From).Seconds()
	c.sum, c.seconds, c.known = c.sum+p.Value*seconds, c.seconds+seconds, true
}

// values returns a metric's statistic in each hour; NaN if unknown.
func (s sheet) values(metric, statistic string) []float64 {
	all := make([]float64, s.hours)
	for h := range all {
		all[h] = math.NaN()
	}
	for h, c := range s.cells[metric+" "+statistic] {
		switch {
		case !c.known:
		case statistic != runfile.Average:
			all[h] = c.extreme
		case c.seconds >= runfile.MostOfHour*time.Hour.Seconds():
			all[h] = c.sum / c.seconds
		}
	}
	return all
}

func (s sheet) has(metric string) bool { return s.cells[metric+" "+runfile.Average] != nil }

// rates returns the storage rate of each hour by a statistic; unknown if any of the four metrics is.
func (s sheet) rates(d needs.IOMetrics, statistic string) []needs.Rate {
	var parts [4][]float64
	for i, metric := range d.Names() {
		parts[i] = s.values(metric, statistic)
	}
	all := make([]needs.Rate, s.hours)
	for h := range all {
		all[h] = needs.Rate{Reads: parts[0][h], Writes: parts[1][h], ReadBytes: parts[2][h], WriteBytes: parts[3][h]}
		if math.IsNaN(all[h].Requests() + all[h].Bytes()) {
			all[h] = unknown()
		}
	}
	return all
}

// unknown returns the rate of an hour with a missing value.
func unknown() needs.Rate { return needs.Rate{Reads: math.NaN()} }

func known(r needs.Rate) bool { return !math.IsNaN(r.Reads) }

func (s sheet) at(h int) time.Time { return s.from.Add(time.Duration(h) * time.Hour) }
