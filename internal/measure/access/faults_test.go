package access_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/realiops/realiops/internal/measure/access"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
)

func TestMain(m *testing.M) { os.Exit(accounttest.Main(m)) }

var writer = runfile.Cloud{
	Provider: "aws", Region: accounttest.Region, Instance: "db-1", Cluster: "aurora-1", Engine: "aurora-postgresql",
	Class: "db.r6g.large", Storage: "aurora", Resource: "db-ABC", Insights: true,
}

// fault is an answer of AWS, and its diagnosis.
type fault struct {
	call   string
	answer string // its name in the reference
	does   accounttest.Fault
	reason account.Kind
	text   string
}

const (
	described = "rds:DescribeDBInstances"
	metrics   = "cloudwatch:GetMetricData"
	list      = "pi:ListAvailableResourceMetrics"
	values    = "pi:GetResourceMetrics"
	ranked    = access.Statements
)

// faults returns answers that AWS, or a proxy in front of it, has given or is documented to give.
func faults() []fault {
	const page = "<html>Sign in to this network"
	leave := func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, "https://login.example/", http.StatusFound)
	}
	valued := func(change func(at, value cbor.List) (cbor.List, cbor.List)) accounttest.Fault {
		return accounttest.EachResult(func(r accounttest.Answer) {
			r["Timestamps"], r["Values"] = change(r["Timestamps"].(cbor.List), r["Values"].(cbor.List))
		})
	}
	point := regexp.MustCompile(`"Value":[-+.\de]+`)
	told := func(value string) accounttest.Fault {
		return accounttest.Text(func(s string) string { return point.ReplaceAllString(s, `"Value":`+value) })
	}
	points := regexp.MustCompile(`"DataPoints":\[[^]]*\]`)
	unsigned := accounttest.Refused(http.StatusForbidden, "InvalidClientTokenId",
		"The security token included in the request is invalid.")
	return []fault{
		{described, "Throttling", accounttest.Throttled(), account.Throttled, "still throttling"},
		{described, "ExpiredToken", accounttest.Expired(), account.Expired, "have expired"},
		{described, "AccessDenied", accounttest.Denied(), account.Denied,
			"does not allow these credentials rds:DescribeDBInstances"},
		{described, "InvalidClientTokenId", unsigned, account.Invalid, "rejected the credentials"},
		{described, "ServiceUnavailable (503)", accounttest.Unavailable(), account.Other, "ServiceUnavailable"},
		{described, "a load balancer's 502", accounttest.BadGateway(), account.Other, "failed each time (HTTP 502)"},
		{described, "an answer cut in its middle", accounttest.Truncated(), account.Other, described},
		{described, "no answer", accounttest.Hung(), account.Unreachable, "no answer in time"},
		{described, "an empty body", accounttest.Nothing(), account.Damaged, "the answer is empty"},
		{described, "a web page", accounttest.Says(http.StatusOK, page), account.Other, "cannot read the answer"},
		{described, "a redirect", leave, account.Other, "unexpected redirect"},
		{described, "a list without the instance", accounttest.Says(http.StatusOK,
			`<DescribeDBInstancesResponse><DescribeDBInstancesResult><DBInstances/></DescribeDBInstancesResult></DescribeDBInstancesResponse>`),
			account.Damaged, "does not mention db-1"},
		{described, "an instance of which nothing is said", accounttest.Says(http.StatusOK,
			`<DescribeDBInstancesResponse><DescribeDBInstancesResult><DBInstances><DBInstance>
			<DBInstanceIdentifier>db-1</DBInstanceIdentifier></DBInstance></DBInstances></DescribeDBInstancesResult></DescribeDBInstancesResponse>`),
			account.Damaged, "does not mention db-1"},

		{metrics, "Throttling", accounttest.Throttled(), account.Throttled,
			"cloudwatch:GetMetricData: AWS is still throttling"},
		{metrics, "ExpiredToken", accounttest.Expired(), account.Expired, "have expired"},
		{metrics, "AccessDenied", accounttest.Denied(), account.Denied,
			"does not allow these credentials cloudwatch:GetMetricData"},
		{metrics, "ServiceUnavailable (503)", accounttest.Unavailable(), account.Other, "ServiceUnavailable"},
		{metrics, "no answer", accounttest.Hung(), account.Unreachable, "no answer in time"},
		{metrics, "an empty body", accounttest.Nothing(), account.Damaged, "the answer is empty"},
		{metrics, "a web page", accounttest.Says(http.StatusOK, page), account.Other, "cannot read the answer"},
		{metrics, "StatusCode Forbidden", accounttest.Status("Forbidden"), account.Denied,
			"denies these credentials this metric"},
		{metrics, "StatusCode InternalError", accounttest.Status("InternalError"), account.Incomplete,
			"only part of it 3 times: InternalError"},
		{metrics, "StatusCode PartialData and no further page", accounttest.Status("PartialData"), account.Incomplete,
			"only part of it 3 times: PartialData"},
		{metrics, "a StatusCode that is not documented", accounttest.Status("Busy"), account.Incomplete,
			"only part of it 3 times: Busy"},
		{metrics, "not one point", accounttest.Status("Complete"), account.NoPoints,
			"has no points of the instance db-1"},
		{metrics, "NaN", valued(func(at, value cbor.List) (cbor.List, cbor.List) {
			for i := range value {
				value[i] = cbor.Float64(nan)
			}
			return at, value
		}), account.Damaged, "is NaN"},
		{metrics, "infinity", valued(func(at, value cbor.List) (cbor.List, cbor.List) {
			for i := range value {
				value[i] = cbor.Float64(math.Inf(1))
			}
			return at, value
		}), account.Damaged, "is +Inf"},
		{metrics, "a negative number of operations", valued(func(at, value cbor.List) (cbor.List, cbor.List) {
			for i := range value {
				value[i] = cbor.Float64(-5)
			}
			return at, value
		}), account.Damaged, "is -5"},
		{metrics, "a point between two periods", valued(func(at, value cbor.List) (cbor.List, cbor.List) {
			for i := range at {
				at[i] = &cbor.Tag{ID: 1, Value: cbor.Float64(12345)}
			}
			return at, value
		}), account.Damaged, "is not at the beginning of a period"},
		{metrics, "the same page again and again", accounttest.Changed(func(_, out accounttest.Answer) {
			out["NextToken"] = cbor.String("again")
		}), account.Damaged, "the same page"},
		{metrics, "fewer values than timestamps", valued(func(at, value cbor.List) (cbor.List, cbor.List) {
			return at, value[:max(0, len(value)-1)]
		}), account.Damaged, "values for"},
		{metrics, "an answer without the metrics", accounttest.Changed(func(_, out accounttest.Answer) {
			out["MetricDataResults"] = cbor.List{}
		}), account.Incomplete, "left it out of 3 answers"},

		{list, "AccessDenied", accounttest.Denied(), account.Denied,
			"does not allow these credentials pi:ListAvailableResourceMetrics"},
		{list, "NotAuthorizedException", accounttest.Refused(http.StatusBadRequest, "NotAuthorizedException",
			"db-ABC is not known"), account.Off, "it is off there"},
		{list, "an empty body", accounttest.Nothing(), account.Damaged, "the answer is empty"},
		{list, "a list of nothing", accounttest.Says(http.StatusOK, `{"Metrics":[]}`), account.NoPoints,
			"lists no metrics of db-1"},
		{list, "a list of metrics without names", accounttest.Says(http.StatusOK, `{"Metrics":[{"Unit":"Count"}]}`),
			account.NoPoints, "lists no metrics of db-1"},
		{list, "AccessDenied of the key that encrypts it", accounttest.Refused(http.StatusBadRequest,
			"AccessDeniedException",
			"User: arn:aws:iam::123456789012:user/me is not authorized to perform: kms:Decrypt on resource: x"),
			account.Denied, "grant them kms:Decrypt and kms:GenerateDataKey on that key"},
		{values, "AccessDenied", accounttest.Denied(), account.Denied,
			"does not allow these credentials pi:GetResourceMetrics"},
		{values, "InvalidArgumentException", accounttest.Refused(http.StatusBadRequest, "InvalidArgumentException",
			"the start is outside the retention"), account.Other, "the start is outside the retention"},
		{values, "a negative number", told(`-5`), account.Damaged, "with the value -5"},
		{values, "another database's", accounttest.Text(func(s string) string {
			return strings.ReplaceAll(s, writer.Resource, "db-OTHER")
		}), account.Damaged, "answered for another database than db-1"},
		{values, "a metric that was not asked for", accounttest.Text(func(s string) string {
			return strings.ReplaceAll(s, "writeIOsPS", "sectorsPS")
		}), account.Damaged, "which was not requested"},
		{values, "Throttling", accounttest.Throttled(), account.Throttled,
			"pi:GetResourceMetrics: AWS is still throttling"},
		{values, "InternalServiceError", accounttest.Refused(http.StatusInternalServerError, "InternalServiceError",
			"oops"), account.Other, "InternalServiceError"},
		{values, "an empty body", accounttest.Nothing(), account.Damaged, "the answer is empty"},
		{values, "not one point", accounttest.Text(func(s string) string {
			return points.ReplaceAllString(s, `"DataPoints":[]`)
		}), account.NoPoints, "has no points of db-1"},
		{values, "NaN", told(`"NaN"`), account.Damaged, "with the value NaN"},
		{values, "points of other periods", accounttest.Text(func(s string) string {
			return strings.ReplaceAll(s, `"Timestamp":`, `"Timestamp":1`)
		}), account.Damaged, "which is not a period"},
		{ranked, "AccessDenied", accounttest.Denied(), account.Denied,
			"does not allow these credentials pi:DescribeDimensionKeys"},
		{ranked, "Throttling", accounttest.Throttled(), account.Throttled,
			"pi:DescribeDimensionKeys: AWS is still throttling"},
		{ranked, "an empty body", accounttest.Nothing(), account.Damaged, "the answer is empty"},
		{ranked, "an empty object", accounttest.Says(http.StatusOK, "{}"), account.Damaged,
			"returned statements without confirming that they are from"},
	}
}

