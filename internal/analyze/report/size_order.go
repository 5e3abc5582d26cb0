package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// SizeOrder is what to order, in short.
type SizeOrder struct {
	SizeChosen
	If      string      `json:"if,omitempty"` // what is not known and must hold for it
	Next    *SizeChosen `json:"next"`         // the cheapest of another kind; null: nothing else is known to carry it
	Decides string      `json:"decides"`
	Changes []string    `json:"changes"` // what another load, other data or more knowledge would do to it
}

// SizeChosen is one order.
type SizeChosen struct {
	Volume   string   `json:"volume"`
	Title    string   `json:"title"`           // with the name of the size, where sizes have names
	Disks    int      `json:"disks,omitempty"` // that are striped, each as it stands here; none: one
	GiB      float64  `json:"gib"`
	IOPS     float64  `json:"iops,omitempty"`  // bought beside the size
	MiBps    float64  `json:"mibps,omitempty"` // likewise
	MBps     float64  `json:"mbps,omitempty"`  // the same in MB of 10^6, where it is sold so
	Monthly  *float64 `json:"monthly"`
	Currency string   `json:"currency,omitempty"`
}

func (o SizeOption) chosen() SizeChosen {
	return SizeChosen{o.Volume, o.name(), o.Disks, o.GiB, o.IOPS, o.MiBps, o.MBps, o.Monthly, o.Currency}
}

// order is the choice in the form that is shown; nil: there is none.
func (s Size) order(c *sizing.Choice) *SizeOrder {
	if c == nil {
		return nil
	}
	o := sizeOption(c.Option)
	v := &SizeOrder{SizeChosen: o.chosen(), If: c.If, Decides: s.deciding(o), Changes: []string{}}
	if c.Next != nil {
		v.Next = new(sizeOption(*c.Next).chosen())
	}
	for _, turn := range c.Turns {
		v.Changes = append(v.Changes, s.turning(turn))
	}
	return v
}

// deciding says what each part of an order follows from.
func (s Size) deciding(o SizeOption) string {
	size := fmt.Sprintf("%s GiB are for the %s a second", number.Grouped(o.GiB, 0), map[string]string{"operations": "operations", "bytes": "bytes"}[o.Binding])
	if o.Binding == string(sizing.BySize) {
		size = fmt.Sprintf("%s GiB hold the data", number.Grouped(o.GiB, 0))
	}
	if o.Tier != "" && o.GiB > math.Ceil(s.Sized.GiB) && o.Binding == string(sizing.BySize) {
		size = fmt.Sprintf("%s is the least size that holds the data", o.Tier)
	}
	parts := []string{size}
	if o.MiBps > 0 {
		parts = append(parts, o.chosen().bytes()+" are its bytes")
	}
	operations, disks := math.Ceil(o.Operations[1]), float64(max(1, o.Disks))
	switch ofOne := math.Ceil(o.Operations[1] / disks); {
	case o.IOPS > ofOne && o.MiBps > 0:
		parts = append(parts, fmt.Sprintf("%s IOPS are what so many bytes take", number.Grouped(o.IOPS, 0)))
	case o.IOPS > ofOne:
		parts = append(parts, fmt.Sprintf("%s IOPS are for its bytes, or the least that is sold", number.Grouped(o.IOPS, 0)))
	case o.IOPS > 0:
		parts = append(parts, fmt.Sprintf("%s IOPS are its operations", number.Grouped(o.IOPS, 0)))
	case o.Carries != nil:
		parts = append(parts, fmt.Sprintf("its %s operations are within the %s that come with it", number.Grouped(operations, 0), number.Grouped(o.Carries[0], 0)))
	}
	return enumerated(parts, ", and ")
}

// turning says what would be ordered for another need.
func (s Size) turning(t sizing.Turn) string {
	of := fmt.Sprintf("%g times the load", t.Load)
	if t.Load == 1 {
		of = fmt.Sprintf("%s GiB of data", number.Grouped(s.Sized.GiB*t.Data, 0))
	}
	if t.Option == nil {
		return of + ": nothing here is known to carry that"
	}
	return of + ": " + sizeOption(*t.Option).chosen().text()
}

// text is an order as somebody would place it, and its price.
func (c SizeChosen) text() string {
	parts := []string{c.Title, number.Grouped(c.GiB, 0) + " GiB"}
	if c.IOPS > 0 {
		parts = append(parts, number.Grouped(c.IOPS, 0)+" IOPS")
	}
	if c.MiBps > 0 {
		parts = append(parts, c.bytes())
	}
	price := "no price known"
	if c.Monthly != nil {
		price = fmt.Sprintf("%s %s a month", number.Rate(*c.Monthly), c.Currency)
	}
	return strings.Join(parts, ", ") + ": " + price
}

// bytes is the throughput that is bought, in the unit that it is sold in.
func (c SizeChosen) bytes() string {
	if c.MBps > 0 {
		return number.Grouped(c.MBps, 0) + " MB/s"
	}
	return number.Grouped(c.MiBps, 0) + " MiB/s"
}

// inShort says what to order, in a line or two for each thought.
func (s Size) inShort() document.Block {
	o := s.Order
	switch {
	case len(s.Options) == 0:
		return nil
	case o == nil:
		return document.Paragraph{Text: "Order: nothing. No storage here is known to carry " + s.load() + s.behind() + "."}
	}
	order := "Order: " + o.text()
	if o.If != "" {
		order += ", if the machine lets it by: " + o.If
	}
	said := document.Together{document.Paragraph{Text: order + "."}}
	if o.Next != nil {
		said = append(said, document.Paragraph{Text: "Next cheapest: " + o.Next.text() + "."})
	}
	said = append(said, document.Paragraph{Text: "What decides: " + o.Decides + "."})
	changes := "nothing between a tenth and ten times the load, or the data"
	if len(o.Changes) > 0 {
		changes = strings.Join(o.Changes, "; ")
	}
	return append(said, document.Paragraph{Text: "What would change it: " + changes + "."})
}
