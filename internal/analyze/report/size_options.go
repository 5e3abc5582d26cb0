package report

import (
	"slices"
	"strings"
)

// optionTable shows what carries it.
func (s Size) optionTable(width int) string {
	if len(s.Options) == 0 {
		return "" // none was asked for
	}
	if len(s.carrying()) == 0 {
		return "No volume carries it."
	}
	return optionTitle + "\n\n" + s.optionGrid().layout(width) + "\n" + wrapped(s.optionLegend(), width)
}

const optionTitle = "What carries it for good"

func (s Size) optionLegend() string {
	text := "* is bought beside the size. Prices of " + s.places() + ", without machines; - where none is known: see --price."
	if slices.ContainsFunc(s.Options, func(o SizeOption) bool { return o.Span != nil }) {
		text += " ~ is an estimate: see Aurora below."
		if s.Aurora != nil && s.Aurora.Standard != nil {
			text += " I/O-Optimized has the 30 % in it that the " + s.machine() + " costs more there."
		}
	}
	if slices.ContainsFunc(s.carrying(), func(o SizeOption) bool { return o.Volumes > 1 }) {
		text += " RDS stripes it over four volumes from 400 GiB on."
	}
	return text
}

// places are the regions that prices are of: Azure and Google have one each.
func (s Size) places() string {
	places := []string{}
	for _, p := range []struct{ provider, place string }{{"", s.Sized.Region}, {"azure", "East US"}, {"google", "us-central1"}} {
		of := func(o SizeOption) bool {
			return o.Provider == p.provider || p.provider == "" && o.Provider != "azure" && o.Provider != "google"
		}
		if slices.ContainsFunc(s.carrying(), of) {
			places = append(places, p.place)
		}
	}
	if last := len(places) - 1; last > 0 {
		return strings.Join(places[:last], ", ") + " and " + places[last]
	}
	return strings.Join(places, "")
}

func (s Size) optionGrid() *grid {
	options := s.carrying()
	g := newGrid("volume", nil)
	for _, o := range options {
		g.rows = append(g.rows, []string{o.name()})
	}
	add := func(header string, of func(SizeOption) string) {
		var cells []string
		for _, o := range options {
			cells = append(cells, of(o))
		}
		g.add(header, cells)
	}
	add("GiB", func(o SizeOption) string { return grouped(o.GiB, 0) })
	add("IOPS", func(o SizeOption) string { return o.bought(0, o.IOPS) })
	add("MiB/s", func(o SizeOption) string { return o.bought(1, o.MiBps) })
	if slices.ContainsFunc(options, func(o SizeOption) bool { return o.Instance != nil }) {
		add(s.machine()+"\nlets by", s.through)
	}
	add("decided by", func(o SizeOption) string { return o.Binding })
	add(s.currency()+"\na month", func(o SizeOption) string { return o.costs() })
	return g
}

// costs is what it costs a month, with a mark where that is an estimate.
func (o SizeOption) costs() string {
	if o.Span != nil {
		return "~" + known(o.Monthly, 1)
	}
	return known(o.Monthly, 1)
}

// machine is the class that was asked for, as its provider says it in short.
func (s Size) machine() string { return strings.TrimPrefix(s.Sized.Instance, "Standard_") }

func (s Size) carrying() []SizeOption {
	return slices.DeleteFunc(slices.Clone(s.Options), func(o SizeOption) bool { return o.Why != "" })
}

// name has the name of the size, where sizes have names.
func (o SizeOption) name() string {
	if o.Tier == "" {
		return o.Title
	}
	return o.Title + " " + o.Tier
}

// bought is what an order carries, with a mark where that must be said beside the size.
func (o SizeOption) bought(which int, bought float64) string {
	switch {
	case o.Carries == nil:
		return "-"
	case bought > 0:
		return grouped(o.Carries[which], 0) + "*"
	default:
		return grouped(o.Carries[which], 0)
	}
}

func (s Size) currency() string { return s.Sized.Currency }

// through says whether a machine lets it through, or else how much of what is too little.
func (s Size) through(o SizeOption) string {
	need := s.Sized.Rate.Bytes / (1 << 20) * (1 + s.Sized.Headroom/100)
	switch i := o.Instance; {
	case i == nil:
		return "-"
	case i.Carries:
		return "yes"
	case i.MiBps < need:
		return grouped(i.MiBps, 0) + " MiB/s"
	default:
		return grouped(i.IOPS, 0) + " IOPS"
	}
}
