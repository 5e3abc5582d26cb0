package score

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// TestCalibration: of four intervals from 0.9 to 1.1, three hold the true ratio, and the one of a wrong
// name counts for none.
func TestCalibration(t *testing.T) {
	named := func(quantity metric.Quantity, truth float64) Case {
		c := Case{World: worlds.NewWild(1, 0)}
		c.Meter = worlds.Meter{Noise: 0.01, Rule: worlds.Rule{Sort: worlds.Single,
			Terms: []worlds.Term{{Quantity: metric.RowsWritten, Side: counts.Logical, PerUnit: truth, Share: 1}}}}
		c.Verdict = attribution.Verdict{Kind: attribution.Logical, Counts: quantity, PerUnit: &attribution.Estimate{
			Value: 1, Lo: 0.9, Hi: 1.1, Level: 0.8}}
		return c
	}
	c := Calibrated(0.8, []Case{named(metric.RowsWritten, 1), named(metric.RowsWritten, 0.95), named(metric.RowsWritten, 1.05),
		named(metric.RowsWritten, 1.2), named(metric.Entries, 1)})
	if c.All.Hits != 3 || c.All.Of != 4 || c.Wrong.Hits != 1 || c.Wrong.Of != 5 {
		t.Errorf("%d of %d hold, %d of %d wrong; want 3 of 4, 1 of 5", c.All.Hits, c.All.Of, c.Wrong.Hits, c.Wrong.Of)
	}
	var b strings.Builder
	WriteCalibration(&b, []Calibration{c})
	if !strings.Contains(b.String(), "| 80% |") || !strings.Contains(b.String(), "| 75.00% |") {
		t.Error(b.String())
	}
}
