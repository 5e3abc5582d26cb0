package sizes

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/metric"
)

// ConvertSchema names the form of an answer on one amount of a metric.
const ConvertSchema = "realiops.convert/1"

// Convert translates an amount of a metric to real storage I/O.
type Convert struct {
	Schema      string        `json:"schema"`
	Metric      string        `json:"metric"`
	On          string        `json:"on"`
	Amount      float64       `json:"amount"`
	Period      float64       `json:"period_seconds,omitempty"` // that the amount was added up over; 0: it is a rate
	PerSecond   float64       `json:"per_second"`
	Counts      string        `json:"counts"`
	Side        string        `json:"side"`
	Kinds       []ConvertKind `json:"kinds"`         // of load, one by one; none: it does not count WAL records
	Rows        *ConvertSpan  `json:"rows"`          // a second, as are the next
	Requests    *ConvertSpan  `json:"requests"`      // of the device under a PostgreSQL that writes pages
	Billed      *ConvertSpan  `json:"billed_writes"` // of Aurora
	IOCost      *ConvertSpan  `json:"io_cost"`       // a month on Aurora Standard
	AsOf        string        `json:"prices_as_of,omitempty"`
	Misread     *float64      `json:"misread_io_cost"` // a month, were each one billed
	Calibration string        `json:"calibration"`     // of billed writes
	Settle      string        `json:"settle,omitempty"`
	// databases that were asked for, for the geometric middle of the rows
	Spreads []SizeSpread `json:"distributed"`

	region, currency string // whose prices count, and what they are in
	most             float64
}

// Over returns the answer for an amount that was added up over a time other than that in which the metric is published.
func (c Convert) Over(amount, seconds float64) Convert {
	c.Amount, c.Period = amount, seconds
	return c
}

// period returns the time of a sum in words.
func (c Convert) period() string {
	const minute, hour, day, month = 60, 3600, 86400, catalog.HoursInMonth * 3600
	known := map[float64]string{0: "", 1: "a second", minute: "in a minute", hour: "in an hour", day: "in a day",
		7 * day: "in a week", month: "in a month"}
	switch words, ok := known[c.Period]; {
	case ok:
		return words
	case c.Period > minute && math.Mod(c.Period, minute) == 0 && c.Period < hour:
		return fmt.Sprintf("in %.0f minutes", c.Period/minute)
	case c.Period > day && math.Mod(c.Period, day) == 0:
		return fmt.Sprintf("in %s days", number.Grouped(c.Period/day, 0))
	}
	return fmt.Sprintf("in %s seconds", number.Grouped(c.Period, 0))
}

// order says what to make of a rate of real storage I/O.
func (c Convert) order() string {
	if c.most > 0 {
		return fmt.Sprintf("No volume of RDS does more than %s: see whether this is one instance's, and a second's",
			number.Grouped(c.most, 0))
	}
	return "Size for that"
}

// ConvertKind translates an amount, if one kind of load had made all of it.
type ConvertKind struct {
	Load     string      `json:"load"`
	What     string      `json:"what"`
	Rows     float64     `json:"rows"` // a second, as are the others
	Requests float64     `json:"requests"`
	Billed   *[3]float64 `json:"billed_writes"` // at least, as estimated, at most
}

// ConvertSpan is a range from the least to the most.
type ConvertSpan struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// NewConvert puts an answer into the form that is shown, with what its rows would ask of databases that were asked for.
func NewConvert(c sizing.Converted, by sizing.Calibration, asked []sizing.Spread) Convert {
	span := func(r *sizing.Range) *ConvertSpan {
		if r == nil {
			return nil
		}
		return &ConvertSpan{r.Least, r.Most}
	}
	v := Convert{
		Schema: ConvertSchema, Metric: c.Meaning.Metric, On: c.Meaning.On, Amount: c.Amount, PerSecond: c.PerSecond,
		Counts: c.Meaning.Counts, Side: c.Meaning.Side, Kinds: []ConvertKind{}, Rows: span(c.Rows),
		Requests: span(c.Requests), Billed: span(c.Billed),
		IOCost: span(c.IOCost), AsOf: c.AsOf, Misread: c.Misread, Settle: c.Settle, Calibration: calibrationText(by),
		Spreads: spreads(asked), region: c.Region, currency: c.Currency, most: c.Most,
	}
	for _, k := range c.Kinds {
		kind := ConvertKind{Load: k.Load, What: k.What, Rows: k.Rows, Requests: k.Requests}
		if b := k.Billed; b != nil {
			kind.Billed = &[3]float64{b.Least, b.Value, b.Most}
		}
		v.Kinds = append(v.Kinds, kind)
	}
	return v
}

// Document returns the answer for people.
func (c Convert) Document() document.Document { return document.Document{Blocks: c.blocks()} }

