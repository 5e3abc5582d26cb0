package sizes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// Document says what to order for a run, and why.
func (s Size) Document() document.Document {
	blocks := s.blocks(&citations{}, s.MisreadText())
	return document.Document{Lead: blocks[0], Blocks: append(blocks, document.Only(document.InCSV, s.everyOption()))}
}

// blocks returns the content of a sizing, also for the page of a run, whose answers say what the wrong number would have
// cost.
func (s Size) blocks(cited *citations, misread string) []document.Block {
	return []document.Block{
		s.inShort(),
		apartSection(s.Apart, s.Sized),
		s.needSection(),
		s.detailSection(),
		document.Together{document.Paragraph{Text: s.sizedFor()}, document.Doubts(s.Warnings)},
		s.deviceSection(),
		s.optionSection(cited),
		s.otherSection(cited),
		document.Titled("What this order leaves out", document.List(s.Omitted)),
		s.enoughSection(),
		s.bareSection(),
		s.curves(),
		document.Titled("What the wrong number would have cost",
			document.Only(document.OnPages, s.sides()), document.Paragraph{Text: misread}),
		document.Titled("The same load on Aurora", document.Paragraph{Text: s.auroraText()}),
		document.Titled("The same load on distributed databases", document.Paragraph{Text: spreadText(s.Spreads)}),
	}
}

// OrderBlocks returns what to order for a run, and the sources of limits and prices; nil if the run does not show it.
func OrderBlocks(size *Size) (order []document.Block, sources document.Block) {
	if size == nil {
		return nil, nil
	}
	cited := &citations{}
	order = size.blocks(cited, "")
	return order, document.Titled("Sources of limits and prices", document.List(cited.list()))
}

// citations numbers the sources of limits and prices.
type citations struct{ keys []string }

