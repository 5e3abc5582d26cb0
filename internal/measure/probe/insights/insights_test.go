package insights_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/insightstest"
)

var _ probe.Backfiller = (*insights.Probe)(nil)

const storage = "os.diskIO.auroraStorage."

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func aurora() runfile.Cloud {
	return runfile.Cloud{
		Provider: "aws", Region: "eu-central-1", Instance: "db-1", Cluster: "cluster-1",
		Resource: "db-ABCDEFGHIJKLMNOPQRSTU1VW2X", Engine: "aurora-postgresql", Insights: true,
	}
}

// start serves some metrics of an instance that has no others.
func start(t *testing.T, o insightstest.Options, metrics ...string) *insightstest.Service {
	t.Helper()
	o.Instance = aurora().Resource
	if o.Now == nil {
		o.Now = func() time.Time { return noon.Add(25 * time.Hour) }
	}
	s := insightstest.Start(t, o)
	s.Have(insightstest.Metric{Name: "db.load", Unit: "Sessions"})
	for _, m := range metrics {
		s.Have(insightstest.Metric{Name: m, Unit: "as it may be"})
	}
	return s
}

// asking returns a probe of that service without waits between retries.
func asking(url string, cloud runfile.Cloud, now time.Time) *insights.Probe {
	p := insights.New(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(url),
		Credentials: credentials.NewStaticCredentialsProvider("AKIA", "secret", ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
		},
	}, cloud)
	p.Now = func() time.Time { return now }
	return p
}

// periods publishes values of a metric from noon on.
func periods(metric string, length time.Duration, values ...float64) (all []insightstest.Point) {
	for i, v := range values {
		from := noon.Add(time.Duration(i) * length)
		all = append(all, insightstest.Point{Metric: metric, From: from, To: from.Add(length), Value: v})
	}
	return all
}

// taken holds the records of one backfill, without gaps of metrics that start did not mention.
type taken struct {
	values map[string]map[int]float64 // by metric and dimensions: by the seconds from noon
	length map[string]float64         // of the periods, in seconds
	gaps   []runfile.Gap
}

func take(t *testing.T, ctx context.Context, p *insights.Probe, from, to time.Time) (taken, error) {
	t.Helper()
	all := taken{values: map[string]map[int]float64{}, length: map[string]float64{}}
	err := p.Backfill(ctx, from, to, func(r runfile.Record) error {
		switch r := r.(type) {
		case runfile.Period:
			name := r.Metric
			if len(r.Dimensions) > 0 {
				name = fmt.Sprint(r.Metric, r.Dimensions)
			}
			if all.values[name] == nil {
				all.values[name] = map[int]float64{}
			}
			if _, twice := all.values[name][int(r.From.Sub(noon).Seconds())]; twice || r.Probe != insights.Name ||
				r.Statistic != "Average" {
				t.Errorf("%+v: twice, or of another sort", r)
			}
			all.values[name][int(r.From.Sub(noon).Seconds())] = r.Value
			all.length[name] = r.To.Sub(r.From).Seconds()
		case runfile.Gap:
			if !strings.HasSuffix(r.Detail, "has no such counter") {
				all.gaps = append(all.gaps, r)
			}
		}
		return nil
	})
	return all, err
}

