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
	sized := func(length time.Duration, without string) string {
		return strings.Join(fromCloudWatch(t, length, without, 100, 8192).Cautions, "; ")
	}
	const said = "The busiest minutes of WriteIOPS are unknown, only means over 1 h"
	if text := sized(time.Hour, needs.OfInstance().Writes); !strings.Contains(text, said) {
		t.Errorf("%q does not say %q", text, said)
	}
	for what, text := range map[string]string{"with all maxima": sized(time.Hour, ""),
		"of minutes": sized(time.Minute, needs.OfInstance().Writes)} {
		if strings.Contains(text, "The busiest minutes") {
			t.Errorf("%s it says %q", what, text)
		}
	}
}

// TestMeansOfWindowsAreReported: windows of five scrapes hide a burst of one.
func TestMeansOfWindowsAreReported(t *testing.T) {
	const said = "The busiest minutes are unknown, only means over 5 min: the order may be too small for them"
	for interval, want := range map[time.Duration]bool{5 * time.Second: false, time.Minute: true} {
		start := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
		records := []runfile.Record{runfile.Run{Schema: runfile.Schema, ID: "20261118-000000-abcd", Start: start,
			Observed: true, Parameters: map[string]string{"interval": interval.String()},
			Target: runfile.Target{Kind: "history", Flavor: "postgres"}}}
		for _, name := range needs.OfDisk().Names() {
			records = append(records, metric.All().Row(name).Announced())
		}
		records = append(records, metric.All().Row(metric.CommitsOfAll).Announced())
		for i := range 100 {
			values := map[string]float64{metric.CommitsOfAll: float64(1000 * i)}
			for _, name := range needs.OfDisk().Names() {
				values[name] = float64(1000 * i)
				if strings.Contains(name, "bytes") {
					values[name] *= 8192
				}
			}
			records = append(records, runfile.Reading{At: start.Add(time.Duration(i) * interval), Probe: "x", Values: values})
		}
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		s, err := sizing.Size(sizing.Ask{GiB: 500}, run)
		if text := strings.Join(s.Cautions, "; "); err != nil || strings.Contains(text, said) != want {
			t.Errorf("scraped every %v: %q, %v", interval, text, err)
		}
	}
}

// TestSourceOfWrongNumbers: bytes come in requests, of a MiB at most.
func TestSourceOfWrongNumbers(t *testing.T) {
	for _, c := range []struct {
		writes, bytesEach float64
		says              string
	}{{100, 8192, ""}, {0, 8192, "bytes were read or written in 0 requests"}, {100, 8e6, "a unit is probably wrong"}} {
		said := strings.Join(fromCloudWatch(t, time.Hour, "", c.writes, c.bytesEach).Cautions, "; ")
		for _, text := range []string{"bytes were read or written in 0 requests", "a unit is probably wrong"} {
			if strings.Contains(said, text) != (c.says == text) {
				t.Errorf("%g writes a second of %g bytes: %q", c.writes, c.bytesEach, said)
			}
		}
	}
	s, err := sizing.Size(sizing.Ask{Load: "scan-cold", GiB: 500}, shipped(t, "default-pg17.jsonl.zst"))
	if err != nil || strings.Contains(strings.Join(s.Cautions, "; "), "probably wrong") { // its requests have 1,069,594 bytes
		t.Error(err, s.Cautions)
	}
}

// fromCloudWatch sizes a day of an instance with 100 reads a second, in periods of a length, with the mean of each and,
// but for one metric, with a maximum of twice that.
func fromCloudWatch(t *testing.T, length time.Duration, without string, writes, bytesEach float64) sizing.Sizing {
	t.Helper()
	start := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	const hours = 24
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, ID: "20261118-000000-abcd", Start: start,
		Observed: true, Asked: &runfile.Stretch{From: start, To: start.Add(hours * time.Hour)},
		Target: runfile.Target{Kind: "history", Flavor: "rds"}}}
	for _, name := range needs.OfInstance().Names() {
		each := 100.0
		if strings.Contains(name, "Throughput") {
			each *= bytesEach
		} else if name == needs.OfInstance().Writes {
			each = writes
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
	return s
}
