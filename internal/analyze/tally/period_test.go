package tally_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// TestPeriods: the load of the small run lasts from second 11 to 13, and its idle load from 1 to 6.
func TestPeriods(t *testing.T) {
	rate := runfile.Metric{Name: "w/rate", Unit: "operations", Type: runfile.Rate, Period: 1}
	sum := runfile.Metric{Name: "w/rate", Unit: "operations", Type: runfile.CountPerPeriod, Period: 1}
	period := func(from, to float64, statistic string, value float64) runfile.Record {
		return runfile.Period{From: sec(from), To: sec(to), Probe: "w", Metric: "w/rate", Statistic: statistic,
			Value: value}
	}
	none := counts.Count{
		Missing: &series.Missing{Reason: counts.NoPeriod, Detail: "no whole period of its source lies inside"}}
	check := func(what string, want counts.Count, m runfile.Metric, periods ...runfile.Record) {
		t.Helper()
		records := append(append(small()[:2:2], m), small()[2:]...)
		load, _ := fromRecords(t, append(records, periods...)...).Load("busy")
		if diff := cmp.Diff(want, load.Repetitions[0].Counts["w/rate"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	of := func(amount, raw float64) counts.Count { return counts.Count{Amount: amount, Raw: raw, Seconds: 2} }

	check("two whole periods", of(40, 40), rate, period(11, 12, "Average", 10), period(12, 13, "Average", 30))
	check("those that reach out are not used", of(20, 20), rate,
		period(10, 11.5, "Average", 99), period(11.5, 12.5, "Average", 10), period(12.5, 13.5, "Average", 99))
	check("none is whole", none, rate, period(10.5, 11.5, "Average", 10))
	check("a later line stands for an earlier one", of(20, 20), rate, period(11, 12, "Average", 99),
		period(11, 12, "Average", 10))
	check("overlapping ones count once", of(20, 20), rate, period(11, 12, "Average", 10), period(11, 13, "Average", 99))
	check("other statistics", of(20, 20), rate, period(11, 12, "Average", 10), period(11, 12, "Maximum", 99))
	check("sums", of(20, 20), sum, period(11, 12, "Sum", 10), period(11, 12, "Average", 99))
	open := func(p runfile.Record) runfile.Record {
		unsettled := p.(runfile.Period)
		unsettled.Unsettled = true
		return unsettled
	}
	later := counts.Count{Missing: &series.Missing{
		Reason: counts.Unsettled, Detail: "its source may still change its values: realiops aws collect asks again"}}
	check("not final", later, rate, open(period(11, 12, "Average", 10)))
	check("one of two is final", of(20, 20), rate, period(11, 12, "Average", 10), open(period(12, 13, "Average", 30)))
	check("final after all", of(40, 40), rate, open(period(11, 13, "Average", 10)), period(11, 13, "Average", 20))
	check("less than nothing",
		counts.Count{Missing: &series.Missing{Reason: "error", Detail: "its source reports -10 for a period"}},
		rate, period(11, 12, "Average", 30), period(12, 13, "Average", -10))
	check("a period of no length", none, rate, period(12, 12, "Average", 10))
	check("the background of 3 a second is taken off", of(14, 20), rate, period(2, 4, "Average", 3),
		period(11, 12, "Average", 10))
}

func TestPeriodsOfSeveralDimensions(t *testing.T) {
	of := func(instance string, value float64) runfile.Record {
		return runfile.Period{
			From: sec(11), To: sec(12), Probe: "w", Metric: "w/rate", Dimensions: map[string]string{
				"instance": instance},
			Statistic: "Average", Value: value,
		}
	}
	run := fromRecords(t, append(small(), runfile.Metric{Name: "w/rate", Unit: "operations", Type: runfile.Rate},
		of("b", 2), of("a", 1))...)
	load, _ := run.Load("busy")
	if got := load.Repetitions[0].Counts["w/rate"].Amount; got != 2 {
		t.Errorf("1 a second of a for 2 s is %v", got)
	}
	if len(run.Notes) != 1 || run.Notes[0].Code != "metric-contradictory" {
		t.Errorf("notes %v", run.Notes)
	}
}

// TestPeriodsOfUnsteadyLoad: the last second of the small run's load has three times as many rows as the first.
func TestPeriodsOfUnsteadyLoad(t *testing.T) {
	loaded := func(from, to float64, rows int64) runfile.Record {
		return runfile.Work{From: sec(from), To: sec(to), Load: "busy", Repetition: 1, Transactions: 1, Rows: rows}
	}
	records := without(small(), isWork, loaded(11, 12, 100), loaded(12, 13, 300),
		runfile.Metric{Name: "w/rate", Unit: "operations", Type: runfile.CountPerPeriod, Period: 1},
		runfile.Period{From: sec(2), To: sec(3), Probe: "w", Metric: "w/rate", Statistic: "Sum", Value: 3},
		runfile.Period{From: sec(11), To: sec(12), Probe: "w", Metric: "w/rate", Statistic: "Sum", Value: 13})
	load, _ := fromRecords(t, records...).Load("busy")
	want := counts.Count{Amount: 40, Raw: 52, Seconds: 4} // a quarter of the rows: ten, and three of background
	if diff := cmp.Diff(want, load.Repetitions[0].Counts["w/rate"]); diff != "" {
		t.Error(diff)
	}
}

// TestPeriodsAfterFailover: the instance's values are of the instance that has the load, if they are known; the
// cluster's values stay.
func TestPeriodsAfterFailover(t *testing.T) {
	records := small()
	for i, record := range records {
		if e, is := record.(runfile.LoadEvent); is && e.Load == "busy" && e.Event == runfile.Begin {
			e.Instance = "two"
			records[i] = e
		}
	}
	tells := func(metric, dimension, of string, amount float64) {
		records = append(records, runfile.Metric{Name: metric, Unit: "operations",
			Type: runfile.CountPerPeriod, Period: 1},
			runfile.Period{From: sec(11), To: sec(13), Probe: "w", Metric: metric, Dimensions: map[string]string{
				dimension: of}, Statistic: "Sum", Value: amount})
	}
	tells("w/silent", "DBInstanceIdentifier", "one", 7)
	tells("w/told", "DBInstanceIdentifier", "one", 7)
	tells("w.two/told", "DBInstanceIdentifier", "two", 8)
	tells("w/all", "DBClusterIdentifier", "both", 7)
	run := fromRecords(t, records...)
	load, _ := run.Load("busy")
	got := map[string]counts.Count{}
	for name, count := range load.Repetitions[0].Counts {
		if strings.HasPrefix(name, "w") {
			got[name] = count
		}
	}
	want := map[string]counts.Count{
		"w/silent": {
			Missing: &series.Missing{Reason: counts.Elsewhere, Detail: "the load had moved to two by a failover"}},
		"w/told": {Amount: 8, Raw: 8, Seconds: 2},
		"w/all":  {Amount: 7, Raw: 7, Seconds: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(run.Notes) != 1 || run.Notes[0].Code != "failed-over" {
		t.Errorf("notes %v", run.Notes)
	}
}

// TestScaledUnderLoad: the load of the small run lasts from second 11 to 13.
func TestScaledUnderLoad(t *testing.T) {
	check := func(want string, units ...float64) {
		t.Helper()
		records := append(small(), runfile.Metric{Name: "cloudwatch/ServerlessDatabaseCapacity", Unit: "capacity units",
			Type: runfile.Gauge, Period: 1})
		for i, u := range units {
			at := float64(10 + i)
			records = append(records, runfile.Period{From: sec(at), To: sec(at + 1), Probe: "cloudwatch",
				Metric: "cloudwatch/ServerlessDatabaseCapacity", Statistic: "Minimum", Value: u})
		}
		var got strings.Builder
		for _, n := range fromRecords(t, records...).Notes {
			got.WriteString(n.Code + ": " + n.Text)
		}
		if got.String() != want {
			t.Errorf("%v: %q, want %q", units, got.String(), want)
		}
	}
	check("", 0.5, 2, 2, 0.5) // scaled before and after
	check("capacity-changed: The instance was scaled under load, from 2 to 4 capacity units: rates of different "+
		"loads cannot be compared, and a load may not have been steady", 2, 2, 4, 4)
}

// TestPeriodsOfReadLoad: it writes no rows, so its transactions show how much of it fell into each period, for
// reads as well.
func TestPeriodsOfReadLoad(t *testing.T) {
	loaded := func(from, to float64, transactions int64) runfile.Record {
		return runfile.Work{
			From: sec(from), To: sec(to), Load: "busy", Repetition: 1, Transactions: transactions,
			Statements: transactions, Returned: 5 * transactions, Lookups: 2 * transactions,
		}
	}
	period := func(from, to, value float64) runfile.Record {
		return runfile.Period{From: sec(from), To: sec(to), Probe: "w", Metric: "w/rate", Statistic: "Sum", Value: value}
	}
	records := without(small(), isWork, loaded(11, 12, 100), loaded(12, 13, 300),
		runfile.Metric{Name: "w/rate", Unit: "operations", Type: runfile.CountPerPeriod, Period: 1}, period(2, 3, 3),
		period(11, 12, 13))
	run := fromRecords(t, records...)
	load, _ := run.Load("busy")
	want := counts.Count{Amount: 40, Raw: 52, Seconds: 4}
	if diff := cmp.Diff(want, load.Repetitions[0].Counts["w/rate"]); diff != "" {
		t.Error(diff)
	}
	records = append(records, period(12, 14, 50))
	for at, x := range map[float64]float64{2: 4, 3: 6, 11: 20} {
		records = append(records, runfile.Reading{At: sec(at), Probe: "p", Values: map[string]float64{"p/x": x}})
	}
	over, view := fromRecords(t, records...).Over("w/rate")
	if !view.Periods {
		t.Fatal("it was not looked at over its periods")
	}
	load, _ = over.Load("busy")
	work := counts.Work{Transactions: 400, Statements: 400, Returned: 2000, Lookups: 800}
	if diff := cmp.Diff(work, load.Repetitions[0].Work); diff != "" {
		t.Error(diff)
	}
	if c := load.Repetitions[0].Counts["w/rate"]; c.Missing != nil || c.Raw != 63 {
		t.Errorf("%+v, want 63", c)
	}
}

// TestRowsCountedOneByOne: our reads to count the rows of a load belong to the period in which they happen. A period
// that ends during the counting has an unknown number of them.
func TestRowsCountedOneByOne(t *testing.T) {
	period := func(from, to, value float64) runfile.Record {
		return runfile.Period{From: sec(from), To: sec(to), Probe: "w", Metric: "w/rate", Statistic: "Sum", Value: value}
	}
	check := func(at float64, missing string, raw float64, counted int64) {
		t.Helper()
		records := append(small(), runfile.Metric{Name: "w/rate", Unit: "operations",
			Type: runfile.CountPerPeriod, Period: 1},
			period(2, 3, 3), period(11, 12, 13), period(12, 16, 50), runfile.Proof{At: sec(at), Took: 0.5, Load: "busy",
				Repetition: 1, Rows: 1000, Missing: missing})
		for at, x := range map[float64]float64{2: 4, 3: 6, 11: 20, 12: 30, 16: 150} {
			records = append(records, runfile.Reading{At: sec(at), Probe: "p", Values: map[string]float64{"p/x": x}})
		}
		run, _ := fromRecords(t, records...).Over("w/rate")
		load, _ := run.Load("busy")
		r := load.Repetitions[0]
		if c := r.Counts["w/rate"]; c.Missing != nil || c.Raw != raw || r.Work.Counted != counted {
			t.Errorf("counted at %v: %d rows, %+v", at, r.Work.Counted, c)
		}
	}
	check(15.2, "", 63, 1000)
	check(15.8, "", 13, 0)
	check(16.2, "", 63, 0)
	check(15.2, "count(*) took longer than 2s", 13, 0)
}
