package sizes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

func sizeOption(o sizing.Option, region string) SizeOption {
	v := SizeOption{
		Region: region, OnCredits: o.OnCredits,
		Volume: o.Volume.Name, Title: o.Volume.Title, Provider: o.Volume.Provider, Standing: string(o.Standing),
		Why: o.Why, NoPrice: o.NoBill,
		Operations: [2]float64{o.Least, o.Most}, Note: o.Volume.Note, Unverified: o.Volume.Unverified,
		Sources: o.Volume.Sources,
	}
	v.Credits, v.Bare = sizeCredits(o.Burst), sizeCredits(o.Bare)
	if o.Order == nil {
		return v
	}
	tier, _ := o.Volume.Tier(o.Order.GiB)
	v.Tier, v.GiB, v.IOPS, v.MiBps, v.Binding = tier.Name, o.Order.GiB, o.Order.IOPS, o.Order.MiBps,
		string(o.Order.Binding)
	if o.Volume.InMB {
		v.MBps = math.Round(o.Order.MiBps / o.Volume.Step())
	}
	v.Volumes = tier.Volumes
	if o.Disks > 1 {
		v.Disks = o.Disks
	}
	if !o.Volume.Unlimited {
		v.Carries = &[2]float64{o.Order.Capacity.IOPS, o.Order.Capacity.MiBps}
	}
	if o.Bill != nil {
		v.Bill, v.Monthly, v.Span, v.Currency, v.AsOf, v.Inferred = o.Bill.Lines, &o.Bill.Total, o.BillSpan,
			o.Bill.Currency, o.Bill.AsOf(), o.Bill.Inferred
	}
	v.Instance = o.Cap
	return v
}

// Standing returns the options with the given standing.
func (s Size) Standing(standing sizing.Standing) []SizeOption {
	return slices.DeleteFunc(slices.Clone(s.Options), func(o SizeOption) bool { return o.Standing != string(standing) })
}

// name includes the name of the size, if it has one.
func (o SizeOption) name() string {
	name := strings.TrimSpace(o.Title + " " + o.Tier)
	if o.Disks > 1 {
		name = fmt.Sprintf("%d x %s", o.Disks, name)
	}
	return name
}

// sourceKeys returns the sources of an option's limits and price.
func (o SizeOption) sourceKeys() []string {
	keys := slices.Clone(o.Sources)
	for _, l := range o.Bill {
		keys = append(keys, l.Source)
	}
	return slices.DeleteFunc(keys, func(key string) bool { return key == "" })
}

// price returns the monthly cost, marked if estimated, and its parts.
func (o SizeOption) price() document.Cell {
	c := words.Known(o.Monthly)
	if o.Span != nil {
		c.Text = "~" + number.Within(*o.Monthly, o.Span[0], o.Span[1])
	}
	var parts []string
	for _, l := range o.Bill {
		parts = append(parts, fmt.Sprintf("%s: %s", l.What, number.Grouped(l.Amount, 2)))
	}
	c.Hover = strings.Join(parts, "; ")
	return c
}

// carries returns what an option carries, marked if it was bought beside the size.
func (o SizeOption) carries(which int, bought float64) document.Cell {
	if o.Carries == nil {
		return document.Words("-")
	}
	c := whole(o.Carries[which])
	if bought > 0 {
		c.Text += "*"
	}
	return c
}

// everyOption returns a row for each option, including those that do not carry the load, in columns named like the
// fields of JSON.
func (s Size) everyOption() document.Table {
	t := document.Grid[SizeOption]{Of: s.Options}
	add := func(name string, of func(SizeOption) document.Cell) { t.Column(document.Wordy(name), of) }
	t.Wordy("volume", func(o SizeOption) string { return o.Volume })
	t.Wordy("title", func(o SizeOption) string { return o.Title })
	t.Wordy("provider", func(o SizeOption) string { return o.Provider })
	t.Wordy("standing", func(o SizeOption) string { return o.Standing })
	t.Wordy("why", func(o SizeOption) string { return o.Why })
	t.Wordy("tier", func(o SizeOption) string { return o.Tier })
	add("disks", func(o SizeOption) document.Cell { return words.Exact(float64(max(1, o.Disks))) })
	add("gib", func(o SizeOption) document.Cell { return bought(o.GiB) })
	add("iops", func(o SizeOption) document.Cell { return bought(o.IOPS) })
	add("mibps", func(o SizeOption) document.Cell { return bought(o.MiBps) })
	add("carries_iops", func(o SizeOption) document.Cell { return end(o.Carries, 0) })
	add("carries_mibps", func(o SizeOption) document.Cell { return end(o.Carries, 1) })
	t.Wordy("binding", func(o SizeOption) string { return o.Binding })
	add("monthly", func(o SizeOption) document.Cell { return optional(o.Monthly) })
	add("monthly_lo", func(o SizeOption) document.Cell { return end(o.Span, 0) })
	add("monthly_hi", func(o SizeOption) document.Cell { return end(o.Span, 1) })
	t.Wordy("currency", func(o SizeOption) string { return o.Currency })
	t.Wordy("region", func(o SizeOption) string { return o.Region })
	t.Wordy("prices_as_of", func(o SizeOption) string { return o.AsOf })
	t.Wordy("instance_carries", func(o SizeOption) string {
		if o.Instance == nil {
			return ""
		}
		return fmt.Sprint(o.Instance.Carries)
	})
	credits := func(name string, of func(SizeOption) *SizeCredits, value func(SizeCredits) *float64) {
		add(name, func(o SizeOption) document.Cell {
			if c := of(o); c != nil {
				return optional(value(*c))
			}
			return document.Words("")
		})
	}
	enough := func(o SizeOption) *SizeCredits { return o.Credits }
	bare := func(o SizeOption) *SizeCredits { return o.Bare }
	credits("credits_gib", enough, func(c SizeCredits) *float64 { return &c.GiB })
	credits("credits_monthly", enough, func(c SizeCredits) *float64 { return c.Monthly })
	t.Wordy("credits_prices_as_of", func(o SizeOption) string {
		if o.Credits == nil {
			return ""
		}
		return o.Credits.AsOf
	})
	credits("credits_lowest_percent", enough, func(c SizeCredits) *float64 { return &c.Lowest })
	credits("bare_gib", bare, func(c SizeCredits) *float64 { return &c.GiB })
	// while credits last there is no bare
	credits("bare_dry_at", bare, func(c SizeCredits) *float64 { return new(float64(*c.Dry)) })
	credits("bare_served_dry_operations", bare, func(c SizeCredits) *float64 { return &c.Served.Operations })
	credits("bare_served_dry_bytes", bare, func(c SizeCredits) *float64 { return &c.Served.Bytes })
	credits("bare_refill_seconds", bare, func(c SizeCredits) *float64 { return &c.Refills })
	return t.Table
}

// bought returns an amount; empty if zero.
func bought(v float64) document.Cell {
	if v == 0 {
		return document.Words("")
	}
	return words.Exact(v)
}

func optional(v *float64) document.Cell {
	if v == nil {
		return document.Words("")
	}
	return words.Exact(*v)
}

func end(span *[2]float64, i int) document.Cell {
	if span == nil {
		return document.Words("")
	}
	return words.Exact(span[i])
}
