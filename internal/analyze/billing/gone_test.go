package billing_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
)

// october is when the made-up clusters of these tests ran.
var october = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)

// history is one cluster's history in CloudWatch.
type history struct{ periods []runfile.Period }

func (h *history) add(metric, dimension, statistic string, from time.Time, length time.Duration, value float64) {
	name := map[string]string{"DBClusterIdentifier": "shop", "DBInstanceIdentifier": "a"}[dimension]
	h.periods = append(h.periods, runfile.Period{From: from, To: from.Add(length), Metric: "cloudwatch/" + metric,
		Statistic: statistic, Dimensions: map[string]string{dimension: name}, Value: value})
}

// hour adds an hour in which the cluster ran, with the given millions of reads and number of instances besides the
// known one.
func (h *history) hour(from time.Time, millions, others float64) {
	const volume, instance = "DBClusterIdentifier", "DBInstanceIdentifier"
	h.add("VolumeReadIOPs", volume, "Sum", from, time.Hour, millions*1e6)
	h.add("VolumeWriteIOPs", volume, "Sum", from, time.Hour, 0)
	h.add("VolumeBytesUsed", volume, "Average", from, time.Hour, 100<<30)
	h.add("CPUUtilization", instance, "Average", from, time.Hour, 7)
	h.add("CPUUtilization", volume, "SampleCount", from, time.Hour, 60*(1+others))
}

// compared charges 1.00 per million operations, 1.00 and 1.30 per hour of the class x, 0.10 and 0.225 per GiB.
func (h *history) compared(days int, instances ...billing.Instance) billing.Comparison {
	price := func(volume string, per catalog.Per, class string, price float64) catalog.Price {
		return catalog.Price{Volume: volume, Class: class, Per: per, Region: "us-east-1", Currency: "USD", Price: price}
	}
	prices := []catalog.Price{
		price("aurora", catalog.PerMillionIO, "", 1), price("aurora", catalog.PerGiB, "", 0.1),
		price("aurora-iopt1", catalog.PerGiB, "", 0.225),
		price("aurora", catalog.PerHour, "db.x", 1), price("aurora-iopt1", catalog.PerHour, "db.x", 1.3),
	}
	instances = append([]billing.Instance{{Name: "a", Class: "db.x"}}, instances...)
	use := billing.FromPeriods(h.periods, october, october.AddDate(0, 0, days), instances)
	return billing.Compare(use, sizing.Tariff{Region: "us-east-1", Prices: prices}, nil)
}

func dollars(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 0.005) {
		t.Errorf("%s: %.4f, want %.2f", what, got, want)
	}
}

// scaled returns a cluster of 14 days with two readers from eight o'clock on that AWS no longer knows.
func scaled(millions float64) *history {
	var h history
	for hour := range 14 * 24 {
		others := 0.0
		if hour%24 >= 8 {
			others = 2
		}
		h.hour(october.Add(time.Duration(hour)*time.Hour), millions, others)
	}
	return &h
}

// TestGoneInstances: an hour of I/O costs 0.50, and the known instance 0.30 more on I/O-Optimized, which would
// pay; with two readers for 16 of 24 hours it does not. Without the readers, the answer must not be that it does.
func TestGoneInstances(t *testing.T) {
	storage := 100 * 0.125 * 14 / 31
	c := scaled(0.5).compared(14)
	if want := "448 hours of unnamed instances are left out"; c.Verdict.Cheaper != "" ||
		!strings.HasPrefix(c.Verdict.Why, want) || !strings.Contains(c.Verdict.Why, "--instance") {
		t.Errorf("%+v, want none: %s", c.Verdict, want)
	}
	if gone := c.Items[len(c.Items)-1]; gone.Amount != 448 || gone.Missing == "" {
		t.Errorf("the last item is %+v, want 448 hours", gone)
	}

	var runs [2]billing.Instance
	for i := range runs {
		runs[i] = billing.Instance{Name: "reader-" + string(rune('1'+i)), Class: "db.x"}
		for day := range 14 {
			from := october.AddDate(0, 0, day)
			runs[i].Ran = append(runs[i].Ran, billing.Run{From: from.Add(8 * time.Hour), To: from.Add(24 * time.Hour)})
		}
	}
	told := scaled(0.5).compared(14, runs[:]...)
	if told.Verdict.Cheaper != billing.Standard || !told.Verdict.Sure {
		t.Errorf("with its readers: %+v", told.Verdict)
	}
	dollars(t, "with its readers", told.Verdict.Saves, (14*24*(0.3-0.5)+448*0.3+storage)/(14*24)*730)

	// if Standard is cheaper without the readers, they make it even cheaper
	cheap := scaled(0.1).compared(14)
	if cheap.Verdict.Cheaper != billing.Standard || !cheap.Verdict.Sure {
		t.Errorf("with little I/O: %+v", cheap.Verdict)
	}
	if text := cheap.Document().Blocks; !strings.Contains(strings.Join(cheap.Warnings, " "), "448 hours") ||
		len(text) == 0 {
		t.Errorf("the warnings are %q", cheap.Warnings)
	}

	if text := fmt.Sprint(cheap.Document().Blocks); !strings.Contains(text, "Prices of an unnamed source.") {
		t.Errorf("prices without a source: %s", text)
	}

	// contradicting weeks do not hide them: an hour of one is 0.30, of which a month has 730 / 336
	var uneven history
	for hour := range 14 * 24 {
		millions := 5.0
		if hour >= 7*24 {
			millions = 0
		}
		uneven.hour(october.Add(time.Duration(hour)*time.Hour), millions, map[bool]float64{true: 1}[hour < 100])
	}
	v := uneven.compared(14).Verdict
	least := (7*24*5 - 14*24*0.3 - storage - 100*0.3) / (14 * 24) * 730
	for _, want := range []string{"seven-day stretches say otherwise, and 100 hours of unnamed instances are left " +
		"out", "as little as " + number.Grouped(least, 0) + " USD a month"} {
		if v.Cheaper != billing.Optimized || v.Sure || !strings.Contains(v.Why, want) {
			t.Errorf("it does not say %q: %+v", want, v)
		}
	}

	// a reader for an hour reverses nothing, and is reported
	var once history
	for hour := range 31 * 24 {
		once.hour(october.Add(time.Duration(hour)*time.Hour), 0.502, map[bool]float64{true: 1}[hour == 100])
	}
	if v := once.compared(31).Verdict; v.Cheaper != billing.Optimized || v.Sure ||
		!strings.HasPrefix(v.Why, "1 hour of an unnamed instance is left out") {
		t.Errorf("with a reader for an hour: %+v", v)
	} else if same := "as little as " + number.Grouped(v.Saves, 0) + " USD"; strings.Contains(v.Why, same) {
		t.Errorf("with a reader for an hour it saves as much as without: %s", v.Why)
	}
}

