package billing

import (
	"cmp"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// Item is one thing that is billed, over all hours of which it is known.
type Item struct {
	What    string  `json:"what"`            // reads, writes, storage, or an instance by its name
	Class   string  `json:"class,omitempty"` // of an instance
	Unit    string  `json:"unit"`            // million, GiB-months, hours, ACU-hours
	Amount  float64 `json:"amount"`
	Hours   int     `json:"hours"` // of which it is known
	Price   Both    `json:"price"` // of one unit
	Cost    Both    `json:"cost"`  // with what reservations cover taken off
	Missing string  `json:"missing,omitempty"`
}

// kind is the part of a bill that an item belongs to.
type kind int

const (
	io kind = iota
	storage
	compute
)

// line is an item hour by hour.
type line struct {
	item    Item
	kind    kind
	units   []float64    // in each hour; NaN: not known
	charged [2][]float64 // of them, on Standard and on I/O-Optimized
}

// lines are all that is billed.
func (u Use) lines(t sizing.Tariff, reserved Reserved) []line {
	millions := func(operations []float64) []float64 { return scaled(operations, func(int) float64 { return 1e-6 }) }
	gibMonths := scaled(u.Bytes, func(h int) float64 { return 1 / float64(1<<30) / u.hoursOfMonth(h) })
	all := []line{
		newLine(Item{What: "reads", Unit: "million", Price: ioPrice(t)}, io, millions(u.Reads)),
		newLine(Item{What: "writes", Unit: "million", Price: ioPrice(t)}, io, millions(u.Writes)),
		newLine(Item{What: "storage", Unit: "GiB-months", Price: price(t, catalog.PerGiB, "")}, storage, gibMonths),
	}
	for _, i := range u.Instances {
		unit := "hours"
		if i.Class == Serverless {
			unit = "ACU-hours"
		}
		all = append(all, newLine(Item{What: i.Name, Class: i.Class, Unit: unit, Price: price(t, catalog.PerHour, i.Class)}, compute, i.Units))
	}
	if len(u.Instances) == 0 {
		nobody := slices.Repeat([]float64{math.NaN()}, len(u.Reads))
		all = append(all, newLine(Item{What: "instances", Unit: "hours", Price: Both{math.NaN(), math.NaN()}}, compute, nobody))
	}
	reserved.apply(all)
	for i := range all {
		all[i].total(t.Region)
	}
	return all
}

func newLine(item Item, of kind, units []float64) line {
	return line{item, of, units, [2][]float64{slices.Clone(units), slices.Clone(units)}}
}

func scaled(values []float64, by func(h int) float64) []float64 {
	all := make([]float64, len(values))
	for h, v := range values {
		all[h] = v * by(h)
	}
	return all
}

// cost is what the line costs in an hour.
func (l line) cost(h int) Both {
	return Both{l.charged[0][h] * l.item.Price.Standard, l.charged[1][h] * l.item.Price.Optimized}
}

// total adds up the hours of which it is known, and says why it is not where none is.
func (l *line) total(region string) {
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
	l.item.Missing = l.missing(region)
}

// missing says what is not known of an item, and how to get it.
func (l line) missing(region string) string {
	switch {
	case l.kind == compute && l.item.What == "instances":
		return "no instance is known: name each with --class"
	case l.kind == compute && l.item.Class == "":
		return "the class of " + l.item.What + " is not known: name it with --class NAME=CLASS"
	case l.item.Hours == 0 && l.kind == compute:
		return "when " + l.item.What + " ran is not known: " + map[bool]string{true: "ServerlessDatabaseCapacity", false: "CPUUtilization"}[l.item.Class == Serverless] + " tells it"
	case l.item.Hours == 0:
		return map[string]string{
			"reads":   "how many reads were billed is not known: VolumeReadIOPs tells it",
			"writes":  "how many writes were billed is not known: VolumeWriteIOPs tells it",
			"storage": "how much storage was billed is not known: VolumeBytesUsed tells it",
		}[l.item.What]
	case !number.Finite(l.item.Price.Standard), !number.Finite(l.item.Price.Optimized):
		return "no price is known of " + cmp.Or(l.item.Class, l.item.What) + " in both configurations in " + region + ": realiops prices asks for it, and --price takes the file"
	default:
		return ""
	}
}
