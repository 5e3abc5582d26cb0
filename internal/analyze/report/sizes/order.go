package sizes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/printable"
)

func (o SizeOption) chosen() SizeChosen {
	return SizeChosen{Volume: o.Volume, Title: o.name(), Disks: o.Disks, GiB: o.GiB, IOPS: o.IOPS, MiBps: o.MiBps,
		MBps: o.MBps, Monthly: o.Monthly, Currency: o.Currency, Region: o.Region, AsOf: o.AsOf, Inferred: o.Inferred}
}

// order returns the choice in the form that is shown; nil if there is none.
func (s Size) order(c *sizing.Choice, region func(sizing.Option) string) *SizeOrder {
	if c == nil {
		return nil
	}
	named := s.Sized.DefaultRegion ||
		slices.ContainsFunc(s.Options, func(o SizeOption) bool { return o.Region != s.Options[0].Region })
	shown := func(o sizing.Option) SizeChosen {
		chosen := sizeOption(o, region(o)).chosen()
		chosen.unpriced = map[catalog.Per]string{catalog.PerIOPS: " per IOPS",
			catalog.PerMiBps: " per MiB/s"}[o.Unpriced]
		chosen.regions = named
		return chosen
	}
	o := sizeOption(c.Option, region(c.Option))
	v := &SizeOrder{SizeChosen: shown(c.Option), unranked: !c.Ranked(), grown: c.Order.Binding != sizing.BySize,
		If: c.If, Also: []SizeChosen{}, OnCredits: c.OnCredits, Decides: s.Sized.deciding(o), Changes: []string{}}
	for _, a := range c.Also {
		v.Also = append(v.Also, shown(sizing.Option{Volume: a.Volume, Order: &a.Fitted, Disks: a.Disks, Bill: a.Bill}))
	}
	if c.Next != nil {
		v.Next = new(shown(*c.Next))
	}
	if c.Single != nil {
		v.Single = new(shown(*c.Single))
	}
	if r := c.Raised; r != nil {
		v.Raised = &SizeRaised{
			shown(sizing.Option{Volume: r.Volume, Order: &sizing.Fitted{Config: r.Config}, Disks: 1, Bill: &r.Bill}),
			r.Hours}
	}
	for _, turn := range c.Turns {
		text := "no known storage carries that"
		switch {
		case turn.Option != nil:
			text = shown(*turn.Option).beside(v.SizeChosen)
		case turn.HeldBack:
			text = "more than one " + s.Sized.machine() + " can pass"
		}
		v.Changes = append(v.Changes, s.Sized.turned(turn)+": "+text)
	}
	return v
}

func (s Sized) deciding(o SizeOption) string {
	size := fmt.Sprintf("%s GiB give the %s per second", number.Grouped(o.GiB, 0),
		map[string]string{"operations": "operations", "bytes": "bytes"}[o.Binding])
	disks := float64(max(1, o.Disks))
	if o.Binding == string(sizing.BySize) || o.GiB == math.Ceil(s.GiB/disks) {
		size = fmt.Sprintf("%s GiB hold the data", number.Grouped(o.GiB, 0))
	}
	if o.Tier != "" && o.GiB > math.Ceil(s.GiB) && o.Binding == string(sizing.BySize) {
		size = fmt.Sprintf("%s is the smallest size that holds the data", o.Tier)
	}
	parts := []string{size}
	if o.MiBps > 0 {
		parts = append(parts, o.chosen().bytes()+" for the bytes")
	}
	operations := math.Ceil(o.Operations[1])
	switch ofOne := math.Ceil(o.Operations[1] / disks); {
	case o.IOPS > ofOne && o.MiBps > 0:
		parts = append(parts, fmt.Sprintf("the bytes take %s IOPS", number.Grouped(o.IOPS, 0)))
	case o.IOPS > ofOne:
		parts = append(parts, fmt.Sprintf("%s IOPS come with its bytes, or are the least sold",
			number.Grouped(o.IOPS, 0)))
	case o.IOPS > 0:
		parts = append(parts, fmt.Sprintf("%s IOPS for the operations", number.Grouped(o.IOPS, 0)))
	case o.Carries != nil:
		parts = append(parts, fmt.Sprintf("the %s IOPS needed are within the %s included", number.Grouped(operations, 0),
			number.Grouped(o.Carries[0], 0)))
	}
	return words.Enumerated(parts, ", and ") + o.counted(s)
}

// counted says why a provider counts more operations than there are requests; empty if it does not.
func (o SizeOption) counted(need Sized) string {
	each := o.Operations[1] / (need.Rate.Requests() * (1 + need.Headroom/100))
	if !number.Finite(each) || each < 1.01 {
		return ""
	}
	return fmt.Sprintf(". This volume counts a request of that size as %s operations on average",
		number.Short(each, 3))
}