// TestUnitsAndPeriods: the service's units become ours, and periods keep their length.
func TestUnitsAndPeriods(t *testing.T) {
	s := start(t, insightstest.Options{}, storage+"writeIOsPS", storage+"writeLatency", "os.diskIO.rdstemp.writeKbPS",
		"db.Checkpoint.checkpoints_req", "db.Transactions.commit_latency", "os.cpuUtilization.total")
	for metric, values := range map[string][]float64{
		storage + "writeIOsPS": {140000, 0}, storage + "writeLatency": {0.5, 2},
		"os.diskIO.rdstemp.writeKbPS":   {8, 0.5},
		"db.Checkpoint.checkpoints_req": {6, 0}, "db.Transactions.commit_latency": {1500, 20},
		"os.cpuUtilization.total": {99, 98}, "db.load": {2, 3},
	} {
		s.Tell(periods(metric, time.Minute, values...)...)
	}
	for i, waits := range []float64{1.5, 1} {
		point := periods("db.load", time.Minute, 0, 0)[i]
		point.Dimensions, point.Value = map[string]string{"db.wait_event.name": "IO:XactSync",
			"db.wait_event.type": "IO"}, waits
		s.Tell(point)
	}
	got, err := take(t, t.Context(), asking(s.URL(), aurora(), noon.Add(2*time.Hour)), noon.Add(30*time.Second),
		noon.Add(90*time.Second))
	want := map[string]map[int]float64{
		"insights/" + storage + "writeIOsPS": {0: 140000, 60: 0}, "insights/" + storage + "writeLatency": {
			0: 0.0005, 60: 0.002},
		"insights/os.diskIO.rdstemp.writeKbPS":                                      {0: 8192, 60: 512},
		"insights/db.Checkpoint.checkpoints_req":                                    {0: 0.1, 60: 0},
		"insights/db.Transactions.commit_latency":                                   {0: 0.0015, 60: 0.00002},
		"insights/db.load":                                                          {0: 2, 60: 3},
		"insights/db.loadmap[db.wait_event.name:IO:XactSync db.wait_event.type:IO]": {0: 1.5, 60: 1},
	}
	if diff := cmp.Diff(want, got.values, near()); diff != "" || err != nil || got.gaps != nil {
		t.Errorf("%v, %v, (-want +got):\n%s", err, got.gaps, diff)
	}
	s.Check(t)
}

func near() cmp.Option {
	return cmp.Comparer(func(a, b float64) bool { d := a - b; return d*d <= 1e-18*(a*a+b*b) })
}

// TestADayOfEverything: a day of all metrics is complete, from a service that pages and cuts answers,
// with the least number of requests.
func TestADayOfEverything(t *testing.T) {
	const minutes = 24 * 60
	for _, cut := range []int{0, 350, 120} {
		cloud := aurora()
		probe := insights.New(aws.Config{}, cloud)
		var names []string
		for _, m := range probe.Metrics() {
			names = append(names, strings.TrimPrefix(m.Name, "insights/"))
		}
		s := start(t, insightstest.Options{Cut: cut, Page: 7}, names...)
		want := map[int]float64{}
		var values []float64
		for i := range minutes {
			want[60*i] = float64(i)
			values = append(values, float64(i))
		}
		for _, name := range names {
			s.Tell(periods(name, time.Minute, values...)...)
		}
		got, err := take(t, t.Context(), asking(s.URL(), cloud, noon.Add(25*time.Hour)), noon,
			noon.Add(minutes*time.Minute))
		if err != nil || got.gaps != nil {
			t.Fatal(err, got.gaps)
		}
		for _, name := range names {
			if scaled := name != "db.load" &&
				got.values["insights/"+name][60] != 1; len(got.values["insights/"+name]) != minutes {
				t.Errorf("cut %d: %s has %d values", cut, name, len(got.values["insights/"+name]))
			} else if diff := cmp.Diff(want, got.values["insights/"+name]); diff != "" && !scaled {
				t.Errorf("cut %d: %s (-want +got):\n%s", cut, name, diff)
			}
		}
		// Of each group, five windows of up to 300 minutes; 29 metrics are two groups, and the load is one.
		groups, pieces := (len(names)-1+14)/15+1, 5
		if cut == 120 {
			pieces = 4*3 + 2 // of 120, 120 and 60 minutes; the last window has 240
		}
		if asked := questions(s); asked["GetResourceMetrics"] != groups*pieces {
			t.Errorf("cut %d: asked %v times, of %d groups", cut, asked, groups)
		}
		s.Check(t)
	}
}

// questions counts requests by operation, without further pages and retries.
func questions(s *insightstest.Service) map[string]int {
	n := map[string]int{}
	for _, e := range s.Exchanges() {
		if !e.Again && !strings.Contains(string(e.Request), `"NextToken"`) {
			n[e.Operation]++
		}
	}
	return n
}

