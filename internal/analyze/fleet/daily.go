package fleet

import (
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/analyze/number"
)

// daily returns the highest hour of each day; NaN if no hour is known.
func (w work) daily() []float64 {
	all := []float64{}
	for _, day := range w.days() {
		highest := math.NaN()
		for _, r := range w.means[day[0]:day[1]] {
			if known(r) && !(highest >= r.Requests()) {
				highest = r.Requests()
			}
		}
		all = append(all, rounded(highest))
	}
	return all
}

// rounded rounds to the precision of a picture.
func rounded(v float64) float64 {
	const digits = 1000
	if !number.Finite(v) || v >= digits {
		return math.Round(v)
	}
	return math.Round(v*digits) / digits
}

// addDays adds a cluster's billed operations per second for each day: the cost of its I/O divided by the price of an
// operation.
func (d *Page) addDays(c billing.Comparison) {
	d.Daily = []float64{}
	if len(c.Days) == 0 || len(c.Items) == 0 {
		return
	}
	byDate := map[string]float64{}
	for _, day := range c.Days {
		byDate[day.Date] = day.IO / c.Items[0].Price.Standard * number.Mega / (24 * time.Hour).Seconds()
	}
	for at := d.From.Truncate(24 * time.Hour); at.Before(d.To); at = at.Add(24 * time.Hour) {
		operations, ok := byDate[at.Format(time.DateOnly)]
		if !ok {
			operations = math.NaN()
		}
		d.Daily = append(d.Daily, rounded(operations))
	}
}
