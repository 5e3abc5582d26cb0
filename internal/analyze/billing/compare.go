package billing

import (
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/stats"
)

// Schema names the JSON that a [Comparison] is written as.
const Schema = "realiops.aurora-cost/1"

// Comparison is what a cluster cost in both configurations.
type Comparison struct {
	Schema     string     `json:"schema"`
	Cluster    string     `json:"cluster"`
	Region     string     `json:"region"`
	Currency   string     `json:"currency"`
	Now        string     `json:"now"`         // its configuration: aurora, aurora-iopt1; empty: not known
	NextSwitch *time.Time `json:"next_switch"` // from when on AWS lets it change to I/O-Optimized; nil: not known
	Reserved   Reserved   `json:"reserved,omitempty"`
	Items      []Item     `json:"items"`
	Whole      Stretch    `json:"whole"`
	Months     []Stretch  `json:"months"`
	Days       []Day      `json:"days"` // those of which every hour is compared
	Verdict    Verdict    `json:"verdict"`
	Turns      []Turn     `json:"turns"`
	Switching  *Switching `json:"switching"` // nil: too few days
	Warnings   []string   `json:"warnings"`

	told bool
}

// Stretch is some hours, and what those of them cost of which all is known.
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
	Days      int       `json:"days"`       // of which every hour is compared
	Beyond    int       `json:"days_beyond"`
	Spread    *Spread   `json:"saved_a_day"` // by I/O-Optimized; nil: no such days
}

// Spread is what days came to.
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

	number int // of days since the first
}

// Saved is what I/O-Optimized would have cost less that day.
func (d Day) Saved() float64 { return d.IO - d.BreakEven }

// Compare charges both configurations for a use.
func Compare(u Use, t sizing.Tariff, reserved Reserved) Comparison {
	lines := u.lines(t, reserved)
	c := Comparison{Schema: Schema, Region: t.Region, Currency: t.Currency(), Reserved: reserved, told: u.Told}
	for _, l := range lines {
		c.Items = append(c.Items, l.item)
	}
	bill := u.bill(lines)
	c.Whole = bill.stretch(0, len(bill.hours))
	if !u.Told {
		for _, b := range bill.cut(func(at time.Time) string { return at.Format("2006-01") }) {
			c.Months = append(c.Months, bill.stretch(b[0], b[1]))
		}
		c.Days = bill.days(0, len(bill.hours))
	}
	c.Verdict = c.judge()
	c.Turns = c.turns(lines)
	c.Switching = switching(c.Days)
	c.Warnings = c.warn(u)
	return c
}

// bill is what each hour costs, by the parts of a bill.
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
		one := hour{known: true}
		for _, l := range lines {
			one.parts[l.kind] = one.parts[l.kind].plus(l.cost(h))
		}
		for _, p := range one.parts {
			one.known = one.known && number.Finite(p.Standard) && number.Finite(p.Optimized)
		}
		b.hours[h] = one
	}
	return b
}

// cut divides the hours where a name of theirs changes.
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
	for _, one := range b.hours[from:to] {
		if !one.known {
			continue
		}
		s.Compared++
		s.IO += one.parts[io].Standard
		s.Compute, s.Storage = s.Compute.plus(one.parts[compute]), s.Storage.plus(one.parts[storage])
	}
	s.Total = Both{Standard: s.IO}.plus(s.Compute).plus(s.Storage)
	s.BreakEven = -s.Compute.Saved() - s.Storage.Saved()
	if s.Compared == 0 {
		nothing := Both{math.NaN(), math.NaN()}
		s.IO, s.Compute, s.Storage, s.Total, s.BreakEven = math.NaN(), nothing, nothing, nothing, math.NaN()
	}
	if b.Told {
		return s
	}
	var saved []float64
	for _, d := range b.days(from, to) {
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

// days are those of which every hour is compared.
func (b bill) days(from, to int) (all []Day) {
	for _, part := range b.cut(func(at time.Time) string { return at.Format(time.DateOnly) }) {
		if part[0] < from || part[1] > to || part[1]-part[0] < 24 {
			continue
		}
		d := Day{Date: b.at(part[0]).Format(time.DateOnly), number: int(b.at(part[0]).Sub(b.From.Truncate(24*time.Hour)).Hours() / 24)}
		known := true
		for _, one := range b.hours[part[0]:part[1]] {
			d.IO += one.parts[io].Standard
			d.Total = d.Total.plus(one.parts[io]).plus(one.parts[compute]).plus(one.parts[storage])
			known = known && one.known
		}
		if d.BreakEven = d.IO - d.Total.Saved(); known {
			all = append(all, d)
		}
	}
	return all
}
