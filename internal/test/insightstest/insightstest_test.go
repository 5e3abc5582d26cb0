package insightstest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/pi"
	"github.com/aws/aws-sdk-go-v2/service/pi/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
)

const (
	instance = "db-ABCDEFGHIJKLMNOPQRSTU1VW2X"
	writes   = "os.diskIO.auroraStorage.writeIOsPS"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// service returns a service with a metric whose points, one a minute from noon on, are 1, 2, 3, …
func service(t *testing.T, o insightstest.Options, minutes int) (*insightstest.Service, *pi.Client) {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon.Add(24 * time.Hour) }
	}
	o.Instance = instance
	s := insightstest.Start(t, o)
	s.Have(
		insightstest.Metric{Name: writes, Unit: "Requests per second", Description: "Write operations"},
		insightstest.Metric{Name: "db.load", Unit: "Sessions"},
		insightstest.Metric{Name: "os.network.tx", Unit: "Bytes per second"})
	for i := range minutes {
		s.Tell(minute(i, float64(i+1)))
	}
	return s, client(s)
}

func minute(i int, value float64) insightstest.Point {
	from := noon.Add(time.Duration(i) * time.Minute)
	return insightstest.Point{Metric: writes, From: from, To: from.Add(time.Minute), Value: value}
}

func client(s *insightstest.Service) *pi.Client {
	return pi.New(pi.Options{
		BaseEndpoint: aws.String(s.URL()), Region: "eu-central-1", Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("AKIA", "secret", ""),
	})
}

func request(minutes int, queries ...string) *pi.GetResourceMetricsInput {
	in := &pi.GetResourceMetricsInput{
		ServiceType: types.ServiceTypeRds, Identifier: aws.String(instance), StartTime: aws.Time(noon),
		EndTime: aws.Time(noon.Add(time.Duration(minutes) * time.Minute)), PeriodInSeconds: aws.Int32(60),
		PeriodAlignment: types.PeriodAlignmentStartTime,
	}
	for _, q := range queries {
		in.MetricQueries = append(in.MetricQueries, types.MetricQuery{Metric: aws.String(q)})
	}
	return in
}

// values returns the points of an answer's series, by seconds after noon.
func values(t *testing.T, out *pi.GetResourceMetricsOutput, err error) []map[int]float64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[int]float64
	for _, m := range out.MetricList {
		points := map[int]float64{}
		for _, p := range m.DataPoints {
			points[int(p.Timestamp.Sub(noon).Seconds())] = *p.Value
		}
		all = append(all, points)
	}
	return all
}

