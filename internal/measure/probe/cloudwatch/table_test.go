package cloudwatch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/runfile"
)

// TestTableIsTheCatalog: what is asked for is what explain documents, in the same period, statistic, unit and words.
func TestTableIsTheCatalog(t *testing.T) {
	known, err := catalog.Read()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range cloudwatch.Table() {
		meanings := slices.DeleteFunc(known.Of("cloudwatch/"+r.Name), func(m catalog.Meaning) bool { return m.On != r.On })
		if len(meanings) != 1 || seen[r.On+r.Name] {
			t.Errorf("%s on %s: %d meanings", r.Name, r.On, len(meanings))
			continue
		}
		seen[r.On+r.Name] = true
		m := meanings[0]
		want := cloudwatch.Row{
			On: m.On, Name: m.Metric, Level: m.Level, Dimension: m.Dimension, Type: r.Type, Period: int(m.Period),
			Statistic: m.Statistic, Scale: scaleOf(m.Unit), Counts: m.Counts, Source: r.Source,
		}
		if !slices.ContainsFunc(m.Sources, func(key string) bool { s, _ := known.Source(key); return s.Address == r.Source }) {
			t.Errorf("%s on %s: %s is none of its sources", r.Name, r.On, r.Source)
		}
		want.Unit = strings.NewReplacer(" per second", "", " in 5 minutes", "", "milliseconds", "seconds", "kibibytes", "bytes").Replace(m.Unit)
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s on %s: (-catalog +table):\n%s", r.Name, r.On, diff)
		}
		if perSecond := strings.HasSuffix(m.Unit, "per second"); perSecond != (r.Type == string(runfile.Rate)) {
			t.Errorf("%s on %s: %s is a %s", r.Name, r.On, m.Unit, r.Type)
		}
	}
	for _, m := range known.Meanings {
		// What only a secondary region shows is documented, and never asked for.
		if m.Service == "cloudwatch" && !seen[m.On+m.Metric] && !strings.HasPrefix(m.Metric, "AuroraGlobalDB") {
			t.Errorf("%s on %s is documented and not in the table", m.Metric, m.On)
		}
	}
}

func scaleOf(unit string) float64 {
	switch {
	case strings.HasPrefix(unit, "milliseconds"):
		return 1e-3
	case strings.HasPrefix(unit, "kibibytes"):
		return 1024
	default:
		return 1
	}
}

// TestStatisticTellsHowMuch: internal/analyze/drivers takes the mean of a rate and the sum of a count.
func TestStatisticTellsHowMuch(t *testing.T) {
	for _, r := range cloudwatch.Table() {
		want, counted := map[string]string{string(runfile.Rate): "Average", string(runfile.CountPerPeriod): "Sum"}[r.Type]
		if counted && r.Statistic != want {
			t.Errorf("%s on %s: the %s of a %s", r.Name, r.On, r.Statistic, r.Type)
		}
		if r.Level == "cluster" && r.Period != 300 {
			t.Errorf("%s: the cluster's numbers come every 300 s and are asked for every %d", r.Name, r.Period)
		}
	}
}