// TestEachSecond: if Enhanced Monitoring reads every second, operating system counters come every second.
func TestEachSecond(t *testing.T) {
	cloud := aurora()
	cloud.MonitoringSeconds = 1
	s := start(t, insightstest.Options{Cut: 350}, storage+"writeIOsPS", "db.SQL.tup_inserted")
	var values []float64
	for i := range 700 {
		values = append(values, float64(i))
	}
	s.Tell(periods(storage+"writeIOsPS", time.Second, values...)...)
	s.Tell(periods("db.SQL.tup_inserted", time.Minute, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)...)
	s.Tell(periods("db.load", time.Minute, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)...)
	got, err := take(t, t.Context(), asking(s.URL(), cloud, noon.Add(2*time.Hour)), noon, noon.Add(700*time.Second))
	writes, rows := "insights/"+storage+"writeIOsPS", "insights/db.SQL.tup_inserted"
	if err != nil || got.gaps != nil || len(got.values[writes]) != 700 || len(got.values[rows]) != 12 {
		t.Errorf("%v, %v: %d, %d", err, got.gaps, len(got.values[writes]), len(got.values[rows]))
	}
	if diff := cmp.Diff(map[string]float64{writes: 1, rows: 60, "insights/db.load": 60}, got.length); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMissingPeriods: a period without a value is left out, and the caller sees which. Only a missing piece at the
// end, of data that should be published, is asked for again, once.
func TestMissingPeriods(t *testing.T) {
	s := start(t, insightstest.Options{}, storage+"writeIOsPS", storage+"readIOsPS")
	points := periods(storage+"writeIOsPS", time.Minute, 1, 2, 3, 4, 5)
	s.Tell(slices.Delete(points, 2, 3)...)
	s.Tell(periods("db.load", time.Minute, 1, 2, 3, 4, 5)...)
	for _, c := range []struct {
		after time.Duration
		asked int
	}{{6 * time.Minute, 2 + 1}, {time.Hour, 2 + 1}} { // again for the reads, which are missing
		before := questions(s)["GetResourceMetrics"]
		got, err := take(t, t.Context(), asking(s.URL(), aurora(), noon.Add(c.after)), noon, noon.Add(5*time.Minute))
		want := map[string]map[int]float64{
			"insights/" + storage + "writeIOsPS": {0: 1, 60: 2, 180: 4, 240: 5},
			"insights/db.load":                   {0: 1, 60: 2, 120: 3, 180: 4, 240: 5},
		}
		if diff := cmp.Diff(want, got.values); diff != "" || err != nil || got.gaps != nil {
			t.Errorf("after %v: %v, %v (-want +got):\n%s", c.after, err, got.gaps, diff)
		}
		if n := questions(s)["GetResourceMetrics"] - before; n != c.asked {
			t.Errorf("after %v: asked %d times", c.after, n)
		}
	}
}

// TestNotYet: data that may still come is not asked for again; a missing end some minutes old is.
func TestNotYet(t *testing.T) {
	s := start(t, insightstest.Options{}, storage+"writeIOsPS")
	s.Tell(periods(storage+"writeIOsPS", time.Minute, 1, 2, 3)...)
	s.Tell(periods("db.load", time.Minute, 1, 2, 3)...)
	for after, want := range map[time.Duration]int{7 * time.Minute: 2, time.Hour: 4} {
		before := questions(s)["GetResourceMetrics"]
		if _, err := take(t, t.Context(), asking(s.URL(), aurora(), noon.Add(after)), noon,
			noon.Add(5*time.Minute)); err != nil {
			t.Fatal(err)
		}
		if n := questions(s)["GetResourceMetrics"] - before; n != want {
			t.Errorf("after %v: asked %d times, want %d", after, n, want)
		}
	}
}

// TestAlwaysEmpty: a metric without data in a window asked for twice is asked for once in the next.
func TestAlwaysEmpty(t *testing.T) {
	s := start(t, insightstest.Options{}, storage+"writeIOsPS", storage+"readIOsPS")
	values := make([]float64, 600)
	s.Tell(periods(storage+"writeIOsPS", time.Minute, values...)...)
	s.Tell(periods("db.load", time.Minute, values...)...)
	got, err := take(t, t.Context(), asking(s.URL(), aurora(), noon.Add(20*time.Hour)), noon, noon.Add(10*time.Hour))
	if n := questions(s)["GetResourceMetrics"]; err != nil || n != 2+1+2 ||
		len(got.values["insights/"+storage+"writeIOsPS"]) != 600 {
		t.Errorf("%v: asked %d times, and told %d", err, n, len(got.values["insights/"+storage+"writeIOsPS"]))
	}
}

// TestNothingToAsk: unavailable data is one gap, with advice.
func TestNothingToAsk(t *testing.T) {
	s := start(t, insightstest.Options{}, storage+"writeIOsPS")
	s.Tell(periods(storage+"writeIOsPS", time.Minute, 1, 2)...)
	s.Tell(periods("db.load", time.Minute, 1, 2)...)
	check := func(name string, change func(*runfile.Cloud), days int, reason runfile.Reason, words string, asked int) {
		t.Helper()
		cloud, before := aurora(), questions(s)
		change(&cloud)
		got, err := take(t, t.Context(), asking(s.URL(), cloud, noon.AddDate(0, 0, days).Add(time.Hour)), noon,
			noon.Add(2*time.Minute))
		if err != nil || len(got.gaps) != 1 || got.gaps[0].Reason != reason || got.gaps[0].Metric != "" ||
			!strings.Contains(got.gaps[0].Detail, words) {
			t.Errorf("%s: %v, %+v", name, err, got.gaps)
		}
		const list, get = "ListAvailableResourceMetrics", "GetResourceMetrics"
		if now := questions(s); now[list]-before[list] != asked || now[get] != before[get] {
			t.Errorf("%s: asked %v after %v", name, now, before)
		}
	}
	as := func(*runfile.Cloud) {}
	check("off", func(c *runfile.Cloud) { c.Insights = false }, 0, runfile.Disabled,
		"aws rds modify-db-instance --enable-performance-insights --db-instance-identifier db-1", 0)
	check("unknown", func(c *runfile.Cloud) {
		c.Resource = ""
	}, 0, runfile.Failed, "DbiResourceId of db-1 is unknown", 0)
	check("last month", as, 31, runfile.Late, "keeps 7 days, but this is older (from 2026-11-20 12:00 on) and is gone",
		0)
	check("last month, kept longer", func(c *runfile.Cloud) {
		c.InsightsDays = 31
	}, 32, runfile.Late, "keeps 31 days", 0)
	check("another account", func(c *runfile.Cloud) {
		c.Resource = "db-OTHER"
	}, 0, runfile.Disabled, "does not know db-1; it is off there", 1)
	s.Change(func(o *insightstest.Options) { o.Denied = true })
	check("denied", as, 0, runfile.Permission, "AWS does not allow these credentials pi:ListAvailableResourceMetrics", 1)
	for _, g := range s.Exchanges() {
		if strings.Contains(string(g.Answer), "123456789012") {
			return // the account was named, and the gap above did not name it
		}
	}
	t.Error("no refusal named the account")
}

// TestHalfGone: a stretch that is half expired returns its other half.
func TestHalfGone(t *testing.T) {
	now := noon.AddDate(0, 0, 7).Add(2 * time.Minute)
	s := start(t, insightstest.Options{Now: func() time.Time { return now }}, storage+"writeIOsPS")
	s.Tell(periods(storage+"writeIOsPS", time.Minute, 1, 2, 3, 4, 5, 6)...)
	s.Tell(periods("db.load", time.Minute, 1, 2, 3, 4, 5, 6)...)
	got, err := take(t, t.Context(), asking(s.URL(), aurora(), now), noon, noon.Add(6*time.Minute))
	if diff := cmp.Diff(map[int]float64{180: 4, 240: 5, 300: 6}, got.values["insights/"+storage+"writeIOsPS"]); diff !=
		"" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if len(got.gaps) != 1 || !strings.Contains(got.gaps[0].Detail, "a part of this is older") {
		t.Error(got.gaps)
	}
}

// TestKeepEnds: an error of keep stops the requests.
func TestKeepEnds(t *testing.T) {
	s := start(t, insightstest.Options{}, storage+"writeIOsPS", "db.SQL.tup_inserted")
	s.Tell(periods(storage+"writeIOsPS", time.Minute, 1, 2)...)
	full := errors.New("no space left")
	n := 0
	err := asking(s.URL(), aurora(), noon.Add(time.Hour)).Backfill(t.Context(), noon, noon.Add(2*time.Minute),
		func(r runfile.Record) error {
			if _, period := r.(runfile.Period); period {
				n++
				return full
			}
			return nil
		})
	if !errors.Is(err, full) || n != 1 {
		t.Error(err, n)
	}
	if asked := questions(s); asked["GetResourceMetrics"] > 2 {
		t.Error(slices.Collect(maps.Keys(asked)), asked)
	}
}