func (s Sized) turned(t sizing.Turn) string {
	if t.Load == 1 {
		return fmt.Sprintf("%s GiB of data", number.Grouped(s.GiB*t.Data, 0))
	}
	return fmt.Sprintf("%g times the load", t.Load)
}

// Text returns an order as one would place it, and its price.
func (c SizeChosen) Text() string { return c.goods("") + ": " + c.price() }

// beside returns an order without what it shares with one that the reader has just read.
func (c SizeChosen) beside(first SizeChosen) string {
	if c.Monthly == nil || c.Region != first.Region || c.AsOf != first.AsOf {
		return c.Text()
	}
	return fmt.Sprintf("%s: %s %s a month", c.goods(""), number.Rate(*c.Monthly), c.Currency)
}

// goods returns the ordered volume; of qualifies its size.
func (c SizeChosen) goods(of string) string {
	size := number.Grouped(c.GiB, 0) + " GiB"
	if c.Disks > 1 {
		size += " each"
	}
	parts := []string{c.Title, size + of}
	if c.IOPS > 0 {
		parts = append(parts, number.Grouped(c.IOPS, 0)+" IOPS")
	}
	if c.MiBps > 0 {
		parts = append(parts, c.bytes())
	}
	return strings.Join(parts, ", ")
}

// price returns the cost, with its date.
func (c SizeChosen) price() string {
	if c.Monthly == nil {
		return "its price" + c.unpriced + " is unknown for " + c.Region
	}
	in := ""
	if c.regions {
		in = " in " + c.Region
	}
	return fmt.Sprintf("%s %s a month%s (%s)", number.Rate(*c.Monthly), c.Currency, in, catalog.PricesOf(c.AsOf))
}

// bytes returns the throughput bought, in the provider's unit.
func (c SizeChosen) bytes() string {
	if c.MBps > 0 {
		return number.Grouped(c.MBps, 0) + " MB/s"
	}
	return number.Grouped(c.MiBps, 0) + " MiB/s"
}

// told returns an order with what to know before placing it, an item each.
func told(order string, more []string) document.Together {
	items := document.List(words.Each(func(text string) string { return words.Sentences(text) }, words.Filled(more...)))
	return document.Together{document.Paragraph{Text: words.Sentences(strings.TrimSpace(order))}, items}
}

func (s Size) inShort() document.Block {
	o := s.Order
	if len(s.Options) == 0 { // volumes with limits
		return document.Paragraph{Text: words.Sentences(s.Cautions...)}
	}
	if o == nil && !slices.ContainsFunc(s.Options, func(o SizeOption) bool { return o.Provider != "aurora" }) {
		return told("Order: no storage, because Aurora sizes its own. "+s.auroraBill(), s.Cautions)
	}
	if o == nil {
		return told("Order: nothing. No known storage carries "+s.Sized.Demand()+s.Sized.Behind(),
			append([]string{s.machineText()}, s.Cautions...))
	}
	blocks := told(s.orderText(), slices.Concat([]string{o.baselineText(), s.alsoText(), o.unpricedText()},
		s.Cautions[:s.basis], []string{s.stripeText(), s.raisedText(), s.machineText()}, s.Cautions[s.basis:]))
	if o.Next != nil {
		blocks = append(blocks, document.Paragraph{Text: "Next cheapest: " + o.Next.beside(o.SizeChosen) + "."})
	}
	blocks = append(blocks, document.Paragraph{Text: "What decides: " + o.Decides + "."})
	changes := "nothing between a tenth and ten times the load or the data"
	if len(o.Changes) > 0 {
		changes = strings.Join(o.Changes, "; ")
	}
	return append(blocks, document.Paragraph{Text: "What would change it: " + changes + "."})
}

// auroraBill returns what Aurora bills for the load instead of a size; empty if unknown.
func (s Size) auroraBill() string {
	if s.Aurora == nil || s.Aurora.IOCost == nil {
		return ""
	}
	return fmt.Sprintf("Its I/O costs %s %s a month on Standard%s at this rate (%s)",
		between(*s.Aurora.IOCost),
		s.Sized.Currency, s.inAurora, catalog.PricesOf(s.Aurora.AsOf))
}

