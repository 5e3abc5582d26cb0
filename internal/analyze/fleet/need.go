package fleet

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

const mib = 1 << 20

func rateOf(r needs.Rate) Rate { return Rate{r.Requests(), r.Bytes() / mib} }

// work holds a database's activity in each hour.
type work struct {
	sheet
	means []needs.Rate
	peaks []needs.Rate // the highest minutes, or the nearest that a source has; nil: unknown
}

// coverage returns which hours are known.
func (w work) coverage() coverage {
	c := coverage{from: w.from}
	for _, r := range w.means {
		c.known = append(c.known, known(r))
	}
	return c
}

// requests returns the requests of each hour; NaN if unknown.
func (w work) requests() (all []float64) {
	for _, r := range w.means {
		all = append(all, r.Requests())
	}
	return all
}

// fillPeaks uses the mean of an hour if its highest minute is unknown, and says so: scrapes may be too far apart.
func (w *work) fillPeaks(d *Page) {
	unknown, all, below := 0, 0, 0
	for h, r := range w.means {
		if !known(r) {
			continue
		}
		if all++; !known(w.peaks[h]) {
			unknown++
			w.peaks[h] = r
		} else if peak := w.peaks[h]; peak.Requests() < (1-needs.Rounding)*r.Requests() ||
			peak.Bytes() < (1-needs.Rounding)*r.Bytes() {
			below++
			w.peaks[h] = r
		}
	}
	if below > 0 {
		d.lack("in %s its busiest minute is below the hour's mean, which is impossible: there the order is for the "+
			"mean", printable.Counted(below, "hour"))
	}
	switch {
	case all == 0:
	case unknown == all:
		w.peaks = nil
		d.lack("only hourly means are known, so the order is for these")
	case unknown > all/20:
		d.lack("for %d of %s only hourly means are known, so the order is for "+
			"these", unknown, printable.Counted(all, "hour"))
	}
}

// sized returns the rates to order for, by the means of hours, and by the highest minutes in them.
func (w work) sized(percent float64) (least needs.Rate, most *needs.Rate) {
	least = together(w.means, percent)
	if w.peaks != nil {
		most = new(together(w.peaks, percent))
	}
	return least, most
}

// together returns a percentile of requests and of bytes over hours. It splits both into reads and writes as over all
// hours, since the hours with most reads need not be those with most writes.
func together(rates []needs.Rate, percent float64) needs.Rate {
	var requests, bytes []float64
	var sum needs.Rate
	for _, r := range rates {
		if known(r) {
			requests, bytes = append(requests, r.Requests()), append(bytes, r.Bytes())
			sum.Reads, sum.Writes = sum.Reads+r.Reads, sum.Writes+r.Writes
			sum.ReadBytes, sum.WriteBytes = sum.ReadBytes+r.ReadBytes, sum.WriteBytes+r.WriteBytes
		}
	}
	reads, readBytes := share(sum.Reads, sum.Requests()), share(sum.ReadBytes, sum.Bytes())
	n, b := ranked(requests, percent), ranked(bytes, percent)
	return needs.Rate{Reads: n * reads, Writes: n * (1 - reads), ReadBytes: b * readBytes,
		WriteBytes: b * (1 - readBytes)}
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// ranked returns the least value that the given percentage of all does not exceed.
func ranked(values []float64, percent float64) float64 {
	slices.Sort(values)
	return values[max(0, int(math.Ceil(percent/100*float64(len(values))))-1)]
}

// need returns the database's demand on storage; at least one hour is known.
func (w work) need(percent float64) *Need {
	const median = 50
	least, most := w.sized(percent)
	n := &Need{Typical: rateOf(together(w.means, median)), WorstHour: rateOf(together(w.means, 100)),
		Least: rateOf(least), WorstDay: w.worstDay()}
	if most != nil {
		n.Most = new(rateOf(*most))
	}
	worst := -1
	for h, r := range w.means {
		if known(r) && (worst < 0 || r.Requests() > w.means[worst].Requests()) {
			worst = h
		}
	}
	n.WorstAt = w.at(worst)
	return n
}

// hoursOfDay is the number of known hours that a day needs for its mean to stand for it.
const hoursOfDay = 22

// worstDay returns the highest mean of a day, in UTC; nil if none is known.
func (w work) worstDay() (worst *Rate) {
	for _, day := range w.days() {
		var sum Rate
		n := 0.0
		for _, r := range w.means[day[0]:day[1]] {
			if known(r) {
				sum.Requests, sum.MiBps, n = sum.Requests+r.Requests(), sum.MiBps+r.Bytes()/mib, n+1
			}
		}
		if n < hoursOfDay {
			continue
		}
		if worst == nil {
			worst = &Rate{}
		}
		worst.Requests, worst.MiBps = max(worst.Requests, sum.Requests/n), max(worst.MiBps, sum.MiBps/n)
	}
	return worst
}

// days returns, for each day, its first hour and the hour after its last.
func (s sheet) days() (all [][2]int) {
	for h := 0; h < s.hours; {
		at := s.at(h)
		next := min(s.hours, h+int(at.Truncate(24*time.Hour).Add(24*time.Hour).Sub(at).Hours()))
		all, h = append(all, [2]int{h, next}), next
	}
	return all
}

// knownMeans returns the known means from an hour on.
func (w work) knownMeans(from int) []needs.Rate {
	return slices.DeleteFunc(slices.Clone(w.means[max(0, from):]), func(r needs.Rate) bool { return !known(r) })
}

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
