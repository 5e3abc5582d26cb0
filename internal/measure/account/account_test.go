package account_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/pi"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/account"
)

const (
	number = "123456789012"
	secret = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY00"
	arn    = "arn:aws:iam::" + number + ":user/somebody"
)

// alone leaves the SDK only the credentials and configuration that the test gives it.
func alone(t *testing.T, endpoint string) {
	t.Helper()
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID",
		"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
}

func withKeys(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
}

func open(t *testing.T, o account.Options) *account.Account {
	t.Helper()
	a, err := account.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// refusing answers every call of RDS with an error in AWS's XML.
func refusing(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w,
			`<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>`,
			code, message)
	}
}

// endless begins an answer and continues until the reader stops.
func endless(w http.ResponseWriter, begin string) {
	_, err := fmt.Fprint(w, begin)
	for more := bytes.Repeat([]byte(" "), 1<<16); err == nil; {
		_, err = w.Write(more)
	}
}

var rdsService = account.Service{ID: "RDS", Version: "2014-10-31", Within: "Result", Token: "Marker"}

func ask(ctx context.Context, config aws.Config) error {
	_, err := account.Ask[struct{}](ctx, config, rdsService, "DescribeDBInstances", nil)
	return err
}

func describe(ctx context.Context, a *account.Account) error {
	return account.Explain(ask(ctx, a.Config()))
}

func TestAnswersOfAWS(t *testing.T) {
	check := func(name string, handler http.HandlerFunc, kind account.Kind, want string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			alone(t, server.URL)
			withKeys(t)
			err := describe(t.Context(), open(t, account.Options{Region: "eu-west-1"}))
			trouble, ok := errors.AsType[*account.Trouble](err)
			if !ok {
				t.Fatalf("%v is no trouble", err)
			}
			if trouble.Kind != kind || trouble.Error() != want {
				t.Errorf("%s: %q, want %s: %q", trouble.Kind, trouble, kind, want)
			}
		})
	}
	check("denied", refusing(403, "AccessDenied", "User: "+arn+
		" is not authorized to perform: rds:DescribeDBInstances on resource: arn:aws:rds:eu-west-1:"+number+
		":db:* because no identity-based policy allows it"),
		account.Denied, "AWS does not allow these credentials rds:DescribeDBInstances; realiops aws policy prints the "+
			"permissions it needs")
	check("denied by rule", refusing(403, "AccessDenied", "User: "+arn+
		" is not authorized to perform: rds:DescribeDBInstances with an explicit deny in a service control policy"),
		account.Denied, "AWS denies these credentials rds:DescribeDBInstances by an explicit deny, which no permission "+
			"overrides")
	check("expired", refusing(403, "ExpiredToken", "The security token included in the request is expired"),
		account.Expired,
		"rds:DescribeDBInstances: the credentials have expired; sign in again (aws sso login, or new keys)")
	check("unknown key", refusing(403, "InvalidClientTokenId", "The security token included in the request is invalid."),
		account.Invalid, "rds:DescribeDBInstances: AWS rejected the credentials (InvalidClientTokenId); check the keys and "+
			"their partition")
	check("unknown words", refusing(400, "Strange", "about "+arn+" of "+number),
		account.Other, "rds:DescribeDBInstances: Strange: about *** of ***")
	check("not AWS", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello") },
		account.Other, "rds:DescribeDBInstances: cannot read the answer (HTTP 200); is a proxy answering instead of AWS?")
	check("a page that refuses", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>no", http.StatusForbidden)
	}, account.Other, "rds:DescribeDBInstances: cannot read the answer (HTTP 403); is a proxy answering instead of AWS?")
	check("endless", func(w http.ResponseWriter, _ *http.Request) { endless(w, "<a>") }, account.Other,
		"rds:DescribeDBInstances: the answer is longer than 16 MiB; is a proxy answering instead of AWS?")
	check("nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		account.Other, "rds:DescribeDBInstances: cannot read the answer (HTTP 404); is a proxy answering instead of AWS?")
	check("elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://login.example/", http.StatusFound)
	}, account.Other, "rds:DescribeDBInstances: unexpected redirect (HTTP 302); does a proxy require a sign-in?")
	check("clock", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(-20*time.Minute).UTC().Format(http.TimeFormat))
		refusing(403, "SignatureDoesNotMatch",
			"Signature not yet current: 20261120T122000Z is still later than 20261120T120000Z")(w, r)
	}, account.Skewed, "rds:DescribeDBInstances: this machine's clock is 20 minutes ahead of AWS's; synchronize it")
}

