package fleet

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/printable"
)

// Document returns the ranking: text has the top of each list, and a page all.
func (f Fleet) Document(top int) document.Document {
	headline := document.Paragraph{Text: f.headline(), Style: document.Headline}
	return document.Document{Title: "realiops: fleet", Heading: "What databases need, have and cost",
		Lead: headline, Blocks: []document.Block{
			headline,
			document.Only(document.InText|document.InMarkdown, f.moneySection(top), f.riskSection(top)),
			document.Only(document.InHTML, f.wholeSection()),
			f.lackSection(top),
			document.Only(document.InCSV, f.csvTable()),
			document.Paragraph{Text: legend, Style: document.Faint},
			document.Paragraph{Text: "To learn what a database's metrics count, look at one server: realiops " +
				"history --prometheus URL reads its exporters' samples, and realiops observe --dsn URL reads the " +
				"server itself.", Style: document.Faint},
		}}
}

const legend = "Needs: the mean of the busiest hour, in requests and MiB per second. Carries: what volume and " +
	"machine sustain. An order covers the chosen percentile of hours by their busiest minutes, with headroom, on " +
	"as many GiB as now, because a database's storage cannot shrink. Savings are against the list price of what " +
	"the database has; the interval is from an order for the busiest minutes to one for hourly means. For Aurora: " +
	"what the other storage configuration saves, over the worst and best seven days."

// headline summarizes the fleet in a few sentences.
func (f Fleet) headline() string {
	if len(f.Databases) == 0 {
		return "No databases found."
	}
	sentences := []string{databases(len(f.Databases)) + "."}
	if !f.From.IsZero() {
		sentences[0] = fmt.Sprintf("%s, %s to %s UTC.", databases(len(f.Databases)), f.From.Format("2006-01-02 15:04"),
			f.To.Format("2006-01-02 15:04"))
	}
	cheaper, known := 0, 0
	for _, d := range f.Databases {
		if d.Saves != nil {
			known++
		}
		if d.cheaper() {
			cheaper++
		}
	}
	switch {
	case cheaper > 0:
		which := "they need, " + printable.Count(cheaper) + " of them"
		if len(f.Databases) == 1 {
			which = "it needs, it"
		}
		sentences = append(sentences, fmt.Sprintf("Sized for what %s would cost %s %s a month less (%s%s).", which,
			f.Saves.rounded(f.Saves.Value), f.Currency, f.Saves.before("; "), catalog.PricesOf(f.AsOf)), brief(f.From, f.To))
	case known > 0 && len(f.Databases) == 1:
		sentences = append(sentences, "No other order would cost less.", brief(f.From, f.To))
	case known > 0:
		sentences = append(sentences, "No other order would cost less for any of them.", brief(f.From, f.To))
	}
	sentences = append(append(sentences, f.dangers()...), f.incomplete()...)
	switch open := len(f.Databases) - known; {
	case open > 0 && len(f.Databases) == 1:
		sentences = append(sentences, "The saving is unknown.")
	case open > 0:
		sentences = append(sentences, "The saving is unknown for "+printable.Count(open)+".")
	}
	return strings.Join(slices.DeleteFunc(sentences, func(text string) bool { return text == "" }), " ")
}

// brief says that less than a week is known; else it is empty.
func brief(from, to time.Time) string {
	if from.IsZero() || to.Sub(from) >= sizing.LeastObserved {
		return ""
	}
	return "Less than a week is known: busier times may need more."
}

