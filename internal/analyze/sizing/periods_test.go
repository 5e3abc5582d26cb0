package sizing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
)

// TestCreditsAgainstTheirRule: gp2 earns 3 operations a second for each GiB. 100 GiB earn 300, so that credits may fall
// in the hour that asks for 400 and in no other; 200 GiB earn 600, and 50 GiB 150, which is less than any hour asks for.
func TestCreditsAgainstTheirRule(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	balance, writes := []float64{90, 80, 70, 60, 50, 44}, []float64{150, 150, 150, 300, 150, 150}
	var periods []runfile.Period
	for h := range balance {
		for name, value := range map[string]float64{"BurstBalance Minimum": balance[h], "ReadIOPS Maximum": 100,
			"WriteIOPS Maximum": writes[h], "WriteIOPS Average": 1000, "ReadThroughput Maximum": 1e5,
			"WriteThroughput Maximum": 1e5} {
			metric, statistic, _ := strings.Cut(name, " ")
			periods = append(periods, runfile.Period{From: at.Add(time.Duration(h) * time.Hour),
				To: at.Add(time.Duration(h+1) * time.Hour), Probe: "cloudwatch", Metric: "cloudwatch/" + metric,
				Statistic: statistic, Value: value})
		}
	}
	run := shippedWith(t, periods...)
	for gib, want := range map[int]string{100: "fell by 26% in 3 hours", // 90 to 70, and 50 to 44
		200: "fell by 46% in 5 hours", 50: ""} {
		run.Header.Target.Cloud = &runfile.Cloud{Storage: "gp2", SizeGiB: gib}
		if got := sizing.AgainstRule(run); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%d GiB: %q, want %q", gib, got, want)
		}
	}
	run.Header.Target.Cloud.Storage = "gp3" // which has no credits
	if got := sizing.AgainstRule(run); got != "" {
		t.Errorf("gp3: %q", got)
	}
}
