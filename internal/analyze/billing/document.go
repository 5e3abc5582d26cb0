package billing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
)

// Document returns a comparison for people.
func (c Comparison) Document() document.Document {
	answer, doubts := document.Paragraph{Text: c.answer(), Style: document.Headline}, document.Doubts(c.Warnings)
	return document.Document{Title: "Aurora Standard or I/O-Optimized", Heading: "Aurora Standard or I/O-Optimized",
		Lead: document.Together{answer, doubts}, Blocks: []document.Block{
			answer, doubts,
			c.itemTable(), document.Notes{}, c.monthTable(), c.turnBlock(), c.switchingBlock(),
			document.Only(document.InCSV, c.dayTable()),
			document.Paragraph{Text: c.priceText(), Style: document.Faint},
			document.Paragraph{Text: notInIt, Style: document.Faint},
		}}
}

const notInIt = "Not included: backups, snapshots, traffic, taxes, discounts, and instances not listed here. An " +
	"instance counts for every hour in which it has any data."

// priceText gives the dates of the prices, and which were inferred from what.
func (c Comparison) priceText() string {
	var from, inferred []string
	add := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	for _, i := range c.Items {
		for _, key := range i.Sources {
			if s, known := metric.SourceOf(key); known {
				key = s.Title + ", " + s.State
			}
			add(&from, cmp.Or(key, "an unnamed source"))
		}
		if i.Inferred != "" {
			add(&inferred, cmp.Or(i.Class, i.What)+" "+i.Inferred)
		}
	}
	if len(from) == 0 {
		return ""
	}
	text := "Prices of " + strings.Join(from, "; ") + "."
	if len(inferred) > 0 {
		text += " Inferred: " + strings.Join(inferred, "; ") + "."
	}
	return text
}

// name returns the readable name of a configuration.
func name(configuration string) string {
	return map[string]string{Standard: "Standard", Optimized: "I/O-Optimized"}[configuration]
}

// answer summarizes the comparison in a few sentences.
func (c Comparison) answer() string {
	subject := cmp.Or(c.Cluster, "This cluster")
	v := c.Verdict
	if v.Cheaper == "" {
		return fmt.Sprintf("%s: which costs less, Standard or I/O-Optimized, is unknown: %s.", subject, v.Why)
	}
	other := map[string]string{Standard: Optimized, Optimized: Standard}[v.Cheaper]
	least := ""
	if c.gone > 0 && v.Cheaper == Standard {
		least = "at least "
	}
	text := fmt.Sprintf("%s: %s costs %s%s %s a month less than %s (%s; %s).", subject, name(v.Cheaper), least,
		money(v.Saves), c.Currency, name(other), number.Percent(v.Share), catalog.PricesOf(c.AsOf))
	if !v.Sure {
		text += " This is uncertain: " + v.Why + "."
	}
	return text + c.todo()
}

// todo says what to do, given the answer and the present configuration.
func (c Comparison) todo() string {
	switch {
	case c.Now == "":
		return " Its current configuration is unknown."
	case c.Now == c.Verdict.Cheaper:
		return " The cluster already has that."
	case c.Now == Optimized:
		return " The cluster is on I/O-Optimized, and can switch back at any time."
	case c.NextSwitch != nil:
		return " The cluster is on Standard, and can switch from " + c.NextSwitch.UTC().Format("2006-01-02 15:04") + " UTC on."
	default:
		return " The cluster is on Standard, and can switch once in 30 days."
	}
}

func money(v float64) string { return number.Grouped(v, 0) }

func moneyCell(v float64, why string) document.Cell {
	if !number.Finite(v) {
		return document.Missing(why)
	}
	return document.Number(money(v), v)
}

func (c Comparison) itemTable() document.Block {
	t := document.Table{Columns: []document.Column{{Header: "item", Words: true}, {Header: "amount"},
		{Header: "unit", Words: true}, {Header: "hours known"},
		{Header: "Standard, " + c.Currency}, {Header: "I/O-Optimized"}, {Header: "prices of", Words: true}}}
	for _, i := range c.Items {
		name := document.Name(i.What)
		if i.Class != "" && i.Class != i.What {
			name = document.Name(i.What + " " + i.Class)
		}
		why := cmp.Or(i.Missing, "not known")
		amount := document.Missing(why)
		if i.Hours > 0 {
			amount = document.Number(number.Grouped(i.Amount, 1), i.Amount)
		}
		known := document.Number(fmt.Sprintf("%d of %d", i.Hours, c.Whole.Hours), float64(i.Hours))
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{
			name, amount, document.Words(i.Unit), known, moneyCell(i.Cost.Standard, why),
			moneyCell(i.Cost.Optimized, why), document.Words(cmp.Or(i.asOf(), "-"))}})
	}
	return t
}