// dangers counts the databases that are limited by their storage, and says when.
func (f Fleet) dangers() (sentences []string) {
	ended := func(r Risk) bool { return r.Level == Ending && r.Credits.Ended }
	for _, danger := range []struct {
		is   func(Risk) bool
		text string
	}{
		{func(r Risk) bool {
			return r.Level == Exhausted
		}, "%s ran out of credits, as their metrics or the rules of their volumes show: %s."},
		{ended, "%s will have run out by now, at the pace of their last seven known days: %s."},
		{func(r Risk) bool { return r.Level == Throttled }, "%s had hours at the limit of their storage: %s."},
		{func(r Risk) bool { return r.Level == Ending && !ended(r) }, "%s will run out of credits within 31 days: %s."},
	} {
		var names []string
		for _, d := range f.atRisk() {
			switch r := d.Risk; {
			case !danger.is(r):
			case r.Level == Ending && !ended(r):
				names = append(names, d.Name+" ("+r.when()+")")
			default:
				names = append(names, d.Name)
			}
		}
		if len(names) > 0 {
			sentences = append(sentences, fmt.Sprintf(danger.text, printable.Count(len(names)), printable.Listed(names)))
		}
	}
	return sentences
}

func databases(n int) string {
	if n == 1 {
		return "1 database"
	}
	return number.Grouped(float64(n), 0) + " databases"
}

// moneySection lists the databases with the largest savings.
func (f Fleet) moneySection(top int) document.Block {
	cheaper := slices.DeleteFunc(slices.Clone(f.Databases), func(d Database) bool { return !d.cheaper() })
	t := grid{Of: cheaper[:min(len(cheaper), top)]}
	t.Column(document.Wordy("database"), Database.nameCell)
	t.Column(document.Wordy("has"), Database.hasCell)
	t.Numeric("needs", Database.requestsCell)
	t.Column(document.Wordy("order instead"), Database.orderCell)
	t.Numeric("saves a month", Database.savesCell)
	t.Wordy("interval", Database.interval)
	t.Wordy("prices of", func(d Database) string { return d.AsOf })
	return listed("What costs more than it needs to", t, cheaper)
}

// riskSection lists the databases that are limited by their storage.
func (f Fleet) riskSection(top int) document.Block {
	risky := f.atRisk()
	t := grid{Of: risky[:min(len(risky), top)]}
	t.Column(document.Wordy("database"), Database.nameCell)
	t.Column(document.Wordy("has"), Database.hasCell)
	t.Numeric("needs", Database.requestsCell)
	t.Numeric("carries", Database.carriesCell)
	t.Column(document.Wordy("risk"), Database.riskCell)
	t.Wordy("when", func(d Database) string { return d.Risk.when() })
	t.Column(document.Wordy("order instead"), Database.orderCell)
	return listed("Where storage is the limit", t, risky)
}

// listed returns a table of the first databases under a title, and the number of the rest.
func listed(title string, t grid, all []Database) document.Block {
	if len(t.Of) == 0 {
		return nil
	}
	addKnown(&t, all)
	blocks := []document.Block{t.Table, document.Notes{}}
	if left := len(all) - len(t.Of); left > 0 {
		blocks = append(blocks, document.Paragraph{Text: "And " + printable.Count(left) + " more: --top lists them.",
			Style: document.Faint})
	}
	return document.Section{Title: title, Blocks: blocks}
}

// lackSection lists what is unknown, for how many databases, and how to get it.
func (f Fleet) lackSection(top int) document.Block {
	list := document.List(f.unseen())
	all := f.lacks()
	for _, l := range all[:min(len(all), top)] {
		list = append(list, printable.Listed(l.names)+": "+l.text)
	}
	list = append(list, f.Unread[:min(len(f.Unread), top)]...)
	if more := max(0, len(all)-top) + max(0, len(f.Unread)-top); more > 0 {
		list = append(list, "and "+printable.Count(more)+" more: --top lists them")
	}
	if len(list) == 0 {
		return nil
	}
	return document.Titled("What is missing", list)
}

// csvTable returns a row for each database, with all its numbers.
func (f Fleet) csvTable() (t document.Table) {
	columns := []string{"database", "kind", "class", "region", "hours", "known_hours", "typical_requests",
		"worst_hour_requests", "worst_hour_mibps", "worst_day_requests",
		"has", "carries_requests", "carries_mibps", "has_monthly", "order", "order_monthly", "saves", "saves_lowest",
		"saves_highest", "prices_as_of", "risk", "uses", "hours_at_limit", "credits_end", "known_until", "missing"}
	for _, c := range columns {
		t.Columns = append(t.Columns, document.Column{Header: c})
	}
	for _, d := range f.Databases {
		t.Rows = append(t.Rows, document.Row{Cells: d.csvCells()})
	}
	return t
}

