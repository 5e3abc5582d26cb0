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

// SizeOption is one way to carry it.
type SizeOption struct {
	Volume   string `json:"volume"`
	Title    string `json:"title"`
	Provider string `json:"provider"`
	// carries, unknown, held-back (by the machine), unasked (hard disks), too-small
	Standing string  `json:"standing"`
	Why      string  `json:"why,omitempty"` // it does not carry it, or is not known to
	Tier     string  `json:"tier,omitempty"`
	Disks    int     `json:"disks,omitempty"` // of this size and make that are striped; none: one
	GiB      float64 `json:"gib,omitempty"`
	IOPS     float64 `json:"iops,omitempty"`    // bought beside the size
	MiBps    float64 `json:"mibps,omitempty"`   // likewise
	MBps     float64 `json:"mbps,omitempty"`    // the same in MB of 10^6, where it is sold so
	Volumes  int     `json:"volumes,omitempty"` // that the provider stripes it over
	// operations and MiB a second, for good; null: it cannot, or no limit is published
	Carries *[2]float64 `json:"carries"`
	Binding string      `json:"binding,omitempty"`
	// that the provider counts: where it merges all it can, and where nothing
	Operations [2]float64  `json:"operations"`
	Monthly    *float64    `json:"monthly"`
	Span       *[2]float64 `json:"monthly_span"` // what monthly may come to; null: it is no estimate
	Currency   string      `json:"currency,omitempty"`
	Region     string      `json:"region"` // whose prices count
	// from the oldest to the newest date of those in monthly
	AsOf     string `json:"prices_as_of,omitempty"`
	Inferred bool   `json:"inferred,omitempty"` // one of them was, so that it ranks no order
	// of a day for which the machine carries it by its burst alone
	OnCredits  float64           `json:"on_credits_seconds,omitempty"`
	Bill       []sizing.BillLine `json:"bill"`    // what monthly is made of
	Sources    []string          `json:"sources"` // keys, of the limits
	NoPrice    string            `json:"no_price,omitempty"`
	Instance   *sizing.Cap       `json:"instance"`
	Credits    *SizeCredits      `json:"credits"` // a smaller size that credits carry; null: none, or not known
	Bare       *SizeCredits      `json:"bare"`    // the smallest that holds the data, where its credits do not last
	Note       string            `json:"note,omitempty"`
	Unverified string            `json:"unverified,omitempty"`
}

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

// Standing returns the options that stand so to the need.
func (s Size) Standing(standing sizing.Standing) []SizeOption {
	return slices.DeleteFunc(slices.Clone(s.Options), func(o SizeOption) bool { return o.Standing != string(standing) })
}

// name has the name of the size, where sizes have names.
func (o SizeOption) name() string {
	name := strings.TrimSpace(o.Title + " " + o.Tier)
	if o.Disks > 1 {
		name = fmt.Sprintf("%d x %s", o.Disks, name)
	}
	return name
}

// sourceKeys returns the sources of an option's limits and of its price.
func (o SizeOption) sourceKeys() []string {
	keys := slices.Clone(o.Sources)
	for _, l := range o.Bill {
		keys = append(keys, l.Source)
	}
	return slices.DeleteFunc(keys, func(key string) bool { return key == "" })
}

// price returns what it costs a month, with a mark where that is an estimate, and what it is made of.
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

// carries returns what an order carries, with a mark where that must be said beside the size.
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