func TestWithoutAnAnswer(t *testing.T) {
	check := func(name, endpoint string, prepare func(*testing.T), kind account.Kind, want string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			alone(t, endpoint)
			prepare(t)
			err := describe(t.Context(), open(t, account.Options{Region: "eu-west-1"}))
			if trouble, ok := errors.AsType[*account.Trouble](err); !ok || trouble.Kind != kind ||
				!strings.Contains(trouble.Error(), want) {
				t.Errorf("%v, want %s: %s", err, kind, want)
			}
		})
	}
	check("no credentials", "http://127.0.0.1:1", func(*testing.T) {}, account.Absent,
		"no AWS credentials found")
	check("nobody there", "http://127.0.0.1:1", withKeys, account.Unreachable,
		"rds:DescribeDBInstances: 127.0.0.1:1 does not answer")
	check("no such host", "http://nobody.invalid", withKeys, account.Unreachable, "no such host: nobody.invalid")
}

func TestOpenRefuses(t *testing.T) {
	alone(t, "")
	check := func(o account.Options, want string) {
		t.Helper()
		if _, err := account.Open(t.Context(), o); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
	check(account.Options{Profile: "nobody"}, "no profile nobody in ~/.aws/config or ~/.aws/credentials")
	check(account.Options{Role: number}, "the role must have the form arn:aws:iam::ACCOUNT:role/NAME")
}

func TestRegionIsMissing(t *testing.T) {
	alone(t, "")
	withKeys(t)
	err := describe(t.Context(), open(t, account.Options{}))
	if trouble, ok := errors.AsType[*account.Trouble](err); !ok || trouble.Kind != account.NoRegion {
		t.Errorf("%v", err)
	}
}

// TestDeadline: a call ends even if the connection is accepted and never served.
func TestDeadline(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	alone(t, "http://"+listener.Addr().String())
	withKeys(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err = describe(ctx, open(t, account.Options{Region: "eu-west-1"}))
	if trouble, ok := errors.AsType[*account.Trouble](err); !ok || trouble.Kind != account.Unreachable {
		t.Errorf("%v", err)
	}
}

// TestDeadlineWhileAskedToSlowDown: the error is AWS's throttling, not the end of the time.
func TestDeadlineWhileAskedToSlowDown(t *testing.T) {
	check := func(handler http.HandlerFunc, kind account.Kind, want string) {
		t.Helper()
		server := httptest.NewServer(handler)
		defer server.Close()
		alone(t, server.URL)
		withKeys(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := describe(ctx, open(t, account.Options{Region: "eu-west-1"}))
		if trouble, ok := errors.AsType[*account.Trouble](err); !ok || trouble.Kind != kind ||
			!strings.Contains(trouble.Error(), want) {
			t.Errorf("%v, want %s: %s", err, kind, want)
		}
	}
	check(refusing(400, "Throttling", "Rate exceeded"), account.Throttled, "still throttling")
	check(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>oops", http.StatusBadGateway)
	}, account.Other, "failed each time (HTTP 502)")
}

// TestFaultsOfAServiceAreGivenUpSooner: sooner than throttling, which ends by itself.
func TestFaultsOfAServiceAreGivenUpSooner(t *testing.T) {
	check := func(handler http.HandlerFunc, after int, goesOn bool) {
		t.Helper()
		server := httptest.NewServer(handler)
		defer server.Close()
		alone(t, server.URL)
		withKeys(t)
		a := open(t, account.Options{Region: "eu-west-1"})
		once := a.Config()
		once.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
		err := ask(t.Context(), once)
		if _, ends := a.Config().Retryer().RetryDelay(after, err); (ends == nil) != goesOn {
			t.Errorf("after %d tries of %v: %v", after, err, ends)
		}
	}
	check(refusing(500, "InternalFailure", "oops"), 4, true)
	check(refusing(500, "InternalFailure", "oops"), 5, false)
	check(refusing(500, "RequestLimitExceeded", "slowly"), 5, true)
	check(refusing(503, "ServiceUnavailable", "later"), 5, true)
	check(refusing(400, "Throttling", "Rate exceeded"), 5, true)
}

// TestFaultsOfAContainersEndpoint: an endpoint for a container's credentials is given up as soon as a service.
func TestFaultsOfAContainersEndpoint(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer server.Close()
	alone(t, "http://127.0.0.1:1")
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.URL)
	a := open(t, account.Options{Region: "eu-west-1"})
	err := describe(t.Context(), a)
	if trouble, ok := errors.AsType[*account.Trouble](err); !ok || trouble.Kind != account.Absent ||
		!strings.HasSuffix(trouble.Error(), "returned HTTP 500 each time") {
		t.Error(err)
	}
	if asked.Load() != 5 {
		t.Errorf("it was asked %d times", asked.Load())
	}
	if delay, _ := a.Config().Retryer().RetryDelay(4, err); delay > 5*time.Second {
		t.Errorf("the last try came after a pause of %v", delay)
	}
}

// TestNoMachine: a laptop has no endpoint for a machine's credentials, whether it refuses or ignores connections.
func TestNoMachine(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	alone(t, "http://127.0.0.1:1")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://"+listener.Addr().String())
	a := open(t, account.Options{Region: "eu-west-1"})
	begun := time.Now()
	err = describe(t.Context(), a)
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %v to find no credentials", took)
	}
	if trouble, ok := errors.AsType[*account.Trouble](err); !ok || trouble.Kind != account.Absent ||
		!strings.Contains(trouble.Error(), "no AWS credentials found") {
		t.Error(err)
	}
	for _, call := range a.Calls() {
		if call.Service != "rds" {
			t.Errorf("counted %+v", call)
		}
	}
}

