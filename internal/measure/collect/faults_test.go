package collect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
)

func TestMain(m *testing.M) { os.Exit(accounttest.Main(m)) }

// fault is an answer of AWS, given each time or only the first time, and the collection's final message.
type fault struct {
	call   string
	answer string // its name in the reference
	does   accounttest.Fault
	text   string // empty: nothing is missing in the end
}

func (f fault) once() bool { return strings.HasSuffix(f.answer, ", once") }

const (
	watched = "cloudwatch:GetMetricData"
	listed  = "pi:ListAvailableResourceMetrics"
	valued  = "pi:GetResourceMetrics"
)

// faults returns answers that AWS, or a proxy in front of it, has given or is documented to give.
func faults() []fault {
	cut := accounttest.EachResult(func(r accounttest.Answer) {
		all := r["Values"].(cbor.List)
		r["Values"] = all[:max(0, len(all)-2)]
	})
	nan := accounttest.EachResult(func(r accounttest.Answer) {
		for i := range r["Values"].(cbor.List) {
			zero := 0.0
			r["Values"].(cbor.List)[i] = cbor.Float64(zero / zero)
		}
	})
	point := regexp.MustCompile(`"Value":[-+.\de]+`)
	noNumber := accounttest.Text(func(s string) string { return point.ReplaceAllString(s, `"Value":"NaN"`) })
	negative := accounttest.EachResult(func(r accounttest.Answer) {
		for i := range r["Values"].(cbor.List) {
			r["Values"].(cbor.List)[i] = cbor.Float64(-5)
		}
	})
	other := accounttest.Text(func(s string) string { return strings.ReplaceAll(s, "db-ABC", "db-OTHER") })
	page := accounttest.Says(http.StatusOK, "<html>Sign in to this network")
	return []fault{
		{watched, "Throttling", accounttest.Throttled(), "still throttling"},
		{watched, "ExpiredToken", accounttest.Expired(), "have expired"},
		{watched, "AccessDenied", accounttest.Denied(), "does not allow these credentials cloudwatch:GetMetricData"},
		{watched, "a load balancer's 502", accounttest.BadGateway(), "failed each time (HTTP 502)"},
		{watched, "an empty body", accounttest.Nothing(), "the answer is empty"},
		{watched, "a web page", page, "cannot read the answer"},
		{watched, "StatusCode Forbidden", accounttest.Status("Forbidden"),
			"denies these credentials this metric"},
		{watched, "StatusCode InternalError", accounttest.Status("InternalError"), "only part of it 3 times: InternalError"},
		{watched, "StatusCode InternalError, once", accounttest.Status("InternalError"), ""},
		{watched, "StatusCode PartialData and no further page", accounttest.Status("PartialData"),
			"only part of it 3 times: PartialData"},
		{watched, "a StatusCode that is not documented", accounttest.Status("Busy"), "only part of it 3 times: Busy"},
		{watched, "an answer without the metrics", accounttest.Changed(func(_, out accounttest.Answer) {
			out["MetricDataResults"] = cbor.List{}
		}), "left it out of 3 answers"},
		{watched, "NaN", nan, "is NaN"},
		{watched, "a negative number of operations", negative, "is -5"},
		{watched, "fewer values than timestamps", cut, "58 values for 60 timestamps"},
		{watched, "fewer values than timestamps, once", cut, ""},

		{listed, "AccessDenied", accounttest.Denied(),
			"does not allow these credentials pi:ListAvailableResourceMetrics"},
		{listed, "InternalServiceError", accounttest.Refused(http.StatusInternalServerError, "InternalServiceError",
			"oops"), "InternalServiceError"},
		{listed, "a list of nothing", accounttest.Says(http.StatusOK, `{"Metrics":[]}`), "lists no metrics of db-1"},
		{valued, "Throttling", accounttest.Throttled(), "still throttling"},
		{valued, "an empty body", accounttest.Nothing(), "the answer is empty"},
		{valued, "NaN", noNumber, "with the value NaN"},
		{valued, "NaN, once", noNumber, ""},
		{valued, "another database's", other, "another database than db-1"},
		{valued, "another database's, once", other, ""},
		{valued, "AccessDenied of the key that encrypts it", accounttest.Refused(http.StatusBadRequest,
			"AccessDeniedException", "User: x is not authorized to perform: kms:Decrypt on resource: y"),
			"kms:Decrypt and kms:GenerateDataKey on that key"},
	}
}

// hour is a run that ended two hours ago, with a point for each minute in AWS.
type hour struct {
	span   runfile.Stretch
	server runfile.Cloud
	behind *accounttest.StandIn
	pi     *insightstest.Service
	config aws.Config
}