var nan = func() float64 { zero := 0.0; return zero / zero }()

// hasty returns the account's own configuration without its long waits.
func hasty(t *testing.T, s *accounttest.StandIn) aws.Config {
	t.Helper()
	s.Setenv(t)
	a, err := account.Open(t.Context(), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := a.Config()
	patience := cfg.Retryer
	cfg.Retryer = func() aws.Retryer { return impatient{patience().(aws.RetryerV2)} }
	return cfg
}

type impatient struct{ aws.RetryerV2 }

func (i impatient) RetryDelay(attempt int, err error) (time.Duration, error) {
	wait, err := i.RetryerV2.RetryDelay(attempt, err)
	return min(wait, 5*time.Millisecond), err
}

// healthy returns an account, behind a proxy, in which all calls succeed.
func healthy(t *testing.T) func(*testing.T) (*accounttest.Proxy, aws.Config) {
	t.Helper()
	s := accounttest.Start(t)
	cfg := hasty(t, s)
	recent := time.Now().Truncate(time.Minute).Add(-15 * time.Minute)
	many := make([]float64, 14)
	s.Put(t, accounttest.Series{Namespace: "AWS/RDS", Metric: "CPUUtilization", Dimensions: map[string]string{
		"DBInstanceIdentifier": "db-1"},
		From: recent, Step: time.Minute, Values: many},
		accounttest.Series{Namespace: "AWS/RDS", Metric: "WriteIOPS", Dimensions: map[string]string{
			"DBInstanceIdentifier": "db-1"},
			From: recent, Step: time.Minute, Values: many})
	pi := insightstest.Start(t, insightstest.Options{Instance: writer.Resource})
	pi.Have(insightstest.Metric{Name: "os.diskIO.auroraStorage.writeIOsPS", Unit: "Requests/s"},
		insightstest.Metric{Name: "db.load", Unit: "Sessions"})
	for i := range many {
		from := recent.Add(time.Duration(i) * time.Minute)
		pi.Tell(insightstest.Point{Metric: "os.diskIO.auroraStorage.writeIOsPS", From: from,
			To: from.Add(time.Minute), Value: 1})
	}
	behind, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	other := httputil.NewSingleHostReverseProxy(behind)
	return func(t *testing.T) (*accounttest.Proxy, aws.Config) {
		proxy := accounttest.NewProxy(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "PerformanceInsights") {
				pi.ServeHTTP(w, r)
				return
			}
			other.ServeHTTP(w, r)
		}))
		server := httptest.NewServer(proxy)
		t.Cleanup(func() {
			server.CloseClientConnections()
			server.Close()
		})
		there := cfg.Copy()
		there.BaseEndpoint = aws.String(server.URL)
		return proxy, there
	}
}