// TestUncountedInstances: if the number of instances is unknown even for part of the time, I/O-Optimized is never
// surely cheaper.
func TestUncountedInstances(t *testing.T) {
	all := scaled(0.5)
	for without, want := range map[int]string{14: "336 of 336", 7: "168 of 336", 1: "24 of 336"} {
		var h history
		for _, p := range all.periods {
			if p.Statistic == "SampleCount" {
				p.Value = 60 // of the known instance
			}
			if p.Statistic != "SampleCount" || !p.From.Before(october.AddDate(0, 0, without)) {
				h.periods = append(h.periods, p)
			}
		}
		want = "whether instances came and went in " + want + " hours is not known"
		if v := h.compared(14).Verdict; v.Cheaper != billing.Optimized || v.Sure || !strings.Contains(v.Why, want) {
			t.Errorf("%d days without: %+v, want %s", without, v, want)
		}
	}
}

// TestStoppedAtNight: a cluster that runs from 8:00 to 20:00 costs only storage at night, and gets an answer.
func TestStoppedAtNight(t *testing.T) {
	var h history
	const days, running = 14, 12
	for day := range days {
		at := october.AddDate(0, 0, day)
		for hour := range running {
			h.hour(at.Add(time.Duration(8+hour)*time.Hour), 0.5, 0)
		}
		end := at.Add((8 + running) * time.Hour) // and ten minutes, with some signs of life
		h.add("VolumeReadIOPs", "DBClusterIdentifier", "Sum", end, 10*time.Minute, 0)
		h.add("VolumeWriteIOPs", "DBClusterIdentifier", "Sum", end, 10*time.Minute, 0)
	}
	c := h.compared(days)
	hours := float64((days-1)*24 + running) // from the first whole hour to the last
	if float64(c.Whole.Compared) != hours || c.Whole.Days != days-2 {
		t.Errorf("%d hours compared in %d whole days, want %g in %d", c.Whole.Compared, c.Whole.Days, hours, days-2)
	}
	dollars(t, "I/O", c.Whole.IO, days*running*0.5)
	dollars(t, "compute", c.Whole.Compute.Standard, days*running)
	dollars(t, "storage", c.Whole.Storage.Standard, 100*0.1*hours/744)
	if c.Verdict.Cheaper != billing.Optimized || !c.Verdict.Sure {
		t.Errorf("%+v", c.Verdict)
	}
	if !strings.Contains(strings.Join(c.Warnings, " "), "assumes that the cluster was stopped") {
		t.Errorf("it does not say that the cluster was stopped: %q", c.Warnings)
	}

	// a gap longer than the seven days for which AWS lets a cluster stop is unknown
	var gap history
	for hour := range 40 * 24 {
		if day := hour / 24; day < 15 || day >= 25 {
			gap.hour(october.Add(time.Duration(hour)*time.Hour), 0.5, 0)
		}
	}
	if c := gap.compared(40); c.Whole.Compared != 30*24 {
		t.Errorf("%d hours compared beside ten days without a sign, want %d", c.Whole.Compared, 30*24)
	}
}

