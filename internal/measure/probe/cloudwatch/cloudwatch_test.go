package cloudwatch_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
)

func TestMain(m *testing.M) { os.Exit(accounttest.Main(m)) }

var _ probe.Backfiller = (*cloudwatch.Source)(nil)

// writer is an Aurora instance as internal/measure/account finds it.
var writer = runfile.Cloud{
	Provider: "aws", Region: accounttest.Region, Instance: "db-1", Cluster: "aurora-1", Role: "writer",
	Engine: "aurora-postgresql", Class: "db.r6g.large", Storage: "aurora",
}

// config returns the account's configuration as the program opens it, with its retries and counting.
func config(t testing.TB, s *accounttest.StandIn) aws.Config {
	t.Helper()
	s.Setenv(t)
	a, err := account.Open(t.Context(), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Config()
}

func open(t *testing.T, s *accounttest.StandIn, cloud runfile.Cloud, names ...string) *cloudwatch.Source {
	t.Helper()
	source, err := cloudwatch.New(config(t, s), cloud, names...)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// told is the result of a backfill: the values of each metric's statistic, by the minute since from, and the gaps.
type told struct {
	Values map[string]map[int]float64
	Gaps   []string
}

func backfill(t *testing.T, source *cloudwatch.Source, from, to time.Time) (told, error) {
	t.Helper()
	return backfillUntil(t, t.Context(), source, from, to)
}

func backfillUntil(t *testing.T, ctx context.Context, source *cloudwatch.Source, from, to time.Time) (told, error) {
	t.Helper()
	got := told{Values: map[string]map[int]float64{}}
	err := source.Backfill(ctx, from, to, func(r runfile.Record) error {
		switch r := r.(type) {
		case runfile.Gap:
			got.Gaps = append(got.Gaps, strings.TrimPrefix(r.Metric, "cloudwatch/")+" "+string(r.Reason)+" "+r.Code+
				": "+r.Detail)
		case runfile.Period:
			key := strings.TrimPrefix(r.Metric, "cloudwatch/") + " " + r.Statistic
			if got.Values[key] == nil {
				got.Values[key] = map[int]float64{}
			}
			minute := int(r.From.Sub(from) / time.Minute)
			if _, twice := got.Values[key][minute]; twice {
				t.Errorf("%s of minute %d came twice", key, minute)
			}
			got.Values[key][minute] = r.Value
		}
		return nil
	})
	return got, err
}

func (got told) check(t *testing.T, want told) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// of returns a series of an instance of RDS or Aurora.
func of(metric string, from time.Time, step time.Duration, values ...float64) accounttest.Series {
	return accounttest.Series{Namespace: "AWS/RDS", Metric: metric, Dimensions: map[string]string{
		"DBInstanceIdentifier": "db-1"},
		From: from, Step: step, Values: values}
}

func ofCluster(metric string, from time.Time, values ...float64) accounttest.Series {
	s := of(metric, from, 5*time.Minute, values...)
	s.Dimensions = map[string]string{"DBClusterIdentifier": "aurora-1"}
	return s
}

// anHour returns the begin of an hour whose data is final; it begins with a period of any length.
func anHour() time.Time { return time.Now().Add(-3 * time.Hour).Truncate(time.Hour) }

// byMinute numbers values from a minute on, at that interval.
func byMinute(first, every int, values ...float64) map[int]float64 {
	all := map[int]float64{}
	for i, v := range values {
		all[first+i*every] = v
	}
	return all
}

// TestValues: samples within a minute give its mean and maximum, the count of five minutes is a sum, the cluster's
// number is the cluster's, and other servers' metrics are left out.
func TestValues(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	other := of("WriteIOPS", at, time.Minute, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)
	other.Dimensions = map[string]string{"DBInstanceIdentifier": "db-2"}
	s.Put(t, other, of("WriteIOPS", at, 30*time.Second, 10, 30, 20, 20, 0, 0, 5, 7, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
		of("ReadLatency", at, time.Minute, 0.001, 0.002, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001),
		ofCluster("VolumeWriteIOPs", at, 246000, 1500))
	source := open(t, s, writer, "WriteIOPS", "ReadLatency", "VolumeWriteIOPs")
	got, err := backfill(t, source, at, at.Add(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	got.check(t, told{Values: map[string]map[int]float64{
		"WriteIOPS Average":   byMinute(0, 1, 20, 20, 0, 6, 1, 1, 2, 2, 3, 3),
		"WriteIOPS Maximum":   byMinute(0, 1, 30, 20, 0, 7, 1, 1, 2, 2, 3, 3),
		"ReadLatency Average": byMinute(0, 1, 0.001, 0.002, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001),
		"ReadLatency Maximum": byMinute(0, 1, 0.001, 0.002, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001),
		"VolumeWriteIOPs Sum": byMinute(0, 5, 246000, 1500),
	}})
}

// TestBaseUnits: CloudWatch's milliseconds become seconds.
func TestBaseUnits(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	s.Put(t, of("CommitLatency", at, time.Minute, 1.5))
	got, err := backfill(t, open(t, s, writer, "CommitLatency"), at, at.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	got.check(t, told{Values: map[string]map[int]float64{"CommitLatency Average": {0: 0.0015},
		"CommitLatency Maximum": {0: 0.0015}}})
}

// TestOnlyWholeOverlappingPeriods: a stretch that begins and ends within periods gets exactly these, complete.
func TestOnlyWholeOverlappingPeriods(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	at := anHour()
	s.Put(t, of("ReadIOPS", at, time.Minute, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14),
		ofCluster("VolumeReadIOPs", at, 100, 200, 300))
	source := open(t, s, writer, "ReadIOPS", "VolumeReadIOPs")
	from, to := at.Add(6*time.Minute+30*time.Second), at.Add(8*time.Minute+30*time.Second)
	got := map[string][]float64{}
	err := source.Backfill(t.Context(), from, to, func(r runfile.Record) error {
		p := r.(runfile.Period)
		if p.Unsettled || p.Probe != "cloudwatch" || p.To.Sub(p.From) != map[string]time.Duration{
			"Average": time.Minute, "Maximum": time.Minute, "Sum": 5 * time.Minute}[p.Statistic] {
			t.Errorf("%+v", p)
		}
		got[p.Metric+p.From.Format(" 15:04 ")+p.Statistic] = append(got[p.Metric+p.From.Format(" 15:04 ")+p.Statistic],
			p.Value)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float64{at.Add(5 * time.Minute).UTC().Format("cloudwatch/VolumeReadIOPs 15:04 Sum"): {200}}
	for minute := 6; minute <= 8; minute++ {
		for _, statistic := range []string{"Average", "Maximum"} {
			want["cloudwatch/ReadIOPS"+at.Add(time.Duration(minute)*time.Minute).UTC().Format(" 15:04 ")+
				statistic] = []float64{float64(minute)}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if calls := proxy.Calls()["GetMetricData"]; calls != 1 {
		t.Errorf("%d calls for what fits into one", calls)
	}
}

// TestUnfinishedPeriodsAreLeftOut: a minute that still runs, and five of which three are over.
func TestUnfinishedPeriodsAreLeftOut(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	s.Put(t, of("ReadIOPS", at, time.Minute, 1, 2, 3, 4, 5, 6, 7, 8, 9), ofCluster("VolumeReadIOPs", at, 100, 200))
	source := open(t, s, writer, "ReadIOPS", "VolumeReadIOPs")
	source.Now = func() time.Time { return at.Add(8*time.Minute + 59*time.Second) }
	var unsettled int
	err := source.Backfill(t.Context(), at, at.Add(time.Hour), func(r runfile.Record) error {
		if p := r.(runfile.Period); !p.Unsettled || p.To.After(source.Now()) {
			t.Errorf("%+v", p)
		}
		unsettled++
		return nil
	})
	if err != nil || unsettled != 8+8+1 {
		t.Errorf("%v, %d periods, want 8 means, 8 highest and one sum", err, unsettled)
	}
}

// TestMissing: a missing point is a gap once it cannot come any more, open before that, and never zero.
func TestMissing(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	s.Put(t, of("ReadIOPS", at, time.Minute, 1, 2), of("ReadIOPS", at.Add(5*time.Minute), time.Minute, 6),
		ofCluster("VolumeReadIOPs", at, 0))
	source := open(t, s, writer, "ReadIOPS", "ReadLatency", "VolumeReadIOPs")
	want := told{
		Values: map[string]map[int]float64{
			"ReadIOPS Average":   {0: 1, 1: 2, 5: 6},
			"ReadIOPS Maximum":   {0: 1, 1: 2, 5: 6},
			"VolumeReadIOPs Sum": {0: 0},
		},
		Gaps: []string{
			"ReadIOPS late missing: CloudWatch has no point for 7 of 10 periods, the first at " +
				at.Add(2*time.Minute).UTC().Format(time.RFC3339),
			"ReadLatency unsupported nothing: CloudWatch has no points for this time; not every instance class and storage " +
				"type has this metric",
			"VolumeReadIOPs late missing: CloudWatch has no point for 1 of 2 periods, the first at " +
				at.Add(5*time.Minute).UTC().Format(time.RFC3339),
		},
	}
	got, err := backfill(t, source, at, at.Add(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	got.check(t, want)
	source.Now = func() time.Time { return at.Add(30 * time.Minute) }
	want.Gaps = nil
	if got, err = backfill(t, source, at, at.Add(10*time.Minute)); err != nil {
		t.Fatal(err)
	}
	got.check(t, want)
}

// TestIdleness: a metric published only under load may have gaps, and is not reported as late.
func TestIdleness(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	s.Put(t, of("DBLoad", at, time.Minute, 1, 2), of("WriteIOPS", at, time.Minute, 1, 1, 1, 1, 1))
	got, err := backfill(t, open(t, s, writer, "DBLoad", "DBLoadCPU", "WriteIOPS"), at, at.Add(5*time.Minute))
	const may = "; it publishes this metric only under load, so the server may have been idle"
	if err != nil || len(got.Gaps) != 2 {
		t.Fatalf("%v: %q", err, got.Gaps)
	}
	for i, words := range []string{"DBLoad late idle: CloudWatch has no point for 3 of 5 periods",
		"DBLoadCPU late idle: CloudWatch has no point for 5 of 5 periods"} {
		if !strings.HasPrefix(got.Gaps[i], words) || !strings.HasSuffix(got.Gaps[i], may) {
			t.Errorf("%s is no %s", got.Gaps[i], words)
		}
	}
}

// TestNothingAtAll: a server that does not exist, or is misspelled, is one gap and no error. It names what was asked
// for: the server may have other metrics.
func TestNothingAtAll(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	s.Put(t, of("WriteIOPS", at, time.Minute, 1, 1, 1, 1, 1), ofCluster("VolumeReadIOPs", at, 1))
	cloud := writer
	cloud.Instance = "DB-1"
	counting := cloudwatch.Counting(config(t, s), writer.Cluster)
	counting.Now = func() time.Time { return at.Add(24 * time.Hour) }
	for source, without := range map[*cloudwatch.Source]string{
		open(t, s, cloud, "WriteIOPS", "ReadIOPS"): "WriteIOPS, ReadIOPS of the instance DB-1",
		counting: "CPUUtilization of the cluster " + writer.Cluster,
	} {
		got, err := backfill(t, source, at, at.Add(5*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		got.check(t, told{Values: map[string]map[int]float64{}, Gaps: []string{
			" error nothing: CloudWatch has no points of " + without + " in eu-central-1 from " +
				at.UTC().Format(time.RFC3339) + " to " + at.Add(5*time.Minute).UTC().Format(time.RFC3339) +
				"; check the name, and that it ran then",
		}})
	}
}

// TestRetention: after 15 days there are five minutes instead of one, after 63 days hours, after 455 nothing.
func TestRetention(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	at := anHour()
	samples := make([]float64, 60)
	for i := range samples {
		samples[i] = float64(i) // of five minutes: 2, 7, 12, …; of the hour: 29.5
	}
	s.Put(t, of("WriteIOPS", at, time.Minute, samples...), ofCluster("VolumeWriteIOPs", at, 1, 2, 3, 4, 5, 6, 7, 8,
		9, 10, 11, 12))
	source := open(t, s, writer, "WriteIOPS", "VolumeWriteIOPs")
	check := func(days int, want told) {
		t.Helper()
		source.Now = func() time.Time { return at.AddDate(0, 0, days) }
		got, err := backfill(t, source, at, at.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		got.check(t, want)
	}
	only := func(period string, kept, days string) string {
		return " late retention: CloudWatch keeps periods of " + period + " s for " + kept + " days; for " +
			at.UTC().Format(time.DateOnly) + " it has only those of " + days + " s"
	}
	check(14, told{Values: map[string]map[int]float64{
		"WriteIOPS Average": byMinute(0, 1, samples...), "WriteIOPS Maximum": byMinute(0, 1, samples...),
		"VolumeWriteIOPs Sum": byMinute(0, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
	}})
	check(20, told{Values: map[string]map[int]float64{
		"WriteIOPS Average":   byMinute(0, 5, 2, 7, 12, 17, 22, 27, 32, 37, 42, 47, 52, 57),
		"WriteIOPS Maximum":   byMinute(0, 5, 4, 9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59),
		"VolumeWriteIOPs Sum": byMinute(0, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
	}, Gaps: []string{"WriteIOPS" + only("60", "15", "300")}})
	check(70, told{Values: map[string]map[int]float64{
		"WriteIOPS Average": {0: 29.5}, "WriteIOPS Maximum": {0: 59}, "VolumeWriteIOPs Sum": {0: 78},
	}, Gaps: []string{"WriteIOPS" + only("60", "15", "3600"), "VolumeWriteIOPs" + only("300", "63", "3600")}})
	before := proxy.Calls()["GetMetricData"]
	check(460, told{Values: map[string]map[int]float64{}, Gaps: []string{
		" late retention: CloudWatch keeps points for at most 455 days, and " + at.UTC().Format(time.DateOnly) +
			" is 460 days ago"}})
	if after := proxy.Calls()["GetMetricData"]; after != before {
		t.Error("asked for what cannot be there")
	}
}

// TestStopsWhenItsCallerDoes: an error of keep, or the end of the context, ends it.
func TestStopsWhenItsCallerDoes(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	s.Put(t, of("WriteIOPS", at, time.Minute, 1, 2, 3))
	source := open(t, s, writer, "WriteIOPS")
	full := errors.New("no space left")
	kept := 0
	err := source.Backfill(t.Context(), at, at.Add(3*time.Minute), func(runfile.Record) error { kept++; return full })
	if !errors.Is(err, full) || kept != 1 {
		t.Errorf("%v after %d records", err, kept)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(full)
	if _, err := backfillUntil(t, ctx, source, at, at.Add(3*time.Minute)); !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	check := func(want string, names ...string) {
		t.Helper()
		source, err := cloudwatch.New(aws.Config{Region: "x"}, writer, names...)
		var got []string
		if err != nil {
			got = []string{err.Error()}
		} else {
			for _, m := range source.Metrics() {
				got = append(got, m.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v: %s\nwant %s", names, strings.Join(got, " "), want)
		}
	}
	check("cloudwatch/VolumeWriteIOPs cloudwatch/WriteIOPS", "cloudwatch/VolumeWriteIOPs", "WriteIOPS",
		"VolumeWriteIOPs")
	check("WriteIops: CloudWatch has no such metric for this server; did you mean WriteIOPS?", "ReadIOPS", "WriteIops")
	check("VolumeWriteIOPS: CloudWatch has no such metric for this server; did you mean VolumeWriteIOPs?",
		"VolumeWriteIOPS")
	check("cloudwatch/ReadLatancy: CloudWatch has no such metric for this server; did you mean ReadLatency?",
		"cloudwatch/ReadLatancy")
	if _, err := cloudwatch.New(aws.Config{}, runfile.Cloud{Provider: "aws"}); err == nil {
		t.Error("a source of nothing")
	}
	if names := cloudwatch.Names(writer); !slices.Contains(names, "WriteIOPS") ||
		slices.Contains(names, "BurstBalance") {
		t.Error(names)
	}
}

// TestMetricsByKindOfServer: metrics that a server cannot have are not asked for, because each is billed.
func TestMetricsByKindOfServer(t *testing.T) {
	check := func(what string, change func(*runfile.Cloud), more ...string) {
		t.Helper()
		cloud := runfile.Cloud{Provider: "aws", Instance: "db-1", Engine: "postgres", Class: "db.m6g.large",
			Storage: "gp3"}
		plain := cloudwatch.Names(cloud)
		change(&cloud)
		got := slices.DeleteFunc(cloudwatch.Names(cloud), func(n string) bool { return slices.Contains(plain, n) })
		slices.Sort(got)
		if diff := cmp.Diff(more, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", what, diff)
		}
	}
	check("a log volume", func(c *runfile.Cloud) { c.LogVolume = true },
		"DiskQueueDepthLogVolume", "FreeStorageSpaceLogVolume", "ReadIOPSLogVolume", "ReadLatencyLogVolume",
		"ReadThroughputLogVolume", "WriteIOPSLogVolume", "WriteLatencyLogVolume", "WriteThroughputLogVolume")
	check("gp2", func(c *runfile.Cloud) { c.Storage = "gp2" }, "BurstBalance")
	check("a burstable class", func(c *runfile.Cloud) {
		c.Class = "db.t4g.medium"
	}, "CPUCreditBalance", "CPUCreditUsage", "CPUSurplusCreditBalance")
	check("a class with a local disk", func(c *runfile.Cloud) { c.Class = "db.x2iedn.2xlarge" },
		"FreeLocalStorage", "ReadIOPSLocalStorage", "ReadLatencyLocalStorage", "ReadThroughputLocalStorage",
		"WriteIOPSLocalStorage", "WriteLatencyLocalStorage", "WriteThroughputLocalStorage")
	serverless := writer
	serverless.Class = "db.serverless"
	for _, name := range []string{"ServerlessDatabaseCapacity", "ACUUtilization", "TempStorageIOPS"} {
		if slices.Contains(cloudwatch.Names(writer), name) || !slices.Contains(cloudwatch.Names(serverless), name) {
			t.Error(name)
		}
	}
}

// TestVolumes: a self-managed server; several volumes have separate names.
func TestVolumes(t *testing.T) {
	s := accounttest.Start(t)
	at := anHour()
	for i, id := range []string{"vol-1", "vol-2"} {
		one := of("VolumeWriteOps", at, time.Minute, float64(100+i), float64(200+i))
		one.Namespace, one.Dimensions = "AWS/EBS", map[string]string{"VolumeId": id}
		s.Put(t, one)
	}
	check := func(want map[string]map[int]float64, volumes ...string) {
		t.Helper()
		got, err := backfill(t, open(t, s, runfile.Cloud{Provider: "aws", Volumes: volumes}, "VolumeWriteOps"), at,
			at.Add(2*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		got.check(t, told{Values: want})
	}
	check(map[string]map[int]float64{"VolumeWriteOps Sum": {0: 101, 1: 201}}, "vol-2")
	check(map[string]map[int]float64{
		"cloudwatch.vol-1/VolumeWriteOps Sum": {0: 100, 1: 200},
		"cloudwatch.vol-2/VolumeWriteOps Sum": {0: 101, 1: 201},
	}, "vol-1", "vol-2")
}

// TestEveryMetricOfAServer: all metrics of an Aurora writer come in one call, each under its own name.
func TestEveryMetricOfAServer(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	at := anHour()
	source := open(t, s, writer)
	var all []accounttest.Series
	want := map[string]bool{}
	for i, m := range source.Metrics() {
		name := strings.TrimPrefix(m.Name, "cloudwatch/")
		one := of(name, at, time.Duration(m.Period)*time.Second, float64(i))
		if strings.HasPrefix(name, "Volume") {
			one.Dimensions = map[string]string{"DBClusterIdentifier": "aurora-1"}
		}
		all, want[name] = append(all, one), true
	}
	s.Put(t, all...)
	got, err := backfill(t, source, at, at.Add(time.Minute))
	if err != nil || len(got.Gaps) > 0 {
		t.Fatal(err, got.Gaps)
	}
	came := map[string]bool{}
	for key := range maps.Keys(got.Values) {
		came[strings.Fields(key)[0]] = true
	}
	if diff := cmp.Diff(want, came); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if calls := proxy.Calls()["GetMetricData"]; calls != 1 {
		t.Errorf("%d calls for what fits into one", calls)
	}
}
