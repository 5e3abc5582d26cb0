package sizing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestMeansOfHoursAreReported: if CloudWatch's highest minute of one metric is missing, its mean stands in among the
// maxima of the others, and the order says so.
func TestMeansOfHoursAreReported(t *testing.T) {
	start := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	const hours = 24
	sized := func(length time.Duration, without string) string {
		records := []runfile.Record{runfile.Run{Schema: runfile.Schema, ID: "20261118-000000-abcd", Start: start,
			Observed: true, Asked: &runfile.Stretch{From: start, To: start.Add(hours * time.Hour)},
			Target: runfile.Target{Kind: "history", Flavor: "rds"}}}
		for _, name := range needs.OfInstance().Names() {
			each := 100.0
			if strings.Contains(name, "Throughput") {
				each *= 8192
			}
			records = append(records, metric.All().Row(name).Announced())
			for at := start; at.Before(start.Add(hours * time.Hour)); at = at.Add(length) {
				p := runfile.Period{From: at, To: at.Add(length), Probe: metric.CloudWatch, Metric: name,
					Dimensions: map[string]string{"DBInstanceIdentifier": "orders"}, Statistic: runfile.Average, Value: each}
				records = append(records, p)
				if p.Statistic, p.Value = runfile.Maximum, 2*each; name != without {
					records = append(records, p)
				}
			}
		}
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		s, err := sizing.Size(sizing.Ask{GiB: 500}, run)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(s.Cautions, "; ")
	}
	const said = "The busiest minutes of WriteIOPS are unknown, only means over 1 h"
	if text := sized(time.Hour, needs.OfInstance().Writes); !strings.Contains(text, said) {
		t.Errorf("%q does not say %q", text, said)
	}
	for what, text := range map[string]string{"with all maxima": sized(time.Hour, ""),
		"of minutes": sized(time.Minute, needs.OfInstance().Writes)} {
		if strings.Contains(text, "highest minutes") {
			t.Errorf("%s it says %q", what, text)
		}
	}
}