func anHour(t *testing.T) hour {
	t.Helper()
	at := time.Now().Add(-3 * time.Hour).UTC().Truncate(time.Hour)
	h := hour{span: runfile.Stretch{From: at, To: at.Add(time.Hour)}, behind: accounttest.Start(t), server: runfile.Cloud{
		Provider: "aws", Region: accounttest.Region, Instance: "db-1", Engine: "aurora-postgresql",
		Class: "db.r6g.large", Resource: "db-ABC", Insights: true,
	}}
	h.pi = insightstest.Start(t, insightstest.Options{Instance: h.server.Resource})
	h.pi.Have(insightstest.Metric{Name: "db.SQL.tup_inserted", Unit: "Tuples"},
		insightstest.Metric{Name: "db.load", Unit: "Sessions"})
	for i := range 60 {
		from := at.Add(time.Duration(i) * time.Minute)
		for _, name := range []string{"db.SQL.tup_inserted", "db.load"} {
			h.pi.Tell(insightstest.Point{Metric: name, From: from, To: from.Add(time.Minute), Value: 1})
		}
	}
	h.behind.Put(t, accounttest.Series{Namespace: "AWS/RDS", Metric: "WriteIOPS", Dimensions: map[string]string{
		"DBInstanceIdentifier": "db-1"},
		From: at, Step: time.Minute, Values: make([]float64, 60)})
	h.behind.Setenv(t)
	a, err := account.Open(t.Context(), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h.config = a.Config()
	patience := h.config.Retryer
	h.config.Retryer = func() aws.Retryer { return impatient{patience().(aws.RetryerV2)} }
	return h
}

// impatient retries by the account's rules without waiting.
type impatient struct{ aws.RetryerV2 }

func (i impatient) RetryDelay(attempt int, err error) (time.Duration, error) {
	wait, err := i.RetryerV2.RetryDelay(attempt, err)
	return min(wait, 5*time.Millisecond), err
}

// source returns the source that makes the call, behind a proxy.
func (h hour) source(t *testing.T, call string) (*accounttest.Proxy, probe.Backfiller) {
	t.Helper()
	if call == watched {
		behind, proxy := h.behind.Proxy(t)
		config := h.config.Copy()
		config.BaseEndpoint = aws.String(behind.URL)
		source, err := cloudwatch.New(config, h.server, "WriteIOPS")
		if err != nil {
			t.Fatal(err)
		}
		return proxy, source
	}
	proxy := accounttest.NewProxy(h.pi)
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	config := h.config.Copy()
	config.BaseEndpoint = aws.String(server.URL)
	return proxy, insights.New(config, h.server)
}

// TestFaultsOfCollect: a lasting fault is named within a minute, and a passing one leaves no data missing.
func TestFaultsOfCollect(t *testing.T) {
	reference, err := os.ReadFile("../../../docs/reference/aws-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	h, all := anHour(t), faults()
	if len(all) != 26 {
		t.Errorf("%d faults", len(all))
	}
	for _, f := range all {
		outcome := "named"
		if f.once() {
			outcome = "asked again, and nothing is missing"
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", f.call, f.answer, outcome); !strings.Contains(string(reference),
			row) {
			t.Errorf("docs/reference/aws-faults.md lacks the row\n%s", row)
		}
		t.Run(f.call+" "+f.answer, func(t *testing.T) {
			t.Parallel()
			proxy, source := h.source(t, f.call)
			_, operation, _ := strings.Cut(f.call, ":")
			calls := []int{}
			if f.once() {
				calls = []int{1}
			}
			proxy.On(operation, f.does, calls...)
			began, waited, points := time.Now(), time.Duration(0), 0
			collector := &Collector{
				Sources: []probe.Backfiller{source}, Rules: DefaultRules(),
				File: &File{Span: h.span, announced: map[string]bool{}},
				Record: func(r runfile.Record) error {
					if p, is := r.(runfile.Period); is && len(p.Dimensions) < 2 &&
						(p.Metric == "cloudwatch/WriteIOPS" || p.Metric == "insights/db.SQL.tup_inserted") {
						points++
					}
					return nil
				},
				Now:  func() time.Time { return began.Add(waited) },
				Wait: func(_ context.Context, d time.Duration) error { waited += d; return nil },
			}
			outcome, err := collector.Run(t.Context())
			f.judged(t, outcome, err, points)
			if waited > time.Minute {
				t.Errorf("it waited for %s", waited)
			}
		})
	}
}

func (f fault) judged(t *testing.T, o Outcome, err error, points int) {
	t.Helper()
	switch {
	case f.text == "" && (err != nil || o.Settled != o.Metrics || points%60 != 0 || points == 0):
		t.Errorf("%v, %+v, %d points", err, o, points)
	case f.text != "" && (err == nil || !strings.Contains(err.Error(), f.text)):
		t.Errorf("%v does not say: %s; %+v", err, f.text, o)
	case f.text != "" && errors.As(err, new(*UnansweredError)) && o.Settled == o.Metrics:
		t.Errorf("all are settled: %+v", o)
	}
}