func (c Convert) blocks() []document.Block {
	server := map[string]string{"aurora": "Aurora", "rds": "RDS", "ebs": "EBS"}[c.On]
	name := fmt.Sprintf("%s %s on %s", number.Grouped(c.Amount, 0), strings.TrimSpace(c.Metric+" "+c.period()), server)
	switch {
	case c.Rows == nil && c.Billed != nil && c.Billed.Lo == c.Billed.Hi:
		return []document.Block{document.Paragraph{
			Text: words.Sentences(fmt.Sprintf("%s are real storage I/O (%s): %s a second", name, c.Counts,
				number.Rate(c.PerSecond)), c.cost(),
				"The bill follows these; a database on a volume of its own asks for other requests: "+
					"realiops size on a "+
					"run tells them")}}
	case c.Rows == nil && c.Billed != nil:
		return []document.Block{document.Paragraph{
			Text: words.Sentences(fmt.Sprintf("%s are %s: %s to %s billed writes a second (by %s)", name, c.Counts,
				number.Rate(c.Billed.Lo), number.Rate(c.Billed.Hi), c.Calibration), c.cost())}}
	case c.Rows == nil:
		return []document.Block{document.Paragraph{
			Text: words.Sentences(fmt.Sprintf("%s are real storage I/O (%s): %s a second", name, c.Counts,
				number.Rate(c.PerSecond)), c.order())}}
	}
	text := fmt.Sprintf("%s are %s, not disk operations. No single factor turns them into I/O. It depends on the "+
		"load that makes them:", name, c.Counts)
	legend := "Measured on one machine; billed writes by " + c.Calibration + ", with its spread."
	return []document.Block{
		document.Paragraph{Text: text}, document.Together{c.bounds(), words.Faint(legend)},
		document.Paragraph{Text: c.cost()}, document.Paragraph{Text: c.claimed()},
		document.Paragraph{Text: spreadText(c.Spreads)}, document.Paragraph{Text: "What would settle it: " + c.Settle},
	}
}

// claimed is on what it rests that the metric counts WAL records.
func (c Convert) claimed() string {
	if c.On != "aurora" {
		return ""
	}
	return metric.WriteIOPSOnAurora
}

// bounds says what the WAL records may stand for, by kind of load and in all.
func (c Convert) bounds() document.Table {
	var t document.Table
	names, rows, requests := []string{}, []document.Cell{}, []document.Cell{}
	var billed []document.Cell
	for _, k := range c.Kinds {
		names, rows, requests = append(names, k.Load+": "+k.What), append(rows, words.Known(&k.Rows)),
			append(requests, words.Known(&k.Requests))
		if k.Billed == nil {
			billed = append(billed, words.Known(nil))
			continue
		}
		billed = append(billed, document.Words(number.Rate(k.Billed[0])+" to "+number.Rate(k.Billed[2])))
	}
	t.Add(words.Wordy("per second, if it is"), words.Texts(append(names, "at least", "at most")))
	t.Add(words.Numeric("rows written"), append(rows, words.Known(&c.Rows.Lo), words.Known(&c.Rows.Hi)))
	t.Add(words.Numeric("requests to a disk of its own"), append(requests, words.Known(&c.Requests.Lo),
		words.Known(&c.Requests.Hi)))
	t.Add(words.Numeric("billed writes, on Aurora"), append(billed, words.Known(&c.Billed.Lo),
		words.Known(&c.Billed.Hi)))
	return t
}

// cost returns what it comes to on a bill of Aurora's.
func (c Convert) cost() string {
	switch {
	case c.IOCost == nil && c.Billed == nil:
		return ""
	case c.IOCost == nil:
		return "Its cost is not known: there is no price here of Aurora's I/O in " + c.region +
			", which realiops prices aws fetches."
	}
	amount := number.Rate(c.IOCost.Lo)
	if c.IOCost.Lo != c.IOCost.Hi {
		amount += " to " + number.Rate(c.IOCost.Hi)
	}
	text := fmt.Sprintf("On Aurora Standard %s %s a month for I/O if it never stops", amount, c.currency)
	if c.Misread != nil {
		text += fmt.Sprintf("; %s if each were billed", number.Rate(*c.Misread))
	}
	return text + " (" + catalog.PricesOf(c.AsOf) + ")."
}

// ConvertsSchema names the form of an answer on amounts of several metrics.
const ConvertsSchema = "realiops.converts/1"

// Converts translates amounts of several metrics.
type Converts struct {
	Schema  string    `json:"schema"`
	Metrics []Convert `json:"metrics"`
	Size    *Size     `json:"size"` // what to order for them; null: they do not tell operations and bytes of storage
}

// Document returns the answer for people: what to order where the metrics tell that, else what each means.
func (c Converts) Document() document.Document {
	if c.Size != nil {
		return c.Size.Document()
	}
	var all []document.Block
	for _, m := range c.Metrics {
		all = append(all, m.blocks()...)
	}
	return document.Document{Blocks: all}
}
