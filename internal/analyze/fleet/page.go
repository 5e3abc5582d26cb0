package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// FileOf returns the file name of a database's page, next to the page of all.
func FileOf(name string) string { return runfile.FileName(name) + ".html" }

// wholeSection returns the table of all databases on a page, which sorts and filters.
func (f Fleet) wholeSection() document.Block {
	t := grid{Of: f.gravestFirst(), Table: document.Table{Filter: true}}
	t.Column(document.Wordy("database"), func(d Database) document.Cell {
		name := d.nameCell()
		name.File = FileOf(d.Name)
		return name
	})
	t.Column(document.Wordy("risk"), func(d Database) document.Cell {
		return d.riskCell().By(float64(slices.Index(levels(), d.Risk.Level)))
	})
	t.Numeric(strings.TrimSuffix("saves a month, "+f.Currency, ", "), Database.savesCell)
	t.Numeric("needs", Database.requestsCell)
	t.Column(document.Wordy("runs out"), func(d Database) document.Cell { return d.Risk.endCell() })
	t.Numeric("hours at the limit", func(d Database) document.Cell { return d.Risk.hoursCell() })
	t.Numeric("uses", Database.usesCell)
	t.Column(document.Wordy("month"), func(d Database) document.Cell { return document.Cell{Spark: d.Daily} })
	t.Column(document.Wordy("has"), Database.hasCell)
	t.Column(document.Wordy("order instead"), Database.orderCell)
	t.Column(document.Wordy("interval"), func(d Database) document.Cell {
		cell := document.Words(d.interval())
		if d.Saves != nil {
			cell = cell.By(d.Saves.Lowest)
		}
		return cell
	})
	t.Wordy("prices of", func(d Database) string { return cmp.Or(d.AsOf, "-") })
	t.Numeric("MiB/s", func(d Database) document.Cell { return d.needCell(func(r Rate) float64 { return r.MiBps }) })
	t.Numeric("carries", Database.carriesCell)
	t.Wordy("class", func(d Database) string { return d.Class })
	addKnown(&t, f.Databases)
	return document.Titled("All databases", t.Table)
}

// gravestFirst returns all databases: first those at risk, then the rest by saving.
func (f Fleet) gravestFirst() []Database {
	return append(f.atRisk(), slices.DeleteFunc(slices.Clone(f.Databases), func(d Database) bool {
		return d.Risk.Level != None && d.Risk.Level != NotKnown
	})...)
}

// Document returns the page of one database.
func (p Page) Document(currency string) document.Document {
	return document.Document{Title: "realiops: " + p.Name, Heading: p.Name, Blocks: []document.Block{
		document.Paragraph{Text: p.headline(currency), Style: document.Headline},
		p.picture(), p.needTable(), document.Notes{}, p.creditsBlock(), section("What to know", p.Notes),
		section("What is missing", p.Lacks),
		document.Paragraph{Text: legend, Style: document.Faint},
		document.Paragraph{Text: p.verdicts(), Style: document.Faint},
	}}
}

// verdicts says how to find out what the database's metrics count.
func (p Page) verdicts() string {
	const observe = "To watch it while others use it, with nothing to install, run realiops observe --dsn URL."
	if p.Kind == Machine {
		return "To learn what its metrics count from a Prometheus that scrapes it, run realiops doctor " +
			"--prometheus URL to check the exporters, then realiops history --prometheus URL. " + observe
	}
	return "To learn what its metrics count, including WriteIOPS: " + observe
}

func section(title string, items []string) document.Block {
	if len(items) == 0 {
		return nil
	}
	return document.Titled(title, document.List(items))
}

func (p Page) headline(currency string) string {
	text := map[Kind]string{RDS: "An instance of RDS", Cluster: "An Aurora cluster",
		Machine: "A server of your own"}[p.Kind]
	if p.Class != "" {
		text += ", " + p.Class
	}
	if has := p.hasCell().Text; has != "-" {
		text += ", with " + has
	}
	text += ". "
	switch {
	case p.Saves == nil:
		text += "The saving is unknown: see what is missing."
	case p.cheaper():
		text += fmt.Sprintf("%s would cost %s %s a month less (%s%s).", p.orderCell().Text,
			p.Saves.rounded(p.Saves.Value), currency, p.Saves.before("; "), catalog.PricesOf(p.AsOf))
	case p.Order != nil:
		text += fmt.Sprintf("To carry what it needs takes %s: %s %s a month more (%s).", p.orderCell().Text,
			p.Saves.rounded(-p.Saves.Value), currency, catalog.PricesOf(p.AsOf))
	default:
		text += "No cheaper storage carries what it needs."
	}
	if short := brief(p.From, p.To); p.Saves != nil && short != "" {
		text += " " + short
	}
	if p.Risk.Level != None && p.Risk.Level != NotKnown {
		text += fmt.Sprintf(" Its storage limits it: %s, %s.", p.Risk.Level, p.Risk.when())
	}
	return text
}

