package exported_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/history/exported"
)

// TestHistoryOfSpoiledFiles: three days of an RDS instance, each time with something removed or changed. Changes that
// affect the answer are refused or reported.
func TestHistoryOfSpoiledFiles(t *testing.T) {
	file := func(name string) string {
		text, err := os.ReadFile("../../../../testdata/history/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	metrics, described := file("orders.json"), file("orders-described.json")
	first := strings.NewReplacer(`"orders"`, `"first"`, `"postgres"`, `"aurora-postgresql"`).Replace(described)
	_, second, _ := strings.Cut(described, "[")
	account := strings.Replace(first, "}\n ]", "}, "+second, 1)
	account = strings.TrimSuffix(account, "\n}")
	for _, c := range []struct {
		what, metrics, described string
		flavor                   string // of the history; empty: it is refused
		want                     string // in the refusal, or in a notice
	}{
		{"as shipped", metrics, described, "rds", ""},
		{"another instance's description", metrics, strings.Replace(described, `"orders"`, `"other"`, 1), "postgres",
			"No description of orders"},
		{"no metrics", `{"MetricDataResults": []}`, described, "", "no points of any metric"},
		{"a description of nobody", metrics, strings.Replace(described, "DBInstanceIdentifier", "Identifier", 1), "",
			"an instance has no DBInstanceIdentifier"},
		{"an account whose first instance is of Aurora", metrics, account, "rds", ""},
		{"one name in two regions", metrics, strings.TrimSuffix(described, "\n ]\n}") + ", " +
			strings.Replace(second, "eu-west-1a", "us-east-1a", 1) + "\n", "", "describes orders a second time, differently"},
		{"the same description twice", metrics, strings.TrimSuffix(described, "\n ]\n}") + ", " + second + "\n", "rds", ""},
		{"an instance without its engine", metrics, strings.Replace(described, `"Engine"`, `"engine_"`, 1), "",
			"the description of instance orders has no Engine"},
		{"a point", `{"MetricDataResults": [{"Label": "ReadIOPS Average orders", "Timestamps": ["2026-11-18T00:00:00Z"], "Values": [1]}]}`,
			described, "", "only one point, so its period is unknown; ask for several"},
		{"a point of one series", strings.Replace(metrics, `"MetricDataResults": [`, `"MetricDataResults": [
			{"Label": "DiskQueueDepth Average orders", "Timestamps": ["2026-11-18T00:00:00Z"], "Values": [1]},`, 1), described,
			"rds", `Skipped series "DiskQueueDepth Average orders": it has only one point`},
		{"a point of a cluster's series", strings.Replace(metrics, `"MetricDataResults": [`, `"MetricDataResults": [
			{"Label": "VolumeReadIOPs Sum shop", "Timestamps": ["2026-11-18T00:00:00Z"], "Values": [1]},`, 1), `{"DBInstances": []}`,
			"aurora", `Skipped series "VolumeReadIOPs Sum shop": it has only one point`},
		{"MySQL", metrics, strings.Replace(described, `"postgres"`, `"mysql"`, 1), "", "runs mysql, not PostgreSQL"},
		{"a part of the pages", strings.Replace(metrics, `"Complete"`, `"PartialData"`, 1), described, "",
			"is incomplete"},
		{"an answer that CloudWatch cut", strings.Replace(metrics, `"Messages": []`,
			`"Messages": [{"Code": "MaxMetricsExceeded", "Value": "500"}]`, 1), described, "", "MaxMetricsExceeded: 500"},
		{"a series that it cut", strings.Replace(metrics, `"StatusCode"`,
			`"Messages": [{"Code": "ArithmeticError", "Value": "no"}], "StatusCode"`, 1), described, "", "ArithmeticError: no"},
		{"values that ran out", strings.Replace(metrics, `"Values": [56.4, `, `"Values": [`, 1), described, "",
			"does not have one value for each time"},
		{"means alone are a history", strings.ReplaceAll(metrics, " Maximum ", " Minimum "), described, "rds",
			"it is the Minimum of ReadIOPS"},
		{"a time of before CloudWatch", strings.Replace(metrics, "2026-11-18T", "1970-01-01T", 1), described, "",
			"reach from 1970-01-01 to 2026-11-21, but CloudWatch keeps 455 days"},
		{"no means", strings.ReplaceAll(metrics, " Average ", " Sum "), described, "", "only the Maximum"},
		{"no means of writes", strings.ReplaceAll(metrics, "WriteIOPS Average", "WriteIOPS Sum"), described, "rds",
			"WriteIOPS has only a Maximum"},
	} {
		data, target, err := exported.History([]exported.File{{Name: "m", Text: []byte(c.metrics)},
			{Name: "d", Text: []byte(c.described)}}, exported.Asked{}, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		said := strings.Join(data.Notices, " ")
		if err != nil {
			said = err.Error()
		}
		if strings.Contains(said, "--month") || strings.Contains(said, "description of :") {
			t.Errorf("%s: %s", c.what, said)
		}
		if (err == nil) != (c.flavor != "") || err == nil && target.Flavor != c.flavor || !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, flavor %q, want %q in it and flavor %q", c.what, said, target.Flavor, c.want, c.flavor)
		}
	}
}

// TestOverlappingFiles: which of two files comes first decides nothing without a word. A point that both have alike is
// one, and a point with two values is reported, whatever the ids.
func TestOverlappingFiles(t *testing.T) {
	answer := func(id string, values string) []byte {
		return []byte(`{"MetricDataResults": [{"Id": "` + id + `", "Label": "VolumeReadIOPs Sum shop", "Values": ` + values + `,
			"Timestamps": ["2026-11-18T00:00:00Z", "2026-11-18T01:00:00Z"]}]}`)
	}
	for other, want := range map[string]string{"[1, 2]": "", "[1, 7]": "Conflicting values for 1 point of"} {
		for _, id := range []string{"m0", "m1"} {
			var e exported.Export
			for _, text := range [][]byte{answer("m0", "[1, 2]"), answer(id, other)} {
				if err := e.Read(text, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)); err != nil {
					t.Fatal(err)
				}
			}
			said := strings.Join(e.Warnings, " ")
			if len(e.Periods) != 2 || e.Periods[1].Value != 2 || (want == "") != (said == "") || !strings.Contains(said, want) {
				t.Errorf("%s, %s: %q, %+v", id, other, said, e.Periods)
			}
		}
	}
}

// TestVolumeInGiB: of VolumeBytesUsed in another unit the bill would have no storage.
func TestVolumeInGiB(t *testing.T) {
	for value, want := range map[string]string{"6.5e11": "", "605": "shows 605 bytes at 2026-11-18T00:00:00Z"} {
		var e exported.Export
		err := e.Read([]byte(`{"MetricDataResults": [{"Id": "m0", "Label": "VolumeBytesUsed Average shop", "Values": [`+value+`,
			6.5e11], "Timestamps": ["2026-11-18T00:00:00Z", "2026-11-18T01:00:00Z"]}]}`), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// TestPeriodOfPointsWithHoles: no two points are closer than two hours, and 2 and 3 hours are multiples of one.
func TestPeriodOfPointsWithHoles(t *testing.T) {
	var e exported.Export
	err := e.Read([]byte(`{"MetricDataResults": [{"Id": "m0", "Label": "VolumeReadIOPs Sum shop", "Values": [1, 2, 3],
		"Timestamps": ["2026-11-18T00:00:00Z", "2026-11-18T02:00:00Z", "2026-11-18T05:00:00Z"]}]}`),
		time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if err != nil || len(e.Periods) != 3 || e.Periods[0].To.Sub(e.Periods[0].From) != time.Hour {
		t.Errorf("%v, %+v", err, e.Periods)
	}
}

// TestSumsOfHalfThePoints: a sum with half the points of other series may stand for twice the time, or lack points.
func TestSumsOfHalfThePoints(t *testing.T) {
	series := func(label string, apart time.Duration) string {
		at := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
		var times []string
		for i := range 5 {
			times = append(times, at.Add(time.Duration(i)*apart).Format(`"2006-01-02T15:04:05Z"`))
		}
		return `{"Id": "m0", "Label": "` + label + ` shop", "Values": [1, 2, 3, 4, 5], "Timestamps": [` +
			strings.Join(times, ",") + `]}`
	}
	for _, c := range []struct {
		reads, others time.Duration
		says          string
	}{
		{time.Hour, time.Hour, ""},
		{2 * time.Hour, 2 * time.Hour, ""},
		{2 * time.Hour, time.Hour, "The points of VolumeReadIOPs are 2 h apart, and those of other series 1 h: each counts " +
			"as the sum of 2 h. If points are missing, there was more I/O."},
		{5 * time.Minute, time.Minute, ""},
		{10 * time.Minute, time.Minute, "The points of VolumeReadIOPs are 10 min apart"},
	} {
		var e exported.Export
		err := e.Read([]byte(`{"MetricDataResults": [`+series("VolumeReadIOPs Sum", c.reads)+", "+
			series("CPUUtilization SampleCount", c.others)+`]}`), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		if err == nil {
			err = e.Check()
		}
		if said := strings.Join(e.Warnings, " "); err != nil || !strings.HasPrefix(said, c.says) || (c.says == "") != (said == "") {
			t.Errorf("%s and %s: %v, %q, want %q", c.reads, c.others, err, said, c.says)
		}
	}
}
