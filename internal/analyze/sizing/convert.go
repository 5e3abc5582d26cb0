package sizing

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/metric"
)

// What WAL records stand for, in eight kinds of load on PostgreSQL 17.11 alone on its device (testdata/runs/arms-pg17.jsonl;
// a test holds these against it). The span is the point: there is no one factor.
const (
	recordsPerRequestLeast = 8.02   // one-row transactions
	recordsPerRequestMost  = 5905.0 // the same without waiting for the disk
	recordsPerRowLeast     = 0.0377 // COPY without an index
	recordsPerRowMost      = 3.047  // INSERT into a table with two indexes
	bytesPerRecordLeast    = 56.9   // one-row transactions
	bytesPerRecordMost     = 631.0  // COPY
)

// Converted is what an amount of a metric means in real storage I/O, as far as anything published or measured tells.
type Converted struct {
	Meaning   metric.Meaning
	Amount    float64
	PerSecond float64  // of what the metric counts
	Real      bool     // it counts storage I/O itself
	Rows      *Range   // a second; nil: it does not count WAL records
	Requests  *Range   // of a device under a PostgreSQL that writes pages, a second
	Billed    *Range   // writes of Aurora, a second
	IOCost    *Range   // a month on Aurora Standard; nil: no price is known
	Misread   *float64 // a month, were each one billed
	Settle    string   // what would narrow it down
}

// Convert says what an amount of a metric means on a flavor.
func Convert(meanings []metric.Meaning, amount float64, t Tariff, calibration Calibration) (Converted, error) {
	if len(meanings) != 1 {
		return Converted{}, ambiguous(meanings)
	}
	c := Converted{Meaning: meanings[0], Amount: amount, PerSecond: amount}
	if isCount(c.Meaning) {
		c.PerSecond = amount / c.Meaning.Period
	}
	switch {
	case c.Meaning.Side == metric.Physical && isRate(c.Meaning):
		c.Real = true
	case c.Meaning.Counts == metric.WALRecords.Many():
		c.records(t, calibration)
	default:
		return c, fmt.Errorf("%s counts %s, which tells nothing of how often storage is asked", c.Meaning.Metric, c.Meaning.Counts)
	}
	return c, nil
}

// isCount tells a count of a period from a rate.
func isCount(m metric.Meaning) bool {
	return strings.HasSuffix(m.Unit, "in 5 minutes") || m.Statistic == "Sum"
}

// isRate tells operations from bytes, times and percentages.
func isRate(m metric.Meaning) bool {
	return strings.HasPrefix(m.Unit, "operations") || strings.HasPrefix(m.Unit, "requests per second")
}

func ambiguous(meanings []metric.Meaning) error {
	if len(meanings) == 0 {
		return fmt.Errorf("nothing is known of such a metric there")
	}
	var on []string
	for _, m := range meanings {
		on = append(on, m.On)
	}
	return fmt.Errorf("%s means different things on %s: say which with --flavor", meanings[0].Metric, strings.Join(on, " and "))
}

// records spans what so many WAL records may mean.
func (c *Converted) records(t Tariff, calibration Calibration) {
	n := c.PerSecond
	c.Rows = between(n/recordsPerRowMost, n/recordsPerRowLeast)
	c.Requests = between(n/recordsPerRequestMost, n/recordsPerRequestLeast)
	least, most := n*bytesPerRecordLeast, n*bytesPerRecordMost
	fewest, _ := ForecastAurora(&c.Rows.Least, &least, calibration.preferringLog())
	largest, _ := ForecastAurora(&c.Rows.Most, &most, calibration.preferringLog())
	c.Billed = between(fewest.Least, min(n, largest.Most))
	c.Settle = "VolumeWriteIOPs of the same minutes is what is billed; a run of realiops with your kind of load tells the device requests."
	if least, err := t.IOCost(c.Billed.Least); err == nil {
		most, _ := t.IOCost(c.Billed.Most)
		misread, _ := t.IOCost(n)
		c.IOCost, c.Misread = between(least, most), &misread
	}
}

// preferringLog leaves rows aside where the WAL is known: how many records a row makes is already a span.
func (c Calibration) preferringLog() Calibration {
	if c.OfLogUnits != nil {
		c.RowsPerWrite = nil
	}
	return c
}

// between has the geometric middle for its value: the ends are factors apart.
func between(least, most float64) *Range {
	return &Range{Value: math.Sqrt(least * most), Least: least, Most: most}
}
