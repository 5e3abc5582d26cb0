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
		c.Text = "~" + c.Text
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