// mark refers to sources by number, and adds new ones.
func (c *citations) mark(keys []string) string {
	var numbers []int
	for _, key := range keys {
		i := slices.Index(c.keys, key)
		if i < 0 {
			i, c.keys = len(c.keys), append(c.keys, key)
		}
		if !slices.Contains(numbers, i+1) {
			numbers = append(numbers, i+1)
		}
	}
	slices.Sort(numbers)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

func (c *citations) list() (all []string) {
	for i, key := range c.keys {
		text := key
		if s, known := metric.SourceOf(key); known {
			text = fmt.Sprintf("%s, as of %s: %s", s.Title, s.State, s.Address)
		}
		all = append(all, fmt.Sprintf("(%d) %s", i+1, text))
	}
	return all
}

// Command returns the command that repeats this sizing.
func (s Sized) Command() shell.Command {
	c := shell.New("realiops size")
	var named []string
	for _, r := range s.Runs {
		if !slices.Contains(named, r.ID) {
			named = append(named, r.ID)
			c = c.File(runfile.FileOf(r.ID), "FILE")
		}
	}
	if len(s.Runs) == 1 {
		c = c.Flag("--load", s.Load, "LOAD")
	}
	figure := func(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }
	return c.Flag("--gib", figure(s.GiB), "GIB").Flag("--headroom", figure(s.Headroom), "PERCENT")
}

// optionSection shows the options that carry the load, with the sources of their limits and prices, and those that do
// not.
func (s Size) optionSection(cited *citations) document.Block {
	carrying := s.Standing(sizing.Carries)
	after := document.Together{}
	if len(carrying) > 0 {
		after = append(after, s.optionTable(carrying, cited), words.Faint(s.optionLegend()))
	} else if s.Order != nil {
		after = append(after, document.Paragraph{Text: "No known storage does this: " + s.Order.If + "."})
	} else if len(s.Options) > 0 {
		after = append(after, document.Paragraph{Text: "No volume here carries the load."})
	}
	for _, o := range carrying {
		if o.Unverified != "" {
			after = append(after, document.List{o.Title + ": " + o.Unverified + "."})
		}
	}
	named := func(standing sizing.Standing) []string {
		return words.Each(func(o SizeOption) string { return o.Title }, s.Standing(standing))
	}
	after = append(after, words.Faint(words.Listing("Too small at any size", named(sizing.TooSmall))))
	if disks := s.Standing(sizing.Unasked); len(disks) > 0 {
		text := fmt.Sprintf("Not proposed: %s (%s). --on includes them.", words.Enumerated(named(sizing.Unasked), " and "),
			disks[0].Why)
		after = append(after, words.Faint(text))
	}
	return document.Titled("What carries it indefinitely", after)
}

// otherSection shows the options that are not known to carry the load, and those that the machine limits.
func (s Size) otherSection(cited *citations) document.Block {
	other := append(s.Standing(sizing.Unknown), s.Standing(sizing.HeldBack)...)
	if len(other) == 0 {
		return nil
	}
	var reasons []string
	for _, o := range other {
		if !slices.Contains(reasons, o.Why) {
			reasons = append(reasons, o.Why)
		}
	}
	legend := words.Capital(strings.Join(reasons, "; ")) + "." + s.estimateLegend()
	return document.Titled("Limits unknown, or more than this machine can pass",
		document.Together{s.optionTable(other, cited), words.Faint(legend)})
}

func (s Size) optionTable(options []SizeOption, cited *citations) document.Table {
	t := document.Grid[SizeOption]{Of: options}
	t.Wordy("volume", SizeOption.name)
	t.Numeric("GiB", func(o SizeOption) document.Cell { return whole(o.GiB) })
	t.Numeric("IOPS", func(o SizeOption) document.Cell { return o.carries(0, o.IOPS) })
	t.Numeric("MiB/s", func(o SizeOption) document.Cell { return o.carries(1, o.MiBps) })
	if slices.ContainsFunc(options, func(o SizeOption) bool { return o.Instance != nil }) {
		t.Numeric(s.Sized.machine()+" allows", func(o SizeOption) document.Cell {
			return document.Words(s.Sized.through(o))
		})
	}
	t.Numeric("decided\u00a0by", func(o SizeOption) document.Cell { return document.Words(o.Binding) })
	t.Column(document.Column{Header: s.Sized.Currency + " a\u00a0month", First: true}, SizeOption.price)
	addDates(&t, func(o SizeOption) string { return o.AsOf })
	t.Column(document.Column{Header: "sources", In: document.OnPages}, func(o SizeOption) document.Cell {
		return document.Words(cited.mark(o.sourceKeys()))
	})
	return t.Table
}

// through reports whether the machine passes the load, or which limit is too low and by how much.
func (s Sized) through(o SizeOption) string {
	need := s.Rate.Bytes() / (1 << 20) * (1 + s.Headroom/100)
	switch i := o.Instance; {
	case i == nil:
		return "-"
	case i.Carries:
		return "yes"
	case i.MiBps < need:
		return number.Grouped(i.MiBps, 0) + " MiB/s"
	default:
		return number.Grouped(i.IOPS, 0) + " IOPS"
	}
}

func (s Size) optionLegend() string {
	text := "* is bought separately from the size. Prices of " + s.places() +
		", without machines; -: unknown, pass yours with --price."
	if slices.ContainsFunc(s.Standing(sizing.Carries), func(o SizeOption) bool { return o.Volumes > 1 }) {
		text += " RDS stripes it over four volumes from 400 GiB on."
	}
	return text + s.machineLegend()
}

// machineLegend gives the price of the machine, which no price of storage includes.
func (s Size) machineLegend() string {
	var parts []string
	for _, m := range s.Machines {
		class := m.Class
		if m.Standby {
			class += " with its standby"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s a month (730 h at %s, %s)", class, number.Rate(m.Monthly),
			m.Currency, number.Significant(m.Hourly, 4), m.AsOf))
	}
	if len(parts) == 0 {
		return ""
	}
	return " The machine costs extra: " + strings.Join(parts, ", ") + "."
}

func (s Size) estimateLegend() string {
	if !slices.ContainsFunc(s.Options, func(o SizeOption) bool { return o.Span != nil }) {
		return ""
	}
	text := " ~ is an estimate, under \"The same load on Aurora\"."
	if s.Aurora != nil && s.Aurora.Standard != nil {
		text += " I/O-Optimized includes the 30% that the " + s.Sized.machine() + " costs more there."
	}
	return text
}

