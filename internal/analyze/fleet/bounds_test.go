package fleet_test

import (
	"iter"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// TestImpossiblePeriods: a file whose periods end before they begin, or are millennia apart, is refused without using
// memory.
func TestImpossiblePeriods(t *testing.T) {
	period := func(from time.Time, long time.Duration) runfile.Period {
		return runfile.Period{From: from, To: from.Add(long), Probe: "cloudwatch", Metric: "cloudwatch/ReadIOPS",
			Statistic: "Average", Value: 1}
	}
	for name, periods := range map[string][]runfile.Period{
		"backwards":       {period(begin, time.Hour), period(begin.Add(5*time.Hour), -10*time.Hour)},
		"of no length":    {period(begin, 0)},
		"millennia apart": {period(begin, time.Hour), period(begin.AddDate(5000, 0, 0), time.Hour)},
	} {
		records := iter.Seq2[runfile.Record, error](func(yield func(runfile.Record, error) bool) {
			if !yield(runfile.Run{Target: runfile.Target{Host: "one"}, Plan: runfile.Plan{Name: runfile.FleetPlan}},
				nil) {
				return
			}
			for _, p := range periods {
				if !yield(p, nil) {
					return
				}
			}
		})
		if _, err := ask(t).Read(records); err == nil {
			t.Errorf("periods %s are taken", name)
		}
	}
}