// orderText says what to order, on what it depends, and which defaults were used.
func (s Size) orderText() string {
	of := ""
	if s.Sized.DefaultGiB {
		of = " (for " + number.Grouped(s.Sized.GiB, 0) + " GiB of data, the default of --gib)"
		if s.Order.GiB == s.Sized.GiB {
			of = " (the default of --gib)"
		}
	}
	text := "Order: " + s.Order.goods(of) + ": " + s.Order.price()
	if single := s.Order.Single; single != nil && single.Monthly != nil && s.Order.Monthly != nil {
		text += fmt.Sprintf(", %s %s less than one "+
			"volume", number.Rate(*single.Monthly-*s.Order.Monthly), s.Order.Currency)
	}
	if s.Order.If != "" {
		text += ", if the machine passes it: " + s.Order.If
	}
	return text
}

// baselineText says that a Google disk that is sized for its performance may be smaller; else empty.
func (o SizeOrder) baselineText() string {
	if !o.grown || !strings.HasPrefix(o.Volume, "google-pd-") {
		return ""
	}
	return "A smaller one may do: Google adds a baseline for the machine, which is not counted here"
}

// alsoText names the other volumes that carry it but cannot be ranked by price; empty if there are none.
func (s Size) alsoText() string {
	var unknown, inferred []string
	region, several := "", slices.ContainsFunc(s.Order.Also, func(a SizeChosen) bool {
		return a.Monthly == nil && a.Region != s.Order.Also[0].Region
	})
	for _, a := range s.Order.Also {
		if a.Monthly != nil {
			inferred = append(inferred, fmt.Sprintf("%s, also carries it, for about %s %s a month by an inferred "+
				"price (%s)", a.goods(""), number.Rate(*a.Monthly), a.Currency, catalog.PricesOf(a.AsOf)))
			continue
		}
		region = " for " + a.Region
		if several {
			a.Title, region = a.Title+" in "+a.Region, ""
		}
		unknown = append(unknown, a.Title)
	}
	var sentences []string
	switch len(unknown) {
	case 0:
	case 1:
		sentences = append(sentences, fmt.Sprintf("%s also carries it; its price is unknown%s", unknown[0], region))
	default:
		sentences = append(sentences, fmt.Sprintf("%s also carry it; their prices are unknown%s",
			words.Enumerated(unknown, " and "), region))
	}
	return strings.Join(append(sentences, inferred...), ". ")
}

// unpricedText names the criterion by which an order without a price was chosen; empty if it has one.
func (o SizeOrder) unpricedText() string {
	asks := "fetch its prices with realiops prices"
	if catalog.CloudOfVolume(o.Volume) == catalog.Google {
		asks = "give its prices with --price"
	}
	switch {
	case o.Monthly != nil:
		return ""
	case o.Next == nil && len(o.Also) == 0:
		return "Nothing else here carries the load; " + asks
	case o.unranked:
		return "Without prices it may not be the cheapest; " + asks
	}
	return "It is the cheapest by the prices of another region of its cloud; " + asks
}

// stripeText compares the cost and effort of a stripe with those of one volume; empty if the order is one volume.
func (s Size) stripeText() string {
	if s.Order.Disks <= 1 {
		return ""
	}
	text := fmt.Sprintf("The order is a stripe of %d volumes. You set it up yourself (LVM or mdadm), take snapshots "+
		"of all volumes at once, and lose all data if you lose one volume", s.Order.Disks)
	if s.Order.Single != nil {
		text += ". One volume: " + s.Order.Single.beside(s.Order.SizeChosen)
	}
	return text
}

// raisedText returns the cost of gp3 that is raised only while needed; empty if unknown, or not requested.
func (s Size) raisedText() string {
	r := s.Order.Raised
	if r == nil {
		return ""
	}
	return fmt.Sprintf("Raised for only %g h a day, the order is %s. AWS allows one change of a volume in six hours",
		r.Hours, r.beside(s.Order.SizeChosen))
}

// machineText says what the machine must pass; empty if the requested one does, or nothing is known.
func (s Size) machineText() string {
	if s.Order != nil && s.Order.OnCredits > 0 {
		return fmt.Sprintf("The %s carries this only in bursts, for %.0f minutes a day; AWS grants 30",
			s.Sized.machine(), math.Ceil(s.Order.OnCredits/60))
	}
	p := s.Passing
	if p == nil {
		return ""
	}
	text := "The machine must pass " + printable.Counted(int(math.Ceil(p.IOPS)), "operation") + "/s"
	if p.MiBps > 0 { // of requests that carry nothing, such as flushes, only the operations are known
		text += " and " + number.Grouped(math.Ceil(p.MiBps), 0) + " MiB/s"
	}
	switch {
	case p.Class != "":
		return text + ": " + p.Class + " and up"
	case p.Known:
		return text + ": no machine class with known limits does"
	}
	return text
}