func (s Size) places() string {
	var places []string
	dates := map[string][]string{}
	for _, o := range s.Standing(sizing.Carries) {
		if !slices.Contains(places, o.Region) {
			places = append(places, o.Region)
		}
		if o.AsOf != "" {
			dates[o.Region] = append(dates[o.Region], o.AsOf)
		}
	}
	for i, place := range places {
		if of := catalog.Dates(dates[place]...); of != "" {
			places[i] += " of " + of
		}
	}
	return words.Enumerated(places, " and ")
}

// sides compares the order for the device's requests with the one for WAL records; nil if there are none, or no factor.
func (s Size) sides() document.Block {
	m := s.Misread
	if m == nil {
		return nil
	}
	right, wrong := "none carries it", "none carries it"
	var paid *float64
	dates := ""
	if s.Order != nil {
		right, paid, dates = s.Order.Title, s.Order.Monthly, s.Order.AsOf
	}
	if m.Volume != "" {
		wrong = m.Volume
	}
	var t document.Table
	t.Add(document.Wordy("sized from"), words.Texts([]string{"what the device did (real)", "WAL records, read as " +
		"IOPS"}))
	t.Add(document.Numeric(s.Sized.Currency+" a month"), []document.Cell{words.Known(paid), words.Known(m.Cheapest)})
	t.Add(document.Numeric("the cheapest that carries it"), words.Texts([]string{right, wrong}))
	t.Add(document.Numeric("prices of"), words.Texts([]string{cmp.Or(dates, "-"), cmp.Or(m.AsOf, "-")}))
	t.Add(document.Numeric("requests a second"), []document.Cell{words.Known(new(s.Sized.Rate.Requests())),
		words.Known(&m.Requests)})
	if s.Aurora != nil && s.Aurora.IOCost != nil {
		t.Add(document.Numeric("Aurora's I/O, "+s.Sized.Currency+" a month"), []document.Cell{
			document.Words(between(*s.Aurora.IOCost)),
			words.Known(m.IOCost),
		})
	}
	return t
}

// MisreadText says what reading WAL records as I/O would have led to.
func (s Size) MisreadText() string {
	m := s.Misread
	if m == nil {
		return ""
	}
	text := fmt.Sprintf("If you took WAL records for IOPS, you would size for %s requests a second, %s times "+
		"the real ones", number.About(m.Requests), number.About(m.Factor))
	switch {
	case len(s.Standing(sizing.Unknown)) == len(s.Options):
		// no volume with limits was requested
	case m.Volume == "":
		text += ": no volume here carries that"
	case m.Cheapest != nil:
		text += fmt.Sprintf(": %s for %s %s a month (%s)", m.Volume, number.Rate(*m.Cheapest), s.Sized.Currency,
			catalog.PricesOf(m.AsOf))
	default:
		text += ": " + m.Volume
	}
	if m.IOCost != nil {
		text += fmt.Sprintf("; and on Aurora, expect an I/O bill of %s %s a month%s (%s)", number.About(*m.IOCost),
			s.Sized.Currency, s.inAurora, catalog.PricesOf(m.IOCostAsOf))
	}
	return text + "."
}

// auroraText says what the load would show on Aurora.
func (s Size) auroraText() string {
	a := s.Aurora
	if a == nil {
		return ""
	}
	load := "On Aurora this load"
	if len(s.Sized.Runs) > 1 { // of several, the one with the most bytes
		load = "On Aurora " + s.Sized.Load
	}
	var sentences []string
	would := func(format string, values ...any) {
		sentences = append(sentences, fmt.Sprintf(cmp.Or(load, "It")+" would "+format, values...))
		load = ""
	}
	if a.WriteIOPS != nil {
		would("show about %s WriteIOPS, none of them disk operations", number.About(*a.WriteIOPS))
	}
	if a.IOCost != nil {
		would("cost %s %s a month for I/O%s at this rate (%s)", between(*a.IOCost), s.Sized.Currency, s.inAurora, catalog.PricesOf(a.AsOf))
	}
	if a.BilledWrites[2] >= 1 {
		would("make %s billed writes a second, about %s: %s", between(a.BilledWrites),
			number.Within(a.BilledWrites[1], a.BilledWrites[0], a.BilledWrites[2]), a.Calibration)
	} else {
		would("make next to no billed writes")
	}
	claimed, cache := "", ""
	if a.WriteIOPS != nil {
		claimed = metric.WriteIOPSOnAurora
	}
	if a.BilledReads < 1 && a.PagesAsked == nil {
		cache = "How many reads Aurora would bill is unknown, because the pages asked for are"
	}
	if a.BilledReads >= 1 {
		would("make %s billed reads a second, about %s: %s", within(a.ReadsSpan[0], a.ReadsSpan[1]),
			number.Within(a.BilledReads, a.ReadsSpan[0], a.ReadsSpan[1]), a.readsFollow())
		cache = "Aurora bills only pages missing from its buffers: with larger buffers than here the bill is " +
			"smaller, down to nothing"
	}
	return words.Sentences(append(sentences, claimed, cache, s.clusterText())...)
}