// TestFaultsOfDoctor: each fault is reported for the service that has it, and for no other.
func TestFaultsOfDoctor(t *testing.T) {
	reference, err := os.ReadFile("../../../docs/reference/aws-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	open := healthy(t)
	all := faults()
	if len(all) != 53 {
		t.Errorf("%d faults", len(all))
	}
	for _, f := range all {
		row := fmt.Sprintf("| `%s` | %s | `%s` |\n", f.call, f.answer, f.reason)
		if !strings.Contains(string(reference), row) {
			t.Errorf("docs/reference/aws-faults.md lacks the row\n%s", row)
		}
		t.Run(f.call+" "+f.answer, func(t *testing.T) {
			t.Parallel()
			proxy, cfg := open(t)
			_, operation, _ := strings.Cut(f.call, ":")
			proxy.On(operation, f.does)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if f.call == described {
				_, err := rds.Find(ctx, cfg, rds.Query{Instance: "db-1"})
				f.judged(t, access.Answer{Action: f.call, Err: err})
				return
			}
			for _, answer := range access.Try(ctx, cfg, writer, true) {
				switch {
				case answer.Action == f.call:
					f.judged(t, answer)
				case f.call == list && answer.Action == values &&
					!answer.Allowed(): // its counters are unknown then
				case !answer.Allowed():
					t.Errorf("%s is blamed: %v %s", answer.Action, answer.Err, answer.Unasked)
				}
			}
		})
	}
}

func (f fault) judged(t *testing.T, answer access.Answer) {
	t.Helper()
	trouble, is := errors.AsType[*account.Trouble](answer.Err)
	switch {
	case answer.Allowed():
		t.Error("it is allowed")
	case !is || trouble.Kind != f.reason || !strings.Contains(trouble.Error(), f.text) ||
		strings.Contains(trouble.Error(), "\n"):
		t.Errorf("%v is not %s: %s", answer.Err, f.reason, f.text)
	}
}

// TestNoFault: if all calls succeed, none is rejected.
func TestNoFault(t *testing.T) {
	_, cfg := healthy(t)(t)
	for _, answer := range access.Try(t.Context(), cfg, writer, true) {
		if !answer.Allowed() {
			t.Errorf("%s: %v %s", answer.Action, answer.Err, answer.Unasked)
		}
	}
}

// TestUnasked: disabled Performance Insights is not asked, and not reported as denied.
func TestUnasked(t *testing.T) {
	proxy, cfg := healthy(t)(t)
	for _, change := range []func(*runfile.Cloud){
		func(c *runfile.Cloud) { c.Insights = false }, func(c *runfile.Cloud) { c.Resource = "" },
	} {
		cloud := writer
		change(&cloud)
		answers := access.Try(t.Context(), cfg, cloud, true)
		if answers[0].Err != nil || answers[1].Unasked == "" || answers[2].Unasked == "" || answers[3].Unasked == "" ||
			answers[1].Err != nil {
			t.Errorf("%+v", answers)
		}
	}
	if n := proxy.Calls()["ListAvailableResourceMetrics"]; n != 0 {
		t.Errorf("asked %d times", n)
	}
}