// TestCapacityKnownLate: a serverless instance whose capacity is known only from the tenth hour on ran before
// that, too, if two instances published samples. With a capacity of 0 it was paused, and is not gone.
func TestCapacityKnownLate(t *testing.T) {
	var h history
	for hour := range 20 {
		at := october.Add(time.Duration(hour) * time.Hour)
		h.hour(at, 0.5, 1)
		if hour >= 10 {
			h.periods = append(h.periods, runfile.Period{From: at, To: at.Add(time.Hour), Statistic: "Average",
				Metric: "cloudwatch/ServerlessDatabaseCapacity", Value: float64(hour % 2),
				Dimensions: map[string]string{"DBInstanceIdentifier": "s"}})
		}
	}
	use := billing.FromPeriods(h.periods, october, october.Add(20*time.Hour), []billing.Instance{
		{Name: "a", Class: "db.x"}, {Name: "s", Class: billing.Serverless}})
	for hour, gone := range use.Gone {
		if want := map[bool]float64{true: 1}[hour < 10]; gone != want {
			t.Errorf("hour %d: %g hours of instances that nothing names, want %g", hour, gone, want)
		}
	}
}

// TestMostHoursMissing: 7 of 21 days are compared, since the capacity of a serverless reader that came on the eighth is
// missing. Those days give no answer for a cluster with the reader.
func TestMostHoursMissing(t *testing.T) {
	var h history
	for hour := range 21 * 24 {
		from := october.Add(time.Duration(hour) * time.Hour)
		h.hour(from, 1, 0)
		if hour >= 7*24 {
			h.hour(from, 1, 1)
		}
	}
	const says = "336 of 504 hours are left out, because some of their data is missing"
	c := h.compared(21, billing.Instance{Name: "b", Class: billing.Serverless})
	if c.Verdict.Cheaper == "" || c.Verdict.Sure || !strings.Contains(c.Verdict.Why, says) {
		t.Errorf("%+v", c.Verdict)
	}
}

// TestHolesAreNoStops: instances published all samples before and after each hour that is missing, so the cluster was
// not stopped then, and the hours are unknown.
func TestHolesAreNoStops(t *testing.T) {
	var h history
	const hours, missing = 14 * 24, 67 // every fifth
	for hour := range hours {
		if hour%5 != 4 {
			h.hour(october.Add(time.Duration(hour)*time.Hour), 0.5, 0)
		}
	}
	if c := h.compared(14); c.Whole.Compared != hours-missing || c.Verdict.Sure {
		t.Errorf("%d hours compared, want %d; %+v", c.Whole.Compared, hours-missing, c.Verdict)
	}
}

// TestMissingHoursMayTurn: an hour with I/O saves 0.50 - 0.30 - 100 x 0.125 / 744 = 0.183, one without loses 0.317.
// 13 days with and one without save 49.6; five more like that would cost 38.0, and seven 53.2.
func TestMissingHoursMayTurn(t *testing.T) {
	for missing, says := range map[int]string{5: "", 7: "168 of 504 hours are left out, and could turn it if they were like those"} {
		var all history
		for hour := range (14 + missing) * 24 {
			millions := 0.5
			if hour/24 == 3 {
				millions = 0
			}
			all.hour(october.Add(time.Duration(hour)*time.Hour), millions, 0)
		}
		var h history
		for _, p := range all.periods {
			if p.Metric != "cloudwatch/VolumeReadIOPs" || p.From.Before(october.AddDate(0, 0, 14)) {
				h.periods = append(h.periods, p)
			}
		}
		v := h.compared(14 + missing).Verdict
		if v.Cheaper != billing.Optimized || v.Sure != (says == "") || !strings.Contains(v.Why, says) {
			t.Errorf("%d days missing: %+v", missing, v)
		}
	}
}

// TestEverySecondHour: where each second hour is missing, the hours look like sums of two. The samples contradict it.
func TestEverySecondHour(t *testing.T) {
	var h, uncounted history
	const volume, instance = "DBClusterIdentifier", "DBInstanceIdentifier"
	for hour := 0; hour < 14*24; hour += 2 {
		from := october.Add(time.Duration(hour) * time.Hour)
		h.add("VolumeReadIOPs", volume, "Sum", from, 2*time.Hour, 2e6)
		h.add("VolumeWriteIOPs", volume, "Sum", from, 2*time.Hour, 0)
		h.add("VolumeBytesUsed", volume, "Average", from, 2*time.Hour, 100<<30)
		h.add("CPUUtilization", instance, "Average", from, 2*time.Hour, 7)
		uncounted.periods = append(uncounted.periods, h.periods[len(h.periods)-4:]...)
		h.add("CPUUtilization", volume, "SampleCount", from, 2*time.Hour, 60)
	}
	const fewer = "in 336 of 336 hours CPUUtilization has fewer samples"
	if v := h.compared(14).Verdict; v.Cheaper != "" || !strings.Contains(v.Why, fewer) {
		t.Errorf("60 samples in two hours: %+v", v)
	}
	if v := uncounted.compared(14).Verdict; v.Sure || !strings.Contains(v.Why, "up to 2 hours apart") {
		t.Errorf("without samples: %+v", v)
	}
}