// readsFollow says how billed reads are estimated.
func (a SizeAurora) readsFollow() string {
	if a.PagesAsked == nil {
		return "from the pages that the device read here, because the pages asked for are unknown"
	}
	return fmt.Sprintf("%v to %v for each of the %s pages not in shared_buffers, as in published loads, and "+
		"at most one, by AWS's documentation",
		sizing.LeastReadsOfPage, sizing.MostReadsOfPage, number.About(*a.PagesAsked))
}

// clusterText compares the two ways to pay for Aurora.
func (s Size) clusterText() string {
	a := s.Aurora
	if a.Standard == nil {
		return ""
	}
	verdict := "only the billed I/O will tell which is cheaper"
	switch {
	case a.Standard[2] < *a.Optimized:
		verdict = "Standard is cheaper"
	case a.Standard[0] > *a.Optimized:
		verdict = "I/O-Optimized is cheaper"
	}
	return fmt.Sprintf("With one %s and %s GiB that is %s %s a month on Standard, and %s on I/O-Optimized "+
		"(%s), which pays off above %s of I/O: %s",
		s.Sized.machine(), number.Grouped(s.Sized.GiB, 0), between(*a.Standard),
		s.Sized.Currency, number.Rate(*a.Optimized), catalog.PricesOf(a.AsOf), number.Rate(*a.BreakEven), verdict)
}

// within formats the interval of a rate.
func within(lo, hi float64) string {
	return number.Within(lo, lo, hi) + " to " + number.Within(hi, lo, hi)
}

// between formats the ends of an estimate that stands between them.
func between(v [3]float64) string { return within(v[0], v[2]) }

// SpreadOfNeed returns the range of the sized need over the repetitions; empty if there is only one, or a model.
func (s Size) SpreadOfNeed() string {
	need := s.sizedNeed()
	if need == nil || need.Lowest == nil || need.Model != "" || *need.Lowest == *need.Highest {
		return ""
	}
	return fmt.Sprintf("Across repetitions, %s needed %s requests and %s MB a second on average.",
		need.Load, within(need.Lowest.Requests(), need.Highest.Requests()),
		within(need.Lowest.Bytes()/number.Mega, need.Highest.Bytes()/number.Mega))
}

// spreadText says what a load would need on databases that spread rows over nodes.
func spreadText(spreads []catalog.Spread) string {
	var lines []string
	for _, v := range spreads {
		var parts []string
		if v.Cores != nil {
			parts = append(parts, within(v.Cores[0], v.Cores[1])+" cores")
		}
		if v.IOPS != nil {
			parts = append(parts, within(v.IOPS[0], v.IOPS[1])+" IOPS of all disks together")
		}
		if v.VCPUs != nil {
			parts = append(parts, fmt.Sprintf("at least %s vCPUs", number.Rate(max(1, *v.VCPUs))))
		}
		if v.PerVCPU != nil {
			parts = append(parts, fmt.Sprintf("%s IOPS and %s MB/s on disks for each of them",
				number.Rate(v.PerVCPU[0]), number.Rate(v.PerVCPU[1])))
		}
		lines = append(lines, fmt.Sprintf("%s, for %s rows/s: %s (%s).", v.Title, number.About(v.Rows),
			strings.Join(parts, ", and "), v.Note))
	}
	if len(lines) == 0 {
		return ""
	}
	return "By published rules of thumb: " + strings.Join(lines, " ")
}
