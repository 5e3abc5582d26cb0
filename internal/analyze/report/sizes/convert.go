package sizes

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
)

// ConvertSchema names the form of the answer for one metric.
const ConvertSchema = "realiops.convert/1"

// Convert translates an amount of a metric into real storage I/O.
type Convert struct {
	Schema string `json:"schema"`
	figures.Converted
	Calibration string `json:"calibration"`      // of billed writes
	Settle      string `json:"settle,omitempty"` // what would narrow it down
	// requested databases, for the geometric mean of the rows
	Spreads []catalog.Spread `json:"distributed"`
}

// Over returns the answer for an amount summed over another time than the metric's period.
func (c Convert) Over(amount, seconds float64) Convert {
	c.Amount, c.Period = amount, seconds
	return c
}

// period formats the time of a sum.
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

// order says what to do with a rate of real storage I/O.
func (c Convert) order() string {
	if c.Most > 0 {
		return fmt.Sprintf("No RDS volume does more than %s: check that the figure is per second and of one instance",
			number.Grouped(c.Most, 0))
	}
	return "Size for that"
}

// NewConvert adds to an answer its calibration, and what its rows would need on the requested databases.
func NewConvert(c figures.Converted, by sizing.Calibration, asked []catalog.Spread) Convert {
	v := Convert{Schema: ConvertSchema, Converted: c, Calibration: calibrationText(by), Spreads: asked}
	if c.Rows != nil {
		v.Settle = "AWS bills VolumeWriteIOPs, which follows WriteThroughput. A realiops run with a load like " +
			"yours shows the device requests."
	}
	return v
}

// Document returns the answer for people.
func (c Convert) Document() document.Document { return document.Document{Blocks: c.blocks()} }

func (c Convert) blocks() []document.Block {
	server := map[string]string{"aurora": "Aurora", "rds": "RDS", "ebs": "EBS"}[c.On]
	name := fmt.Sprintf("%s %s on %s", number.Grouped(c.Amount, 0), strings.TrimSpace(c.Metric+" "+c.period()), server)
	switch {
	case c.Rows == nil && c.Billed != nil && c.Billed.Least == c.Billed.Most:
		return []document.Block{document.Paragraph{
			Text: words.Sentences(fmt.Sprintf("%s are real storage I/O (%s): %s a second", name, c.Counts,
				number.Rate(c.PerSecond)), c.cost(),
				"AWS bills these. On its own volume, a database makes other requests, which realiops size shows "+
					"for a run")}}
	case c.Rows == nil && c.Billed != nil:
		return []document.Block{document.Paragraph{
			Text: words.Sentences(fmt.Sprintf("%s are %s: %s billed writes a second (by %s)", name, c.Counts,
				within(c.Billed.Least, c.Billed.Most), c.Calibration), c.cost())}}
	case c.Rows == nil:
		return []document.Block{document.Paragraph{
			Text: words.Sentences(fmt.Sprintf("%s are real storage I/O (%s): %s a second", name, c.Counts,
				number.Rate(c.PerSecond)), c.order())}}
	}
	text := fmt.Sprintf("%s are %s, not disk operations. No single factor converts them to I/O; it depends on the "+
		"load:", name, c.Counts)
	legend := "Measured on one machine; billed writes from " + c.Calibration + ", with its spread."
	return []document.Block{
		document.Paragraph{Text: text}, document.Together{c.bounds(), words.Faint(legend)},
		document.Paragraph{Text: c.cost()}, document.Paragraph{Text: c.claimed()},
		document.Paragraph{Text: spreadText(c.Spreads)}, document.Paragraph{Text: "What would settle it: " + c.Settle},
	}
}

// claimed returns the basis for the claim that the metric counts WAL records.
func (c Convert) claimed() string {
	if c.On != "aurora" {
		return ""
	}
	return metric.WriteIOPSOnAurora
}

// bounds shows what the WAL records may stand for, by kind of load and overall.
func (c Convert) bounds() (t document.Table) {
	names, rows, requests := []string{}, []document.Cell{}, []document.Cell{}
	var billed []document.Cell
	for _, k := range c.Kinds {
		names, rows, requests = append(names, k.Load+": "+k.What), append(rows, about(k.Rows)),
			append(requests, about(k.Requests))
		if k.Billed == nil {
			billed = append(billed, words.Known(nil))
			continue
		}
		billed = append(billed, document.Words(between(*k.Billed)))
	}
	t.Add(document.Wordy("per second, if it is"), words.Texts(append(names, "at least", "at most")))
	t.Add(document.Numeric("rows written"), append(rows, about(c.Rows.Least), about(c.Rows.Most)))
	t.Add(document.Numeric("requests to a disk of its own"), append(requests, about(c.Requests.Least), about(c.Requests.Most)))
	t.Add(document.Numeric("billed writes, on Aurora"), append(billed, about(c.Billed.Least), about(c.Billed.Most)))
	return t
}

