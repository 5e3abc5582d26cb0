package billing

import (
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// Both is an amount of money, or a price, in either configuration. NaN means unknown.
type Both struct {
	Standard  float64 `json:"standard"`
	Optimized float64 `json:"io_optimized"`
}

// Saved returns what I/O-Optimized saves.
func (b Both) Saved() float64 { return b.Standard - b.Optimized }

func (b Both) plus(o Both) Both { return Both{b.Standard + o.Standard, b.Optimized + o.Optimized} }

// The configurations, as AWS and price lists name them.
const (
	Standard  = "aurora"
	Optimized = "aurora-iopt1"
)

const month = catalog.HoursInMonth

// hoursOfMonth returns the hours of the calendar month of an hour: a GiB-month covers all of them.
func (u Use) hoursOfMonth(h int) float64 {
	if u.Stated {
		return month
	}
	at := u.at(h)
	first := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 1, 0).Sub(first).Hours()
}

func (u Use) at(h int) time.Time { return u.From.Add(time.Duration(h) * time.Hour) }

// Reserved is the number of reserved instances by class.
type Reserved map[string]float64

// unitsOfOptimized is the number of reserved units that an hour on I/O-Optimized takes per unit on Standard: 30% more,
// by AWS. https://github.com/aws/agent-toolkit-for-aws, amazon-aurora-mysql, io-optimized-pricing-tables
const unitsOfOptimized = 1.30

// apply subtracts what reservations cover in each hour from the lines of instances. They are paid either way.
func (r Reserved) apply(lines []line) {
	for class, count := range r {
		for h := range lines[0].units {
			left := Both{count, count / unitsOfOptimized}
			for i := range lines {
				if l := &lines[i]; l.item.Class == class {
					left.Standard = l.cover(&l.charged[0][h], left.Standard)
					left.Optimized = l.cover(&l.charged[1][h], left.Optimized)
				}
			}
		}
	}
}

// cover subtracts the remaining reservations, and returns what is left of them.
func (l *line) cover(charged *float64, left float64) float64 {
	if math.IsNaN(*charged) {
		return left
	}
	taken := min(*charged, left)
	*charged -= taken
	return left - taken
}
