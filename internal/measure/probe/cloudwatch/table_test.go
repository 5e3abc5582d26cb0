package cloudwatch_test

import (
	"testing"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestStatisticTellsHowMuch: internal/analyze/counts uses the mean of a rate and the sum of a count. A cluster's
// volume has points only every five minutes.
func TestStatisticTellsHowMuch(t *testing.T) {
	for _, m := range metric.Meanings() {
		kind, _, _ := m.InBase()
		want, counted := map[runfile.MetricType]string{runfile.Rate: "Average", runfile.CountPerPeriod: "Sum"}[kind]
		if m.Service == metric.CloudWatch && counted && m.Statistic != want {
			t.Errorf("%s on %s: the %s of a %s", m.Name(), m.On, m.Statistic, kind)
		}
		if m.Level == "cluster" && m.Period != metric.FiveMinutes {
			t.Errorf("%s: the cluster's numbers come every 300 s and are asked for every %g", m.Name(), m.Period)
		}
	}
}
