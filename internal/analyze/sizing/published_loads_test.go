package sizing_test

import (
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestBilledWritesPredictedByOthers: each of the four loads with published billed writes and bytes lies within the
// forecast from its bytes, when calibrated by the other three.
func TestBilledWritesPredictedByOthers(t *testing.T) {
	const volume, bytes, fourth = "cloudwatch/VolumeWriteIOPs", "cloudwatch/WriteThroughput", "pachot"
	records := runfiletest.Records(t, "../../../testdata/runs/published-digitized.jsonl")
	// 246,000 in 300 s at 117,000 rows/s, of which PostgreSQL 17 makes 75.4 bytes of WAL each.
	records = append(records, runfile.Total{Load: fourth, Repetition: 1, Probe: "cloudwatch",
		Values: map[string]float64{volume: 246_000, bytes: 300 * 117_000 * 75.4}})
	head := records[0].(runfile.Run)
	head.Plan.Loads = append(slices.Clone(head.Plan.Loads), runfile.Load{Name: fourth, Method: runfile.Observed})
	records[0] = head
	tried := 0
	for _, left := range records {
		out, isTotal := left.(runfile.Total)
		if !isTotal || out.Load == fourth {
			continue
		}
		tried++
		others := slices.DeleteFunc(slices.Clone(records), func(r runfile.Record) bool {
			total, is := r.(runfile.Total)
			return is && total.Load == out.Load
		})
		c, err := sizing.Calibrate(runOf(t, others...), "")
		if err != nil || c.Repetitions != 3 {
			t.Fatalf("without %s there are %d loads to calibrate by: %v", out.Load, c.Repetitions, err)
		}
		billed := out.Values[volume]
		by := map[string]sizing.Calibration{"the other three": c, "all that was published": sizing.Published()}
		for whom, c := range by {
			forecast, _, ok := sizing.ForecastAurora(nil, new(out.Values[bytes]), c)
			if !ok || billed < forecast.Least || billed > forecast.Most {
				t.Errorf("%s was billed %g writes; by %s it would be %g to %g", out.Load, billed, whom, forecast.Least,
					forecast.Most)
			}
			if forecast.Most > 4*forecast.Least { // by rows it is a factor of 43
				t.Errorf("by %s %s would be billed %g to %g, which anything is", whom, out.Load, forecast.Least,
					forecast.Most)
			}
		}
	}
	if tried != 3 {
		t.Errorf("%d loads were tried, not 3", tried)
	}
}