func TestCallsAreCounted(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Header.Get("X-Amz-Target"), "PerformanceInsights"):
			w.Header().Set("Content-Type", "application/x-amz-json-1.1")
			fmt.Fprint(w, `{}`)
		case strings.Contains(r.URL.Path, "GetMetricData"):
			w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
			w.Header().Set("Content-Type", "application/cbor")
			w.Write([]byte{0xa0})
		case asked.Add(1) <= 2:
			refusing(400, "Throttling", "Rate exceeded")(w, r)
		default:
			fmt.Fprint(w, `<DescribeDBInstancesResponse><DescribeDBInstancesResult/></DescribeDBInstancesResponse>`)
		}
	}))
	defer server.Close()
	alone(t, server.URL)
	withKeys(t)
	a := open(t, account.Options{Region: "eu-west-1"})
	if err := describe(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if _, err := cloudwatch.NewFromConfig(a.In("us-east-1").Config()).GetMetricData(t.Context(),
		sevenStatistics()); err != nil {
		t.Fatal(err)
	}
	if _, err := pi.NewFromConfig(a.Config()).ListAvailableResourceMetrics(t.Context(),
		&pi.ListAvailableResourceMetricsInput{
			ServiceType: "RDS", Identifier: aws.String("db-X"), MetricTypes: []string{"os"}}); err != nil {
		t.Fatal(err)
	}
	type line struct {
		name                   string
		count, retries, billed int
		usd                    float64
		known                  bool
	}
	var got []line
	for _, c := range a.Calls() {
		usd, known := c.ListPrice()
		got = append(got, line{c.Service + ":" + c.Operation, c.Count, c.Retries, c.Billed, usd, known})
	}
	want := []line{
		// Six statistics of one metric are two, and one is one.
		{"cloudwatch:GetMetricData", 1, 0, 3, 3 * 0.01 / 1000, true},
		{"pi:ListAvailableResourceMetrics", 1, 0, 1, 0, false},
		{"rds:DescribeDBInstances", 1, 2, 1, 0, true},
	}
	near := cmp.Comparer(func(x, y float64) bool { return x-y < 1e-12 && y-x < 1e-12 })
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{}), near); diff != "" {
		t.Error(diff)
	}
	if clock := a.Clock(); clock.Source != "aws" || clock.Offset > 1 || clock.Offset < -1 {
		t.Errorf("the clock %+v", clock)
	}
}

// sevenStatistics asks for six statistics of one metric and one of another, and for a sum, which is free.
func sevenStatistics() *cloudwatch.GetMetricDataInput {
	in := &cloudwatch.GetMetricDataInput{StartTime: new(time.Now().Add(-time.Hour)), EndTime: new(time.Now())}
	add := func(metric, statistic string) {
		in.MetricDataQueries = append(in.MetricDataQueries, types.MetricDataQuery{
			Id: aws.String(fmt.Sprintf("q%d", len(in.MetricDataQueries))),
			MetricStat: &types.MetricStat{Period: aws.Int32(60), Stat: &statistic,
				Metric: &types.Metric{Namespace: aws.String("AWS/RDS"), MetricName: &metric}},
		})
	}
	for _, statistic := range []string{"Sum", "Average", "Minimum", "Maximum", "p50", "p99"} {
		add("WriteIOPS", statistic)
	}
	add("ReadIOPS", "Average")
	in.MetricDataQueries = append(in.MetricDataQueries, types.MetricDataQuery{Id: aws.String("sum"),
		Expression: aws.String("q0+q6")})
	return in
}

// TestRolesAreRenewed: a role's credentials, which expire within the hour, are renewed automatically.
func TestRolesAreRenewed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w,
			`<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
			<SessionToken>t</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
			time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	}))
	defer server.Close()
	alone(t, server.URL)
	withKeys(t)
	a := open(t, account.Options{Region: "eu-west-1", Role: "arn:aws:iam::" + number + ":role/reader"})
	if ends, err := a.Credentials(t.Context()); err != nil || !ends.IsZero() {
		t.Errorf("they end at %v, %v", ends, err)
	}
}

func TestSecretsAreNamed(t *testing.T) {
	alone(t, "")
	withKeys(t)
	a := open(t, account.Options{Region: "eu-west-1"})
	if !strings.Contains(strings.Join(a.Secrets(t.Context()), " "), secret) {
		t.Error("the secret key is not among the secrets")
	}
	ends, err := a.Credentials(t.Context())
	if err != nil || !ends.IsZero() {
		t.Errorf("keys end at %v, %v", ends, err)
	}
}
