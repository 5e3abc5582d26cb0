package report

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// ConvertSchema names the form of an answer on one amount of a metric.
const ConvertSchema = "realiops.convert/1"

// Convert is what an amount of a metric means in real storage I/O.
type Convert struct {
	Schema      string       `json:"schema"`
	Metric      string       `json:"metric"`
	On          string       `json:"on"`
	Amount      float64      `json:"amount"`
	PerSecond   float64      `json:"per_second"`
	Counts      string       `json:"counts"`
	Side        string       `json:"side"`
	Rows        *ConvertSpan `json:"rows"`            // a second, as are the next
	Requests    *ConvertSpan `json:"requests"`        // of the device under a PostgreSQL that writes pages
	Billed      *ConvertSpan `json:"billed_writes"`   // of Aurora
	IOCost      *ConvertSpan `json:"io_cost"`         // a month on Aurora Standard
	Misread     *float64     `json:"misread_io_cost"` // a month, were each one billed
	Calibration string       `json:"calibration"`     // of billed writes
	Settle      string       `json:"settle,omitempty"`
}

// ConvertSpan is what something may be, from the least to the most.
type ConvertSpan struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// NewConvert puts an answer into the form that is shown.
func NewConvert(c sizing.Converted, by sizing.Calibration) Convert {
	span := func(r *sizing.Range) *ConvertSpan {
		if r == nil {
			return nil
		}
		return &ConvertSpan{r.Least, r.Most}
	}
	return Convert{
		Schema: ConvertSchema, Metric: c.Meaning.Metric, On: c.Meaning.On, Amount: c.Amount, PerSecond: c.PerSecond,
		Counts: c.Meaning.Counts, Side: c.Meaning.Side, Rows: span(c.Rows), Requests: span(c.Requests), Billed: span(c.Billed),
		IOCost: span(c.IOCost), Misread: c.Misread, Settle: c.Settle, Calibration: calibrationText(by),
	}
}

// Document is the answer for people.
func (c Convert) Document() document.Document {
	server := map[string]string{"aurora": "Aurora", "rds": "RDS", "ebs": "EBS"}[c.On]
	if c.Rows == nil {
		text := fmt.Sprintf("%s %s on %s are real storage I/O (%s): %s a second. Size for that.", number.Grouped(c.Amount, 0), c.Metric, server, c.Counts, number.Rate(c.PerSecond))
		return document.Document{Blocks: []document.Block{document.Paragraph{Text: text}}}
	}
	text := fmt.Sprintf("%s %s on %s are %s, not disk operations. Nothing turns them into I/O by one factor; what is known bounds it:", number.Grouped(c.Amount, 0), c.Metric, server, c.Counts)
	legend := "By eight kinds of load, from COPY to one-row transactions, measured on one machine; billed writes by " + c.Calibration + ", with its spread."
	return document.Document{Blocks: []document.Block{
		document.Paragraph{Text: text}, document.Together{c.bounds(), faint(legend)}, document.Paragraph{Text: c.cost()},
		document.Paragraph{Text: "What would settle it: " + c.Settle},
	}}
}

// bounds says what the WAL records may stand for.
func (c Convert) bounds() document.Table {
	var t document.Table
	t.Add(wordy("a second"), texts([]string{"rows written", "device requests, on a PostgreSQL of its own", "billed writes, on Aurora"}))
	t.Add(numeric("at least"), []document.Cell{known(&c.Rows.Lo), known(&c.Requests.Lo), known(&c.Billed.Lo)})
	t.Add(numeric("at most"), []document.Cell{known(&c.Rows.Hi), known(&c.Requests.Hi), known(&c.Billed.Hi)})
	return t
}

func (c Convert) cost() string {
	if c.IOCost == nil || c.Misread == nil {
		return ""
	}
	return fmt.Sprintf("On Aurora Standard %s to %s USD a month for I/O if it never stops; %s if somebody takes each for a billed one.",
		number.Rate(c.IOCost.Lo), number.Rate(c.IOCost.Hi), number.Rate(*c.Misread))
}
