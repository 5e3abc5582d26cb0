package billing

import (
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/stats"
)

// Schema names the JSON form of a [Comparison].
const Schema = "realiops.aurora-cost/1"

// Comparison compares a cluster's costs in both configurations.
type Comparison struct {
	Schema   string `json:"schema"`
	Cluster  string `json:"cluster"`
	Region   string `json:"region"`
	Currency string `json:"currency"`
	// dates of the prices in all amounts, oldest and newest
	AsOf string `json:"prices_as_of,omitempty"`
	Now  string `json:"now"` // its configuration: aurora, aurora-iopt1; empty: unknown
	// when AWS next allows a change to I/O-Optimized; nil: unknown
	NextSwitch *time.Time `json:"next_switch"`
	Reserved   Reserved   `json:"reserved,omitempty"`
	Items      []Item     `json:"items"`
	Whole      Stretch    `json:"whole"`
	Months     []Stretch  `json:"months"`
	Days       []Day      `json:"days"` // with every hour compared
	Verdict    Verdict    `json:"verdict"`
	Turns      []Turn     `json:"turns"`
	Switching  *Switching `json:"switching"` // nil: too few days
	Warnings   []string   `json:"warnings"`

	stated    bool
	elsewhere Command // as in [Use]
	gone      float64 // hours of deleted instances, in the compared hours
	uncounted int     // compared hours with an unknown number of instances

	savedLeast, savedMost float64 // by I/O-Optimized in those hours, over the range of inferred prices
	// the least and the most that I/O-Optimized saved in a compared hour
	hourLeast, hourMost float64
	thin                int     // as in [Use]
	period              float64 // as in [Use]
	// extra cost of an hour of the cluster's dearest class on I/O-Optimized; NaN: unknown
	dearest float64
	// extra cost of storage on I/O-Optimized in the hours without any sign of life
	stopped float64
}

// Stretch is a range of hours, and the cost of those in which everything is known.
type Stretch struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Hours     int       `json:"hours"`
	Compared  int       `json:"compared_hours"`
	IO        float64   `json:"io"` // on Standard
	Compute   Both      `json:"compute"`
	Storage   Both      `json:"storage"`
	Total     Both      `json:"total"`
	BreakEven float64   `json:"break_even"` // of I/O: what the rest costs more on I/O-Optimized
	Days      int       `json:"days"`       // with every hour compared
	Beyond    int       `json:"days_beyond"`
	Spread    *Spread   `json:"saved_a_day"` // by I/O-Optimized; nil: no such days
}

// Spread is the distribution of the days' savings.
type Spread struct {
	Lowest  float64 `json:"lowest"`
	Median  float64 `json:"median"`
	Highest float64 `json:"highest"`
}

// Day is a whole day, in UTC.
type Day struct {
	Date      string  `json:"date"`
	IO        float64 `json:"io"`
	BreakEven float64 `json:"break_even"`
	Total     Both    `json:"total"`

	number int // days since the first
}

// Saved returns what I/O-Optimized would have saved that day.
func (d Day) Saved() float64 { return d.IO - d.BreakEven }

// Compare charges both configurations for a use.
func Compare(u Use, t sizing.Tariff, reserved Reserved) Comparison {
	lines := u.lines(t, reserved)
	c := Comparison{Schema: Schema, Region: t.Region, Currency: t.Currency(), Reserved: reserved, stated: u.Stated,
		elsewhere: u.Elsewhere, thin: u.Thin, period: u.Period}
	var dates []string
	for _, l := range lines {
		c.Items = append(c.Items, l.item)
		dates = append(dates, l.item.asOf())
	}
	c.AsOf = catalog.Dates(dates...)
	bill := u.bill(lines)
	c.Whole = bill.stretch(0, len(bill.hours))
	if !u.Stated {
		for _, b := range bill.cut(func(at time.Time) string { return at.Format("2006-01") }) {
			c.Months = append(c.Months, bill.stretch(b[0], b[1]))
		}
		c.Days = bill.days(0, len(bill.hours), 24)
	}
	c.weigh(bill, lines)
	c.Verdict = c.judge()
	c.Turns = c.turns(lines)
	if len(c.Days) >= enoughDays {
		c.Switching = switching(bill.days(0, len(bill.hours), 1))
	}
	c.Warnings = c.warn(u)
	return c
}

// bill is the cost of each hour, by the parts of a bill.
type bill struct {
	Use
	hours []hour
}

type hour struct {
	parts [compute + 1]Both
	known bool
}

