package cloudwatch_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go/encoding/cbor"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
)

const operation = "GetMetricData"

// hasty returns the account's own configuration without its long waits.
func hasty(t *testing.T, s *accounttest.StandIn) aws.Config {
	t.Helper()
	cfg := config(t, s)
	patience := cfg.Retryer
	cfg.Retryer = func() aws.Retryer { return impatient{patience().(aws.RetryerV2)} }
	return cfg
}

type impatient struct{ aws.RetryerV2 }

func (i impatient) RetryDelay(attempt int, err error) (time.Duration, error) {
	wait, err := i.RetryerV2.RetryDelay(attempt, err)
	return min(wait, 5*time.Millisecond), err
}

func openHasty(t *testing.T, s *accounttest.StandIn, cloud runfile.Cloud, names ...string) *cloudwatch.Source {
	t.Helper()
	source, err := cloudwatch.New(hasty(t, s), cloud, names...)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// threeMinutes publishes three values and returns the points that must survive each fault.
func threeMinutes(s *accounttest.StandIn, t *testing.T, at time.Time) map[string]map[int]float64 {
	t.Helper()
	s.Put(t, of("WriteIOPS", at, time.Minute, 1, 2, 3))
	return map[string]map[int]float64{"WriteIOPS Average": byMinute(0, 1, 1, 2, 3),
		"WriteIOPS Maximum": byMinute(0, 1, 1, 2, 3)}
}

// TestFaultsThatPass: a call that fails once or twice is repeated; no point is lost or comes twice.
func TestFaultsThatPass(t *testing.T) {
	s, at := accounttest.Start(t), anHour()
	want := threeMinutes(s, t, at)
	check := func(name string, fault accounttest.Fault, calls int) {
		t.Helper()
		behind, proxy := s.Proxy(t)
		for call := range calls - 1 {
			proxy.On(operation, fault, call+1)
		}
		cfg := hasty(t, behind)
		cfg.HTTPClient = awshttp.NewBuildableClient().WithTimeout(5 * time.Second) // for the hanging socket
		source, err := cloudwatch.New(cfg, writer, "WriteIOPS")
		if err != nil {
			t.Fatal(err)
		}
		got, err := backfill(t, source, at, at.Add(3*time.Minute))
		if diff := cmp.Diff(told{Values: want}, got); diff != "" || err != nil {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, diff)
		}
		if n := proxy.Calls()[operation]; n != calls {
			t.Errorf("%s: %d calls, want %d", name, n, calls)
		}
	}
	check("throttled", accounttest.Throttled(), 3)
	check("unavailable", accounttest.Unavailable(), 3)
	check("bad gateway", accounttest.BadGateway(), 3)
	check("truncated", accounttest.Truncated(), 3)
	check("hung", accounttest.Hung(), 2)
}

// TestSlowIsNoFault: a slow answer is waited for, and not asked for again.
func TestSlowIsNoFault(t *testing.T) {
	s, at := accounttest.Start(t), anHour()
	want := threeMinutes(s, t, at)
	behind, proxy := s.Proxy(t)
	proxy.On(operation, accounttest.Slow(300*time.Millisecond))
	got, err := backfill(t, openHasty(t, behind, writer, "WriteIOPS"), at, at.Add(3*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	got.check(t, told{Values: want})
	if n := proxy.Calls()[operation]; n != 1 {
		t.Errorf("%d calls for one slow answer", n)
	}
}

// TestFaultsThatStay: an error in one line, in the terms of a gap, without the account. Earlier points are kept.
func TestFaultsThatStay(t *testing.T) {
	s, at := accounttest.Start(t), anHour()
	threeMinutes(s, t, at)
	check := func(name string, fault accounttest.Fault, reason runfile.Reason, words string, calls int) {
		t.Helper()
		behind, proxy := s.Proxy(t)
		proxy.On(operation, fault)
		got, err := backfill(t, openHasty(t, behind, writer, "WriteIOPS"), at, at.Add(3*time.Minute))
		known, ok := errors.AsType[*probe.Error](err)
		if !ok || known.Reason != reason || !strings.Contains(err.Error(), words) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), "123456789012") || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: names the account: %v", name, err)
		}
		if len(got.Values) > 0 || len(got.Gaps) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if n := proxy.Calls()[operation]; n != calls {
			t.Errorf("%s: %d calls, want %d", name, n, calls)
		}
	}
	check("throttled", accounttest.Throttled(), runfile.Throttled, "still throttling", 8)
	check("expired", accounttest.Expired(), runfile.Permission, "expired", 1)
	check("denied", accounttest.Denied(), runfile.Permission, "cloudwatch:GetMetricData", 1)
	check("unavailable", accounttest.Unavailable(), runfile.Failed, "ServiceUnavailable", 8)
	check("truncated", accounttest.Truncated(), runfile.Failed, "cannot read the answer", 8)
}