// needTable shows the database's needs and what its storage carries.
func (p Page) needTable() document.Block {
	if p.Need == nil {
		return nil
	}
	t := document.Table{Columns: []document.Column{{Header: "a second", Words: true}, {Header: "requests"},
		{Header: "MiB"}}}
	row := func(name string, r *Rate, why string) {
		cells := []document.Cell{document.Words(name), document.Missing(why), document.Missing(why)}
		if r != nil {
			cells = []document.Cell{document.Words(name), document.Number(number.Rate(r.Requests), r.Requests),
				document.Number(number.Rate(r.MiBps), r.MiBps)}
		}
		t.Rows = append(t.Rows, document.Row{Cells: cells})
	}
	row("the median hour", &p.Need.Typical, "")
	row("the worst day", p.Need.WorstDay, "no day has enough known hours")
	row("the worst hour, by requests "+p.Need.WorstAt.Format("2006-01-02 15:04")+" UTC", &p.Need.WorstHour, "")
	row("ordered for, by means of hours", &p.Need.Least, "")
	row("ordered for, by the highest minutes", p.Need.Most, "minutes are unknown")
	if p.Has != nil {
		row("what it has carries", &p.Has.Carries, "")
	}
	if p.Order != nil {
		row("what to order carries", &p.Order.Carries, "")
	}
	return document.Titled("What it needs", t)
}

func (p Page) creditsBlock() document.Block {
	c := p.Risk.Credits
	if c == nil {
		return nil
	}
	source := c.Metric + " shows them"
	if c.Metric == "" {
		source = "not recorded; computed from the volume's rules, starting with a full bucket"
	}
	text := fmt.Sprintf("%s of its credits are left; the minimum was %s, and none were left in %s (%s). ",
		number.Percent(c.Now/100), number.Percent(c.Lowest/100), printable.Counted(c.Hours, "hour"), source)
	switch {
	case c.Ended:
		text += "At the pace of the last seven known days, they have run out by now."
	case c.Ends != nil:
		text += "At the pace of the last seven days, they run out on " + c.Ends.Format("2006-01-02 15:04") + " UTC."
	case c.Early != nil:
		text += "At the pace of the last seven days they last more than 31 days; with headroom they run out on " +
			"" + c.Early.Format("2006-01-02 15:04") + " UTC."
	default:
		text += "At the pace of the last seven days, even with headroom, they last more than 31 days."
	}
	return document.Titled("Credits", document.Paragraph{Text: text})
}

// picture draws each hour, and what the storage carries.
func (p Page) picture() document.Block {
	if len(p.work.means) == 0 {
		return nil
	}
	picture := &plot.Picture{Title: "Requests a second, hour by hour", X: plot.Axis{Label: "days since " +
		p.From.Format("2006-01-02 15:04") + " UTC"}, Y: plot.Axis{Label: "requests a second", Max: p.highest()},
		Text: fmt.Sprintf("Requests a second of %s, hour by hour: the median hour has %s, and the highest %s.", p.Name,
			number.Rate(p.Need.Typical.Requests), number.Rate(p.Need.WorstHour.Requests))}
	if p.work.peaks != nil {
		picture.Lines = append(picture.Lines, p.line("highest minutes", p.work.peaks))
	}
	picture.Lines = append(picture.Lines, p.line("mean of the hour", p.work.means))
	if p.Has != nil {
		end := float64(p.Hours) / hoursInDay
		carries := p.Has.Carries.Requests
		picture.Lines = append(picture.Lines,
			plot.Line{Name: "what it has carries", Points: []plot.Point{{X: 0, Y: carries}, {X: end, Y: carries}}})
	}
	return document.Figure{Pictures: plot.All(picture)}
}

// highest returns the upper end of the picture's scale, which begins at 0 so that heights can be compared.
func (p Page) highest() float64 {
	const air = 1.05
	highest := p.Need.WorstHour.Requests
	for _, r := range p.work.peaks {
		if known(r) {
			highest = max(highest, r.Requests())
		}
	}
	if p.Has != nil {
		highest = max(highest, p.Has.Carries.Requests)
	}
	return highest * air
}

const hoursInDay = 24

func (p Page) line(name string, rates []needs.Rate) plot.Line {
	l := plot.Line{Name: name}
	for h, r := range rates {
		v := math.NaN()
		if known(r) {
			v = r.Requests()
		}
		l.Points = append(l.Points, plot.Point{X: float64(h) / hoursInDay, Y: v})
	}
	return l
}

// daily returns the highest hour of each day; NaN if no hour is known.
func (w work) daily() []float64 {
	all := []float64{}
	for _, day := range w.days() {
		highest := math.NaN()
		for _, r := range w.means[day[0]:day[1]] {
			if known(r) && !(highest >= r.Requests()) {
				highest = r.Requests()
			}
		}
		all = append(all, rounded(highest))
	}
	return all
}

// rounded rounds to the precision of a picture.
func rounded(v float64) float64 {
	const digits = 1000
	if !number.Finite(v) || v >= digits {
		return math.Round(v)
	}
	return math.Round(v*digits) / digits
}

// addDays adds a cluster's billed operations per second for each day: the cost of its I/O divided by the price of an
// operation.
func (d *Page) addDays(c billing.Comparison) {
	d.Daily = []float64{}
	if len(c.Days) == 0 || len(c.Items) == 0 {
		return
	}
	byDate := map[string]float64{}
	for _, day := range c.Days {
		byDate[day.Date] = day.IO / c.Items[0].Price.Standard * number.Mega / (24 * time.Hour).Seconds()
	}
	for at := d.From.Truncate(24 * time.Hour); at.Before(d.To); at = at.Add(24 * time.Hour) {
		operations, ok := byDate[at.Format(time.DateOnly)]
		if !ok {
			operations = math.NaN()
		}
		d.Daily = append(d.Daily, rounded(operations))
	}
}