func (u Use) bill(lines []line) bill {
	b := bill{u, make([]hour, len(u.Reads))}
	for h := range b.hours {
		next := hour{known: true}
		for _, l := range lines {
			if l.kind != gone {
				next.parts[l.kind] = next.parts[l.kind].plus(l.cost(h))
			}
		}
		for _, p := range next.parts {
			next.known = next.known && number.Finite(p.Standard) && number.Finite(p.Optimized)
		}
		b.hours[h] = next
	}
	return b
}

// cut splits the hours where their name changes.
func (b bill) cut(name func(time.Time) string) (parts [][2]int) {
	begin := 0
	for h := 1; h <= len(b.hours); h++ {
		if h == len(b.hours) || name(b.at(h)) != name(b.at(begin)) {
			parts, begin = append(parts, [2]int{begin, h}), h
		}
	}
	return parts
}

func (b bill) stretch(from, to int) Stretch {
	s := Stretch{From: b.at(from), To: b.at(to), Hours: to - from}
	for _, hour := range b.hours[from:to] {
		if !hour.known {
			continue
		}
		s.Compared++
		s.IO += hour.parts[io].Standard
		s.Compute, s.Storage = s.Compute.plus(hour.parts[compute]), s.Storage.plus(hour.parts[storage])
	}
	s.Total = Both{Standard: s.IO}.plus(s.Compute).plus(s.Storage)
	s.BreakEven = -s.Compute.Saved() - s.Storage.Saved()
	if s.Compared == 0 {
		nothing := Both{math.NaN(), math.NaN()}
		s.IO, s.Compute, s.Storage, s.Total, s.BreakEven = math.NaN(), nothing, nothing, nothing, math.NaN()
	}
	if b.Stated {
		return s
	}
	var saved []float64
	for _, d := range b.days(from, to, 24) {
		saved = append(saved, d.Saved())
		if d.Saved() > 0 {
			s.Beyond++
		}
	}
	if s.Days = len(saved); s.Days > 0 {
		s.Spread = &Spread{slices.Min(saved), stats.Median(saved), slices.Max(saved)}
	}
	return s
}

// days returns the days with at least that many compared hours, and their cost; 24 means whole days only.
func (b bill) days(from, to, least int) (all []Day) {
	for _, part := range b.cut(func(at time.Time) string { return at.Format(time.DateOnly) }) {
		if part[0] < from || part[1] > to {
			continue
		}
		d := Day{Date: b.at(part[0]).Format(time.DateOnly),
			number: int(b.at(part[0]).Sub(b.From.Truncate(24*time.Hour)).Hours() / 24)}
		known := 0
		for _, hour := range b.hours[part[0]:part[1]] {
			if !hour.known {
				continue
			}
			known++
			d.IO += hour.parts[io].Standard
			d.Total = d.Total.plus(hour.parts[io]).plus(hour.parts[compute]).plus(hour.parts[storage])
		}
		if d.BreakEven = d.IO - d.Total.Saved(); known >= least {
			all = append(all, d)
		}
	}
	return all
}

// weigh sets the range of the saving by I/O-Optimized, given inferred prices and deleted instances.
func (c *Comparison) weigh(b bill, lines []line) {
	c.savedLeast, c.savedMost, c.dearest = c.Whole.Total.Saved(), c.Whole.Total.Saved(), math.NaN()
	for _, l := range lines {
		spent := func(p Both) (saved float64) {
			for h, hour := range b.hours {
				if hour.known {
					saved += l.at(h, p).Saved()
				}
			}
			return saved
		}
		if l.kind == gone {
			continue
		}
		base := spent(l.item.Price)
		least, most := base, base
		for _, p := range l.may {
			least, most = min(least, spent(p)), max(most, spent(p))
		}
		c.savedLeast, c.savedMost = c.savedLeast+least-base, c.savedMost+most-base
		for _, p := range append(l.may, l.item.Price) {
			if l.kind == compute && l.item.Class != Serverless && number.Finite(p.Saved()) && !(-p.Saved() <= c.dearest) {
				c.dearest = -p.Saved()
			}
		}
	}
	c.hourLeast, c.hourMost = math.Inf(1), math.Inf(-1)
	for _, hour := range b.hours {
		if saved := hour.parts[io].plus(hour.parts[compute]).plus(hour.parts[storage]).Saved(); hour.known {
			c.hourLeast, c.hourMost = min(c.hourLeast, saved), max(c.hourMost, saved)
		}
	}
	for h, others := range b.Gone {
		switch {
		case !b.hours[h].known:
		case math.IsNaN(others):
			c.uncounted++
		default:
			c.gone += others
		}
	}
	for h, stopped := range b.Stopped {
		if stopped && b.hours[h].known {
			c.stopped -= b.hours[h].parts[storage].Saved()
		}
	}
}