func TestStatisticsOfPeriods(t *testing.T) {
	s, client := service(t, insightstest.Options{}, 5)
	in := request(5, writes+".avg", writes+".sum", writes+".sample_count")
	in.PeriodInSeconds = aws.Int32(300)
	out, err := client.GetResourceMetrics(t.Context(), in)
	if diff := cmp.Diff([]map[int]float64{{0: 3}, {0: 15}, {0: 5}}, values(t, out, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	in = request(3, writes+".avg")
	in.PeriodAlignment = "" // timestamps are ends then
	out, err = client.GetResourceMetrics(t.Context(), in)
	if diff := cmp.Diff([]map[int]float64{{60: 1, 120: 2, 180: 3}}, values(t, out, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Check(t)
}

// TestPartsOfTheLoad: the total first, then its largest parts.
func TestPartsOfTheLoad(t *testing.T) {
	s, client := service(t, insightstest.Options{}, 0)
	for name, load := range map[string]float64{"IO:XactSync": 3, "CPU": 1, "Lock:tuple": 2} {
		s.Tell(insightstest.Point{
			Metric: "db.load", Dimensions: map[string]string{"db.wait_event.name": name},
			From: noon, To: noon.Add(time.Minute), Value: load,
		})
	}
	in := request(1, "db.load.avg")
	in.MetricQueries[0].GroupBy = &types.DimensionGroup{Group: aws.String("db.wait_event"), Limit: aws.Int32(2)}
	out, err := client.GetResourceMetrics(t.Context(), in)
	if diff := cmp.Diff([]map[int]float64{{0: 6}, {0: 3}, {0: 2}}, values(t, out, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := out.MetricList[1].Key.Dimensions["db.wait_event.name"]; got != "IO:XactSync" {
		t.Errorf("the greatest part is %q", got)
	}
	s.Check(t)
}

// TestLateAndCorrected: a point is missing, then too low, then right.
func TestLateAndCorrected(t *testing.T) {
	now := noon
	s, client := service(t, insightstest.Options{Now: func() time.Time { return now }, Delay: time.Minute}, 0)
	first, corrected := minute(0, 40), minute(0, 50)
	corrected.Known = noon.Add(10 * time.Minute)
	s.Tell(first, corrected)
	for _, step := range []struct {
		after time.Duration
		want  map[int]float64
	}{{119 * time.Second, map[int]float64{}}, {2 * time.Minute, map[int]float64{0: 40}},
		{10 * time.Minute, map[int]float64{0: 50}}} {
		now = noon.Add(step.after)
		out, err := client.GetResourceMetrics(t.Context(), request(1, writes+".avg"))
		if diff := cmp.Diff([]map[int]float64{step.want}, values(t, out, err)); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", step.after, diff)
		}
	}
	s.Check(t)
}

// TestCutWithoutAWord: nothing in the answer shows that there is more.
func TestCutWithoutAWord(t *testing.T) {
	_, client := service(t, insightstest.Options{Cut: 2}, 5)
	out, err := client.GetResourceMetrics(t.Context(), request(5, writes+".avg"))
	if diff := cmp.Diff([]map[int]float64{{0: 1, 60: 2}}, values(t, out, err)); diff != "" || out.NextToken != nil {
		t.Errorf("next %v (-want +got):\n%s", out.NextToken, diff)
	}
}

func TestPages(t *testing.T) {
	s, client := service(t, insightstest.Options{Page: 2}, 1)
	var names []string
	pages := pi.NewListAvailableResourceMetricsPaginator(client, &pi.ListAvailableResourceMetricsInput{
		ServiceType: types.ServiceTypeRds, Identifier: aws.String(instance), MetricTypes: []string{"os", "db"},
	})
	for pages.HasMorePages() {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range out.Metrics {
			names = append(names, *m.Metric)
		}
	}
	if diff := cmp.Diff([]string{"db.load", writes, "os.network.tx"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	in := request(1, writes+".avg", "db.load.avg", "os.network.tx.avg")
	first, err := client.GetResourceMetrics(t.Context(), in)
	if err != nil || len(first.MetricList) != 2 || first.NextToken == nil {
		t.Fatal(first, err)
	}
	in.NextToken = first.NextToken
	if second, err := client.GetResourceMetrics(t.Context(), in); err != nil || len(second.MetricList) != 1 ||
		second.NextToken != nil {
		t.Fatal(second, err)
	}
	in.PeriodInSeconds = aws.Int32(300) // another request
	if _, err := client.GetResourceMetrics(t.Context(), in); code(err) != "InvalidArgumentException" {
		t.Error(err)
	}
	s.Check(t)
}

func code(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}

// TestRefusals: requests that the real service rejects.
func TestRefusals(t *testing.T) {
	s, client := service(t, insightstest.Options{}, 1)
	check := func(name, want string, change func(*pi.GetResourceMetricsInput)) {
		t.Helper()
		in := request(1, writes+".avg")
		change(in)
		if _, err := client.GetResourceMetrics(t.Context(), in); code(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	const invalid, argument = "ValidationException", "InvalidArgumentException"
	check("16 queries", invalid, func(in *pi.GetResourceMetricsInput) {
		in.MetricQueries = request(1, strings.Fields(strings.Repeat(writes+".avg ", 16))...).MetricQueries
	})
	check("no query", invalid, func(in *pi.GetResourceMetricsInput) { in.MetricQueries = []types.MetricQuery{} })
	check("26 results", invalid, func(in *pi.GetResourceMetricsInput) { in.MaxResults = aws.Int32(26) })
	check("period", argument, func(in *pi.GetResourceMetricsInput) { in.PeriodInSeconds = aws.Int32(30) })
	check("unknown metric", argument, func(in *pi.GetResourceMetricsInput) {
		in.MetricQueries = request(1, writes+".avg", "os.diskIO.auroraStorage.writeiosps.avg").MetricQueries
	})
	check("no statistic", argument, func(in *pi.GetResourceMetricsInput) {
		in.MetricQueries = request(1, writes).MetricQueries
	})
	check("end before start", argument, func(in *pi.GetResourceMetricsInput) { in.EndTime = in.StartTime })
	check("too long ago", argument, func(in *pi.GetResourceMetricsInput) {
		in.StartTime = aws.Time(noon.AddDate(0, 0, -7))
	})
	check("group", argument, func(in *pi.GetResourceMetricsInput) {
		in.MetricQueries[0].GroupBy = &types.DimensionGroup{Group: aws.String("db.wait_event")}
	})
	check("another instance", "NotAuthorizedException", func(in *pi.GetResourceMetricsInput) {
		in.Identifier = aws.String("db-OTHER")
	})
	check("identifier", invalid, func(in *pi.GetResourceMetricsInput) { in.Identifier = aws.String("db_1") })
	s.Change(func(o *insightstest.Options) { o.Off = true })
	check("off", "NotAuthorizedException", func(*pi.GetResourceMetricsInput) {})
	s.Change(func(o *insightstest.Options) { o.Off, o.Denied = false, true })
	check("denied", "AccessDeniedException", func(*pi.GetResourceMetricsInput) {})
	s.Check(t)
}

// TestModelRejectsSpoiled: the third party's model notices impossible answers.
func TestModelRejectsSpoiled(t *testing.T) {
	s, client := service(t, insightstest.Options{}, 2)
	if _, err := client.GetResourceMetrics(t.Context(), request(2, writes+".avg")); err != nil {
		t.Fatal(err)
	}
	python, good := accounttest.Python(t), s.Exchanges()[0]
	spoil := func(in string, change func(map[string]any)) insightstest.Exchange {
		spoiled := good
		text := map[string]*json.RawMessage{"request": &spoiled.Request, "answer": &spoiled.Answer}[in]
		var said map[string]any
		if err := json.Unmarshal(*text, &said); err != nil {
			t.Fatal(err)
		}
		change(said)
		*text, _ = json.Marshal(said)
		return spoiled
	}
	cases := []struct {
		what, words string
		exchange    insightstest.Exchange
	}{
		{"nothing", "", good},
		{"member", "Colour", spoil("answer", func(m map[string]any) { m["Colour"] = "blue" })},
		{"type", "AlignedStartTime", spoil("answer", func(m map[string]any) { m["AlignedStartTime"] = []int{} })},
		{"missing", "Value", spoil("answer", func(m map[string]any) {
			delete(m["MetricList"].([]any)[0].(map[string]any)["DataPoints"].([]any)[0].(map[string]any), "Value")
		})},
		{"longest", "257 is more than 256", spoil("answer", func(m map[string]any) {
			m["Identifier"] = strings.Repeat("x", 257)
		})},
		{"pattern", "does not match", spoil("answer", func(m map[string]any) { m["NextToken"] = "a token" })},
		{"least", "MaxResults", spoil("request", func(m map[string]any) { m["MaxResults"] = -1 })},
		{"most", "26 is more than 25", spoil("request", func(m map[string]any) { m["MaxResults"] = 26 })},
		{"enumeration", "is none of", spoil("request", func(m map[string]any) { m["ServiceType"] = "EC2" })},
		{"error", "TeapotException", insightstest.Exchange{
			Operation: good.Operation, Request: good.Request, Status: 400,
			Answer: []byte(`{"__type":"TeapotException","Message":"short"}`),
		}},
	}
	var exchanges []insightstest.Exchange
	for _, c := range cases {
		exchanges = append(exchanges, c.exchange)
	}
	problems, err := insightstest.Problems(python, exchanges)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		said := strings.Join(slices.DeleteFunc(slices.Clone(problems), func(p string) bool {
			return !strings.HasPrefix(p, fmt.Sprintf("%d ", i+1))
		}), "\n")
		if (c.words == "") != (said == "") || !strings.Contains(said, c.words) {
			t.Errorf("%s: %q", c.what, said)
		}
	}
}
