package tally_test

import (
	"testing"

	"github.com/realiops/realiops/internal/runfile"
)

// TestSparsePoints: the load of the small run lasts from second 11 to 13, and its idle load from 1 to 6.
func TestSparsePoints(t *testing.T) {
	const name = "cloudwatch/WriteIOPS"
	of := func(statistic string, open bool, seconds ...float64) (all []runfile.Record) {
		for _, s := range seconds {
			all = append(all, runfile.Period{From: sec(s), To: sec(s + 1), Probe: "cloudwatch", Metric: name,
				Statistic: statistic, Value: 10, Unsettled: open})
		}
		return all
	}
	check := func(what, want string, periods ...[]runfile.Record) {
		t.Helper()
		records := append(small(), runfile.Metric{Name: name, Unit: "operations", Type: runfile.Rate, Period: 1})
		for _, p := range periods {
			records = append(records, p...)
		}
		if got := fromRecords(t, records...).Uncollected; got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	idle := of(runfile.Average, false, 1, 2, 3, 4, 5)
	const absent = "AWS has no points of CloudWatch WriteIOPS for most of a repetition of busy. With all points, " +
		"figures and verdicts may be different."
	check("all", "", idle, of(runfile.Average, false, 11, 12))
	check("one of two", "", idle, of(runfile.Average, false, 12))
	check("longer ones that reach out", "", idle, []runfile.Record{runfile.Period{From: sec(10), To: sec(15),
		Probe: "cloudwatch", Metric: name, Statistic: runfile.Average, Value: 10}})
	check("none under load", absent, idle)
	check("none idle", "AWS has no points of CloudWatch WriteIOPS for most of a repetition of idle. With all points, "+
		"figures and verdicts may be different.", of(runfile.Average, false, 11, 12))
	check("none final", "AWS may still change its points of CloudWatch WriteIOPS under busy, so they are not used. Fetch "+
		"the final ones with realiops aws collect.", idle, of(runfile.Average, true, 11, 12))
	check("only another statistic", "The only metric that AWS publishes for this server was not collected, from "+
		"CloudWatch, so it has no verdict. Fetch it with realiops aws collect.", of(runfile.Maximum, false, 2, 11, 12))
}