// monthTable shows a row for each month and one for all.
func (c Comparison) monthTable() document.Block {
	if c.Whole.Compared == 0 {
		return nil
	}
	t := document.Table{Columns: []document.Column{{Header: "month", Words: true}, {Header: "hours"}, {Header: "I/O"},
		{Header: "break-even"}, {Header: "Standard"}, {Header: "I/O-Optimized"}}}
	if !c.stated {
		t.Columns = append(t.Columns, document.Column{Header: "days beyond"}, document.Column{Header: "lowest day"},
			document.Column{Header: "median"}, document.Column{Header: "highest"})
	}
	for _, m := range c.Months {
		t.Rows = append(t.Rows, c.monthRow(m.From.Format("2006-01"), m))
	}
	if len(c.Months) != 1 {
		t.Rows = append(t.Rows, c.monthRow("all", c.Whole))
	}
	compute, storage := c.Whole.Compute, c.Whole.Storage
	legend := fmt.Sprintf("Both for the same hours, in %s. Break-even: the cost of I/O on Standard above which "+
		"I/O-Optimized is cheaper, here %.3f of compute and %.3f of storage.", c.Currency, -compute.Saved()/compute.Standard, -storage.Saved()/storage.Standard)
	if !c.stated {
		legend += " Days beyond: whole days (UTC) above it. Lowest, median, highest: what I/O-Optimized would have " +
			"saved on a day."
	}
	return document.Titled("By month", t, document.Notes{}, document.Paragraph{Text: legend, Style: document.Faint})
}

func (c Comparison) monthRow(name string, s Stretch) document.Row {
	const why = "no hour has all of its parts"
	cells := []document.Cell{document.Name(name), document.Number(fmt.Sprint(s.Compared), float64(s.Compared)),
		moneyCell(s.IO, why), moneyCell(s.BreakEven, why),
		moneyCell(s.Total.Standard, why), moneyCell(s.Total.Optimized, why)}
	if c.stated {
		return document.Row{Cells: cells}
	}
	cells = append(cells, document.Number(fmt.Sprintf("%d of %d", s.Beyond, s.Days), float64(s.Beyond)))
	if s.Spread == nil {
		none := document.Missing("no day is whole")
		return document.Row{Cells: append(cells, none, none, none)}
	}
	for _, v := range []float64{s.Spread.Lowest, s.Spread.Median, s.Spread.Highest} {
		cells = append(cells, document.Number(number.Grouped(v, 2), v))
	}
	return document.Row{Cells: cells}
}

// dayTable returns a row for each whole day, for programs.
func (c Comparison) dayTable() document.Table {
	t := document.Table{}
	for _, header := range []string{"date", "io", "break_even", "standard", "io_optimized", "prices_as_of"} {
		t.Columns = append(t.Columns, document.Column{Header: header})
	}
	for _, d := range c.Days {
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{document.Name(d.Date), document.Number("", d.IO),
			document.Number("", d.BreakEven),
			document.Number("", d.Total.Standard), document.Number("", d.Total.Optimized), document.Words(c.AsOf)}})
	}
	return t
}

// turnBlock shows the amounts that would reverse the answer.
func (c Comparison) turnBlock() document.Block {
	var list document.List
	for _, t := range c.Turns {
		list = append(list, fmt.Sprintf("%s: %s %s a month (now %s)", t.What, money(t.At), t.Unit, money(t.Is)))
	}
	if len(list) == 0 {
		return nil
	}
	return document.Titled("Where both cost the same, all else being equal", list)
}

// switchingBlock shows what changing back and forth would have saved.
func (c Comparison) switchingBlock() document.Block {
	s := c.Switching
	if s == nil {
		return nil
	}
	stay := min(s.Stay.Standard, s.Stay.Optimized)
	text := fmt.Sprintf("A cluster can switch to I/O-Optimized once in 30 days, and back at any time. For the %s "+
		"hours above, knowing all days in advance, ", number.Grouped(float64(c.Whole.Compared), 0))
	if stay-s.Best < 0.5 || s.Switches == 0 {
		text += fmt.Sprintf("no switching would have cost less than staying, at %s %s.", money(stay),
			c.Currency)
	} else {
		changes := "one change"
		if s.Switches > 1 {
			changes = number.Spelled(s.Switches) + " changes"
		}
		text += fmt.Sprintf("%s to it would have cost %s %s, and staying %s.", changes, money(s.Best), c.Currency,
			money(stay))
	}
	return document.Titled("Switching back and forth", document.Paragraph{Text: text})
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