func (d Database) csvCells() []document.Cell {
	number := func(v float64) document.Cell { return document.Number("", v) }
	none := math.NaN()
	need, day := [3]float64{none, none, none}, none
	if n := d.Need; n != nil {
		need = [3]float64{n.Typical.Requests, n.WorstHour.Requests, n.WorstHour.MiBps}
		if n.WorstDay != nil {
			day = n.WorstDay.Requests
		}
	}
	saves := Span{none, none, none}
	if d.Saves != nil {
		saves = *d.Saves
	}
	ends, until := "", ""
	if !d.KnownUntil.IsZero() {
		until = d.KnownUntil.Format(time.RFC3339)
	}
	if c := d.Risk.Credits; c != nil && c.Ends != nil {
		ends = c.Ends.Format(time.RFC3339)
	}
	cells := []document.Cell{document.Name(d.Name), document.Words(string(d.Kind)), document.Words(d.Class),
		document.Words(d.Region), number(float64(d.Hours)), number(float64(d.Known)),
		number(need[0]), number(need[1]), number(need[2]), number(day)}
	cells = append(append(cells, d.Has.csvCells(true)...), d.Order.csvCells(false)...)
	return append(cells, number(saves.Value), number(saves.Lowest), number(saves.Highest), document.Words(d.AsOf),
		document.Words(string(d.Risk.Level)), number(d.Risk.Uses),
		number(float64(d.Risk.Hours)), document.Words(ends), document.Words(until),
		document.Words(strings.Join(d.Lacks, "; ")))
}

// csvCells returns the name of the storage, its capacity if carries is set, and its cost.
func (s *Storage) csvCells(carries bool) []document.Cell {
	name, monthly, rate := "", math.NaN(), Rate{math.NaN(), math.NaN()}
	if s != nil {
		name, rate = s.text(), s.Carries
		if s.Monthly != nil {
			monthly = *s.Monthly
		}
	}
	cells := []document.Cell{document.Words(name)}
	if carries {
		cells = append(cells, document.Number("", rate.Requests), document.Number("", rate.MiBps))
	}
	return append(cells, document.Number("", monthly))
}

// rounded formats the value or an end of the interval, with the digits that the interval justifies.
func (s Span) rounded(v float64) string { return number.Within(v, s.Lowest, s.Highest) }

// ends formats the interval.
func (s Span) ends() string { return s.rounded(s.Lowest) + " to " + s.rounded(s.Highest) }

// pointed reports whether the interval is one number.
func (s Span) pointed() bool { return s.rounded(s.Lowest) == s.rounded(s.Highest) }

// interval formats the interval of the saving, and says why it is one number: both orders cost the same, or one of
// them is unknown.
func (d Database) interval() string {
	switch {
	case d.Saves == nil:
		return "-"
	case !d.Saves.pointed():
		return d.Saves.ends()
	case d.Aurora != nil && d.Known <= week: // no second one
		return "unknown"
	case d.Need != nil && d.Need.Most == nil:
		return "at most " + d.Saves.rounded(d.Saves.Value)
	}
	return d.Saves.rounded(d.Saves.Value) + " either way"
}

// before formats the interval followed by more; empty if it is one number, which the text already has.
func (s Span) before(more string) string {
	if s.pointed() {
		return ""
	}
	return s.ends() + more
}

// grid is a table of databases.
type grid = document.Grid[Database]

// addKnown adds a column with the known hours if some databases lack many.
func addKnown(t *grid, of []Database) {
	if partly(of) {
		t.Wordy("known", Database.knownText)
	}
}