// about returns a rough rate.
func about(v float64) document.Cell { return document.Number(number.About(v), v) }

// cost returns the cost on an Aurora bill.
func (c Convert) cost() string {
	switch {
	case c.IOCost == nil && c.Billed == nil:
		return ""
	case c.IOCost == nil:
		return "Its cost is unknown: there is no price for Aurora's I/O in " + c.Region +
			"; realiops prices aws fetches it."
	}
	amount := number.Rate(c.IOCost.Least)
	if c.IOCost.Least != c.IOCost.Most {
		amount = within(c.IOCost.Least, c.IOCost.Most)
	}
	text := fmt.Sprintf("Aurora Standard would cost %s %s a month for I/O in %s at this rate", amount, c.Currency, c.Region)
	if c.Misread != nil {
		text += fmt.Sprintf("; %s if each of them were billed", number.Rate(*c.Misread))
	}
	return text + " (" + catalog.PricesOf(c.AsOf) + ")."
}

// ConvertsSchema names the form of the answer for several metrics.
const ConvertsSchema = "realiops.converts/1"

// Converts translates amounts of several metrics.
type Converts struct {
	Schema  string    `json:"schema"`
	Metrics []Convert `json:"metrics"`
	Size    *Size     `json:"size"` // what to order for them; null: storage operations and bytes are unknown
	// Lacks names the metrics without which there is no order.
	Lacks []string `json:"lacks,omitempty"`
}

// Document returns the answer for people: an order if the metrics suffice for one, else what each means.
func (c Converts) Document() document.Document {
	if c.Size != nil {
		return c.Size.Document()
	}
	var all []document.Block
	if len(c.Lacks) > 0 {
		all = append(all, document.Paragraph{Text: "No order: it also takes " + words.Enumerated(c.Lacks, " and ") + "."})
	}
	for _, m := range c.Metrics {
		all = append(all, m.blocks()...)
	}
	return document.Document{Blocks: all}
}

// Check lists contradictions among figures from elsewhere, and grades them by rules.
func Check(f figures.Figures, rules figures.Rules) document.Document {
	contradictions := words.Each(func(found figures.Finding) string { return found.Text + "." }, f.Check())
	blocks := document.Together{document.Doubts(contradictions)}
	say := func(text string) { blocks = append(blocks, document.Paragraph{Text: text}) }
	switch {
	case len(contradictions) > 0:
	case f.Held():
		say("The figures agree with each other.")
	default:
		say("Nothing to check: no two of these figures depend on each other. Give iops, ms and queue; or iops, " +
			"kbps and kb; or iops and cap-iops; or mbps and cap-mbps.")
	}
	for _, of := range []struct {
		name    string
		latency float64
	}{{"Latency", f.Latency}, {"Latency of reads", f.Reads.Latency}, {"Latency of writes", f.Writes.Latency}} {
		if !math.IsNaN(of.latency) {
			say(fmt.Sprintf("%s: %s.", of.name, rules.Latency.Of(of.latency)))
		}
	}
	if !math.IsNaN(f.Queue) {
		say(fmt.Sprintf("Queue: %s, if it is one disk's queue.", rules.Queue.Of(f.Queue)))
	}
	return document.Document{Blocks: []document.Block{blocks}}
}

// TooSmall reports requests or bytes that must be something else: no request carries less than a sector.
func TooSmall(run *counts.Run) string {
	for _, n := range needs.Of(run) {
		if n.Missing == nil && n.Model == nil && n.Mean.TooSmall() {
			return fmt.Sprintf("Storage did %s requests a second, which would carry %s bytes each, but the minimum "+
				"is 512. The requests or the bytes are another metric, and figures derived from them are "+
				"wrong.", number.Rate(n.Mean.Requests()),
				number.Significant(n.Mean.Bytes()/n.Mean.Requests(), 2))
		}
	}
	return ""
}
