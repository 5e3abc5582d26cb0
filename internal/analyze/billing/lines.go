package billing

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// Item is one billed item, over all hours in which it is known.
type Item struct {
	What    string  `json:"what"`            // reads, writes, storage, or the name of an instance
	Class   string  `json:"class,omitempty"` // of an instance
	Unit    string  `json:"unit"`            // million, GiB-months, hours, ACU-hours
	Amount  float64 `json:"amount"`
	Hours   int     `json:"hours"` // in which it is known
	Price   Both    `json:"price"` // of one unit
	Cost    Both    `json:"cost"`  // after reservations
	Missing string  `json:"missing,omitempty"`

	Inferred string   `json:"price_inferred,omitempty"` // from what; empty: the price is known
	Sources  []string `json:"price_sources"`            // keys
}

// asOf returns the dates of its prices, oldest and newest.
func (i Item) asOf() string {
	var dates []string
	for _, key := range i.Sources {
		dates = append(dates, catalog.AsOf(key))
	}
	return catalog.Dates(dates...)
}

// kind is the part of a bill that an item belongs to.
type kind int

const (
	io kind = iota
	storage
	compute
	gone // its class is unknown: in no hour's cost
)

// line is an item by the hour.
type line struct {
	item    Item
	kind    kind
	may     []Both       // range of the price; none: it is known
	units   []float64    // in each hour; NaN: unknown
	charged [2][]float64 // of the units, on Standard and on I/O-Optimized
}

func (u Use) lines(t sizing.Tariff, reserved Reserved) []line {
	millions := func(operations []float64) []float64 { return scaled(operations, func(int) float64 { return 1e-6 }) }
	gibMonths := scaled(u.Bytes, func(h int) float64 { return 1 / float64(1<<30) / u.hoursOfMonth(h) })
	operation := quoted(t, catalog.PerMillionIO, "")
	all := []line{
		newLine(Item{What: "reads", Unit: "million"}, io, operation, millions(u.Reads)),
		newLine(Item{What: "writes", Unit: "million"}, io, operation, millions(u.Writes)),
		newLine(Item{What: "storage", Unit: "GiB-months"}, storage, quoted(t, catalog.PerGiB, ""), gibMonths),
	}
	for _, i := range u.Instances {
		unit := "hours"
		if i.Class == Serverless {
			unit = "ACU-hours"
		}
		all = append(all, newLine(Item{What: i.Name, Class: i.Class, Unit: unit}, compute,
			quoted(t, catalog.PerHour, i.Class), i.Units))
	}
	if len(u.Instances) == 0 {
		nobody := slices.Repeat([]float64{math.NaN()}, len(u.Reads))
		all = append(all, newLine(Item{What: "instances", Unit: "hours"}, compute, unknown(), nobody))
	}
	reserved.apply(all)
	if slices.ContainsFunc(u.Gone, func(hours float64) bool { return hours > 0 }) {
		all = append(all, newLine(Item{What: "unnamed instances", Unit: "hours"}, gone, unknown(), u.Gone))
	}
	for i := range all {
		all[i].total(t.Region, u.Elsewhere)
	}
	return all
}

func newLine(item Item, of kind, q quote, units []float64) line {
	item.Price, item.Inferred, item.Sources = q.Both, q.how, q.sources
	return line{item: item, kind: of, may: q.may, units: units, charged: [2][]float64{slices.Clone(units),
		slices.Clone(units)}}
}

func scaled(values []float64, by func(h int) float64) []float64 {
	all := make([]float64, len(values))
	for h, v := range values {
		all[h] = v * by(h)
	}
	return all
}

func (l line) cost(h int) Both { return l.at(h, l.item.Price) }

// at returns the cost of an hour at a price; no units cost nothing, even at an unknown price.
func (l line) at(h int, p Both) Both {
	charge := func(units, price float64) float64 {
		if units == 0 {
			return 0
		}
		return units * price
	}
	return Both{charge(l.charged[0][h], p.Standard), charge(l.charged[1][h], p.Optimized)}
}

// total adds up the known hours, and says why there are none.
func (l *line) total(region string, of Command) {
	for h, units := range l.units {
		if math.IsNaN(units) {
			continue
		}
		l.item.Hours++
		l.item.Amount += units
		l.item.Cost = l.item.Cost.plus(l.cost(h))
	}
	if l.item.Hours == 0 {
		l.item.Amount, l.item.Cost = math.NaN(), Both{math.NaN(), math.NaN()}
	}
	l.item.Missing = l.missing(region, of)
}

// missing says what is unknown, and which input or flag tells it.
func (l line) missing(region string, of Command) string {
	switch {
	case l.kind == gone:
		return hoursGone(l.item.Amount) + ": name each with " + of.flag("--instance NAME=CLASS@FROM..TO")
	case l.kind == compute && l.item.What == "instances":
		return "no instance is known: give the class of each with " + of.flag("--class")
	case l.kind == compute && l.item.Class == "":
		return "the class of " + l.item.What + " is not known: name it with " + of.flag("--instance NAME=CLASS")
	case l.item.Amount == 0 && l.kind == compute:
		return ""
	case l.item.Hours == 0 && l.kind == compute:
		return "when " + l.item.What + " ran is not known: " + map[bool]string{true: "ServerlessDatabaseCapacity",
			false: "CPUUtilization"}[l.item.Class == Serverless] + " tells it"
	case l.item.Hours == 0:
		return map[string]string{
			"reads":   "the number of billed reads is unknown: add VolumeReadIOPs, or reads= to " + of.flag("--month"),
			"writes":  "the number of billed writes is unknown: add VolumeWriteIOPs, or writes= to " + of.flag("--month"),
			"storage": "the billed storage is unknown: add VolumeBytesUsed, or gib= to " + of.flag("--month"),
		}[l.item.What]
	case !number.Finite(l.item.Price.Standard), !number.Finite(l.item.Price.Optimized):
		return "no price is known for " + cmp.Or(l.item.Class, l.item.What) + " in both configurations in " + region +
			": " + askPrices(region)
	default:
		return ""
	}
}

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