// when says since or until when.
func (r Risk) when() string {
	c := r.Credits
	day := func(at time.Time) string { return at.Format(time.DateOnly) }
	switch {
	case r.Level == Exhausted && c.Metric == "":
		return printable.Counted(c.Hours, "hour") + ", by its rule"
	case r.Level == Exhausted:
		return printable.Counted(c.Hours, "hour")
	case r.Level == Ending && c.Ended:
		return "by now, if the last seven days went on"
	case r.Level == Ending && c.Ends == nil:
		return "from " + day(*c.Early) + " on, if it grows"
	case r.Level == Ending && day(*c.Early) != day(*c.Ends):
		return day(*c.Early) + " to " + day(*c.Ends)
	case r.Level == Ending:
		return day(*c.Ends)
	case r.Hours > 0:
		return printable.Counted(r.Hours, "hour")
	default:
		return number.Percent(r.Uses)
	}
}

// text describes an order.
func (s Storage) text() string {
	text := fmt.Sprintf("%s %s GiB", s.Title, number.Grouped(s.GiB, 0))
	if s.IOPS > 0 {
		text += fmt.Sprintf(", %s IOPS", number.Grouped(s.IOPS, 0))
	}
	if s.MiBps > 0 {
		text += fmt.Sprintf(", %s MiB/s", number.Grouped(s.MiBps, 0))
	}
	return text
}

// configurations maps Aurora's configurations to their names.
func configurations() map[string]string {
	return map[string]string{"aurora": "Aurora Standard", "aurora-iopt1": "Aurora I/O-Optimized"}
}

func (d Database) nameCell() document.Cell { return document.Name(d.Name) }

func (d Database) hasCell() document.Cell {
	switch {
	case d.Aurora != nil && d.Aurora.Now != "":
		return document.Words(configurations()[d.Aurora.Now])
	case d.Has != nil:
		return document.Words(d.Has.text())
	}
	return document.Words("-")
}

func (d Database) orderCell() document.Cell {
	switch {
	case d.Aurora != nil && d.Aurora.Cheaper != d.Aurora.Now:
		return document.Words(configurations()[d.Aurora.Cheaper])
	case d.Order != nil:
		return document.Words(d.Order.text())
	case d.Saves != nil:
		return document.Words("as it is")
	}
	return document.Words("-")
}

func (d Database) requestsCell() document.Cell {
	return d.needCell(func(r Rate) float64 { return r.Requests })
}

// needCell returns a number of the worst hour.
func (d Database) needCell(of func(Rate) float64) document.Cell {
	if d.Need == nil {
		return document.Words("-")
	}
	v := of(d.Need.WorstHour)
	return document.Number(number.Rate(v), v)
}

func (d Database) carriesCell() document.Cell {
	if d.Has == nil {
		return document.Words("-")
	}
	return document.Number(number.Rate(d.Has.Carries.Requests), d.Has.Carries.Requests)
}

func (d Database) riskCell() document.Cell {
	c := document.Words(string(d.Risk.Level))
	if d.Risk.Level == Exhausted || d.Risk.Level == Throttled {
		c.Mark = "grave"
	}
	return c
}

func (d Database) savesCell() document.Cell {
	if d.Saves == nil {
		return document.Words("-")
	}
	return document.Number(d.Saves.rounded(d.Saves.Value), d.Saves.Value)
}

// endCell says when credits end.
func (r Risk) endCell() document.Cell {
	switch {
	case r.Level == Exhausted:
		return document.Words("has run out").By(0)
	case r.Level == Ending:
		return document.Words(r.when()).By(float64(r.Credits.first().Unix()))
	}
	return document.Words("-")
}

func (r Risk) hoursCell() document.Cell {
	n := r.Hours
	if r.Level == Exhausted {
		n = r.Credits.Hours
	}
	if n == 0 {
		return document.Words("-")
	}
	return document.Number(number.Grouped(float64(n), 0), float64(n))
}

func (d Database) usesCell() document.Cell {
	if d.Has == nil {
		return document.Words("-")
	}
	return document.Number(number.Percent(d.Risk.Uses), d.Risk.Uses)
}
