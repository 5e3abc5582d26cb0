package diagnosis

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/runfile"
)

// TestModesOfDatabaseInsights: each mode names its retention and what it lacks; off says nothing.
func TestModesOfDatabaseInsights(t *testing.T) {
	check := func(c runfile.Cloud, want string) {
		t.Helper()
		c.Instance = "db-1"
		var out strings.Builder
		if err := document.Text(&out, document.Document{
			Blocks: []document.Block{(&AWS{}).document(runfile.Target{Cloud: &c})}}, 1000); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || want == "" && strings.Contains(out.String(), "Insights") {
			t.Errorf("%+v: %q is not said:\n%s", c, want, out.String())
		}
	}
	check(runfile.Cloud{Insights: true, InsightsMode: "standard", InsightsDays: 7},
		"Database Insights is in mode Standard: counters are kept for 7 days, so collect a run within them. Its "+
			"locks and plans, and its counters in CloudWatch, take mode Advanced")
	check(runfile.Cloud{Insights: true, InsightsMode: "advanced", InsightsDays: 465},
		"Database Insights is in mode Advanced: CloudWatch has its counters too, and counters are kept for 465 days")
	check(runfile.Cloud{Insights: true}, "Performance Insights is on: counters are kept for 7 days")
	check(runfile.Cloud{InsightsMode: "standard"}, "")
}