// TestHungSocketObeysTheContext: the call ends with its context, before its timeout.
func TestHungSocketObeysTheContext(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	proxy.On(operation, accounttest.Hung())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := backfillUntil(t, ctx, openHasty(t, s, writer, "WriteIOPS"), anHour(), anHour().Add(time.Minute))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// answer is a good answer, by key, for a test to change.
type answer = cbor.Map

func results(out answer) []answer {
	var all []answer
	for _, r := range out["MetricDataResults"].(cbor.List) {
		all = append(all, r.(answer))
	}
	return all
}

// paged cuts answers into pages of that many points of each metric, as CloudWatch does: a cut one is PartialData,
// with a token. Each page begins with the last point of the page before, which CloudWatch does not document.
func paged(points int) accounttest.Fault {
	return accounttest.Changed(func(asked, out answer) {
		token, _ := asked["NextToken"].(cbor.String)
		skip, _ := strconv.Atoi(string(token))
		more := false
		for _, r := range results(out) {
			for _, list := range []string{"Timestamps", "Values"} {
				all := r[list].(cbor.List)
				first, last := min(max(0, skip-1), len(all)), min(skip+points, len(all))
				if r[list] = all[first:last]; last < len(all) {
					r["StatusCode"], more = cbor.String("PartialData"), true
				}
			}
		}
		if more {
			out["NextToken"] = cbor.String(strconv.Itoa(skip + points))
		}
	})
}

// TestPages: each page is asked for once.
func TestPages(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	at := anHour()
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	s.Put(t, of("WriteIOPS", at, time.Minute, values...), of("ReadIOPS", at, time.Minute, 7))
	proxy.On(operation, paged(3))
	got, err := backfill(t, openHasty(t, s, writer, "WriteIOPS", "ReadIOPS"), at, at.Add(12*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	got.check(t, told{
		Values: map[string]map[int]float64{
			"WriteIOPS Average": byMinute(0, 1, values...), "WriteIOPS Maximum": byMinute(0, 1, values...),
			"ReadIOPS Average": {0: 7}, "ReadIOPS Maximum": {0: 7},
		},
		Gaps: []string{"ReadIOPS late missing: CloudWatch has no point for 11 of 12 periods, the first at " +
			at.Add(time.Minute).UTC().Format(time.RFC3339)},
	})
	if n := proxy.Calls()[operation]; n != 4 {
		t.Errorf("%d calls for four pages", n)
	}
}

// TestRequest: the query asks for ascending points without a unit, because a unit that CloudWatch lacks would find
// nothing. The stand-in ignores both.
func TestRequest(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	proxy.On(operation, accounttest.Changed(func(asked, _ answer) {
		if asked["ScanBy"] != cbor.String("TimestampAscending") {
			t.Error(asked["ScanBy"])
		}
		for _, q := range asked["MetricDataQueries"].(cbor.List) {
			if unit, named := q.(answer)["MetricStat"].(answer)["Unit"]; named {
				t.Error(unit)
			}
		}
	}))
	if _, err := backfill(t, openHasty(t, s, writer), anHour(), anHour().Add(time.Hour)); err != nil {
		t.Error(err)
	}
}

// TestSamePageForEver: an answer whose pages form a circle is abandoned.
func TestSamePageForEver(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	at := anHour()
	threeMinutes(s, t, at)
	proxy.On(operation, accounttest.Changed(func(_, out answer) { out["NextToken"] = cbor.String("again") }))
	_, err := backfill(t, openHasty(t, s, writer, "WriteIOPS"), at, at.Add(3*time.Minute))
	if n := proxy.Calls()[operation]; err == nil || n != 2 {
		t.Errorf("%v after %d calls", err, n)
	}
}

// status sets the status of all results, or of one statistic's. Complete ones are cut with a message about the whole
// answer.
func status(code string, keep int, of ...string) accounttest.Fault {
	return accounttest.Changed(func(asked, out answer) {
		for i, q := range asked["MetricDataQueries"].(cbor.List) {
			stat := q.(answer)["MetricStat"].(answer)
			name := string(stat["Metric"].(answer)["MetricName"].(cbor.String))
			if len(of) > 0 && !slices.Contains(of, name) {
				continue
			}
			r := results(out)[i]
			r["StatusCode"] = cbor.String(code)
			about := r
			if code == "Complete" {
				about = out
			}
			about["Messages"] = cbor.List{answer{"Code": cbor.String(code),
				"Value": cbor.String("account 123456789012 has arn:aws:rds:eu-central-1:123456789012:db:x")}}
			for _, list := range []string{"Timestamps", "Values"} {
				all := r[list].(cbor.List)
				r[list] = all[:min(keep, len(all))]
			}
		}
	})
}

// TestUnfinishedAnswers: only missing values are asked for again, from where the answer ended; refused ones are not.
func TestUnfinishedAnswers(t *testing.T) {
	s, at := accounttest.Start(t), anHour()
	want := threeMinutes(s, t, at)
	s.Put(t, of("ReadLatency", at, time.Minute, 4, 5, 6))
	latency := map[string]map[int]float64{"ReadLatency Average": byMinute(0, 1, 4, 5, 6),
		"ReadLatency Maximum": byMinute(0, 1, 4, 5, 6)}
	first := map[string]map[int]float64{"ReadLatency Average": {0: 4}, "ReadLatency Maximum": {0: 4}}
	check := func(name string, fault accounttest.Fault, times []int, of map[string]map[int]float64, gaps ...string) {
		t.Helper()
		behind, proxy := s.Proxy(t)
		proxy.On(operation, fault, times...)
		var asked []string
		proxy.On(operation, accounttest.Changed(func(in, _ answer) {
			asked = append(asked, strconv.Itoa(len(in["MetricDataQueries"].(cbor.List)))+" from "+
				minuteOf(in["StartTime"], at))
		}))
		got, err := backfill(t, openHasty(t, behind, writer, "WriteIOPS", "ReadLatency"), at, at.Add(3*time.Minute))
		all := maps.Clone(want)
		maps.Copy(all, of)
		if diff := cmp.Diff(told{Values: all, Gaps: gaps}, got); diff != "" || err != nil {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, diff)
		}
		if calls := proxy.Calls()[operation]; calls != max(1, len(times)+len(asked)) {
			t.Errorf("%s: %d calls", name, calls)
		}
		for _, a := range asked {
			if a != "2 from 1" {
				t.Errorf("%s: asked again for %s", name, a)
			}
		}
	}
	const again = "ReadLatency error InternalError: CloudWatch returned only part of it 3 times: InternalError (%: " +
		"account *** has ***)"
	check("partial once", status("PartialData", 1, "ReadLatency"), []int{1}, latency)
	check("internal once", status("InternalError", 1, "ReadLatency"), []int{1}, latency)
	check("internal thrice, and all the same all came", status("InternalError", 1, "ReadLatency"),
		[]int{1, 2, 3}, latency)
	check("internal for ever", status("InternalError", 0, "ReadLatency"), []int{1, 2, 3}, nil,
		strings.Replace(again, "%", "InternalError", 1))
	check("cut as a whole", status("Complete", 0, "ReadLatency"), []int{1, 2, 3}, nil,
		strings.NewReplacer("InternalError", "PartialData", "%", "Complete").Replace(again))
	check("forbidden", status("Forbidden", 1, "ReadLatency"), []int{1}, first,
		"ReadLatency permission Forbidden: CloudWatch denies these credentials this metric (Forbidden: account *** has ***)")
}

func minuteOf(v cbor.Value, at time.Time) string {
	seconds := 0.0
	switch v := v.(*cbor.Tag).Value.(type) {
	case cbor.Float64:
		seconds = float64(v)
	case cbor.Uint:
		seconds = float64(v)
	}
	return strconv.Itoa(int(seconds-float64(at.Unix())) / 60)
}

// volumes publishes a value of one metric for each of n volumes: two of these metrics take
// three calls of up to 500 queries.
func volumes(t *testing.T, s *accounttest.StandIn, at time.Time, n int) (runfile.Cloud, map[string]map[int]float64) {
	t.Helper()
	cloud, want := runfile.Cloud{Provider: "aws"}, map[string]map[int]float64{}
	var all []accounttest.Series
	for i := range n {
		id := "vol-" + strconv.Itoa(i)
		cloud.Volumes = append(cloud.Volumes, id)
		one := of("VolumeWriteOps", at, time.Minute, float64(i))
		one.Namespace, one.Dimensions = "AWS/EBS", map[string]string{"VolumeId": id}
		all = append(all, one)
		want["cloudwatch."+id+"/VolumeWriteOps Sum"] = map[int]float64{0: float64(i)}
	}
	s.Put(t, all...)
	return cloud, want
}

// TestManyCalls: a call takes 500 queries. When one fails for good, earlier points are kept,
// and the next attempt gets all.
func TestManyCalls(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	at := anHour()
	cloud, want := volumes(t, s, at, 1100)
	proxy.On(operation, accounttest.Expired(), 2)
	source := openHasty(t, s, cloud, "VolumeWriteOps")
	got, err := backfill(t, source, at, at.Add(time.Minute))
	if err == nil || len(got.Values) != 500 || len(got.Gaps) != 0 {
		t.Errorf("%v, and %d metrics", err, len(got.Values))
	}
	if got, err = backfill(t, source, at, at.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	got.check(t, told{Values: want})
	if n := proxy.Calls()[operation]; n != 2+3 {
		t.Errorf("%d calls, want two and three", n)
	}
}
