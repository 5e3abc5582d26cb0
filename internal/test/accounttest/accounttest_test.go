package accounttest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/test/accounttest"
)

func TestMain(m *testing.M) { os.Exit(accounttest.Main(m)) }

var instance = map[string]string{"DBInstanceIdentifier": "db-1"}

// minutes asks for n minutes of a metric, without retries.
func minutes(ctx context.Context, s *accounttest.StandIn, from time.Time, n int) ([]float64, error) {
	client := cloudwatch.NewFromConfig(s.Config(), func(o *cloudwatch.Options) { o.Retryer = aws.NopRetryer{} })
	var dimensions []types.Dimension
	for name, value := range instance {
		dimensions = append(dimensions, types.Dimension{Name: &name, Value: &value})
	}
	metric := &types.Metric{Namespace: aws.String("AWS/RDS"), MetricName: aws.String("WriteIOPS"),
		Dimensions: dimensions}
	out, err := client.GetMetricData(ctx, &cloudwatch.GetMetricDataInput{
		StartTime: aws.Time(from), EndTime: aws.Time(from.Add(time.Duration(n) * time.Minute)),
		MetricDataQueries: []types.MetricDataQuery{{
			Id: aws.String("q"), MetricStat: &types.MetricStat{Metric: metric, Period: aws.Int32(60),
				Stat: aws.String("Average")},
		}},
	})
	if err != nil {
		return nil, err
	}
	return out.MetricDataResults[0].Values, nil
}

func writes(from time.Time, step time.Duration, values ...float64) accounttest.Series {
	return accounttest.Series{Namespace: "AWS/RDS", Metric: "WriteIOPS", Dimensions: instance, From: from, Step: step,
		Values: values}
}

func hourAgo() time.Time { return time.Now().Add(-time.Hour).Truncate(time.Minute) }

func TestPutValuesAreReturned(t *testing.T) {
	s, other := accounttest.Start(t), accounttest.Start(t)
	from := hourAgo()
	s.Put(t, writes(from, 30*time.Second, 1, 3, 10, 20))
	for account, want := range map[*accounttest.StandIn][]float64{s: {2, 15}, other: {}} {
		got, err := minutes(t.Context(), account, from, 2)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, (-want +got):\n%s", err, diff)
		}
	}
}

// TestFaults checks that the SDK recognizes each fault, at the intended call and at no other.
func TestFaults(t *testing.T) {
	s := accounttest.Start(t)
	from := hourAgo()
	s.Put(t, writes(from, time.Minute, 7))
	check := func(name string, fault accounttest.Fault, patience time.Duration, is func(error) bool) {
		t.Helper()
		through, proxy := s.Proxy(t)
		proxy.On("GetMetricData", fault, 2)
		for call := 1; call <= 3; call++ {
			ctx, cancel := context.WithTimeout(t.Context(), map[bool]time.Duration{
				true: patience, false: time.Minute}[call == 2])
			got, err := minutes(ctx, through, from, 1)
			cancel()
			switch {
			case call == 2 && !is(err):
				t.Errorf("%s: %v", name, err)
			case call != 2 && (err != nil || !cmp.Equal(got, []float64{7})):
				t.Errorf("%s: call %d: %v, %v", name, call, got, err)
			}
		}
		if diff := cmp.Diff(map[string]int{"GetMetricData": 3}, proxy.Calls()); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", name, diff)
		}
	}
	// With query compatibility, which CloudWatch has, clients see the codes of the older protocol.
	check("throttled", accounttest.Throttled(), time.Minute, code("Throttling"))
	check("expired", accounttest.Expired(), time.Minute, code("ExpiredToken"))
	check("denied", accounttest.Denied(), time.Minute, code("AccessDenied"))
	check("unavailable", accounttest.Unavailable(), time.Minute, code("ServiceUnavailable"))
	check("bad gateway", accounttest.BadGateway(), time.Minute, func(err error) bool { return err != nil })
	check("truncated", accounttest.Truncated(), time.Minute, func(err error) bool {
		return errors.Is(err, io.ErrUnexpectedEOF)
	})
	check("hung", accounttest.Hung(), 300*time.Millisecond, func(err error) bool {
		return errors.Is(err, context.DeadlineExceeded)
	})
	check("slow", accounttest.Slow(time.Hour), 300*time.Millisecond, func(err error) bool {
		return errors.Is(err, context.DeadlineExceeded)
	})
}

func code(want string) func(error) bool {
	return func(err error) bool {
		api, ok := errors.AsType[smithy.APIError](err)
		return ok && api.ErrorCode() == want
	}
}

// TestFaultsOfTheOlderProtocol: STS takes a form and answers in XML.
func TestFaultsOfTheOlderProtocol(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	proxy.On("GetCallerIdentity", accounttest.Expired(), 1)
	client := sts.NewFromConfig(s.Config())
	if _, err := client.GetCallerIdentity(t.Context(), nil); !code("ExpiredToken")(err) {
		t.Error(err)
	}
	if who, err := client.GetCallerIdentity(t.Context(), nil); err != nil || who.Account == nil {
		t.Error(who, err)
	}
	proxy.On("GetCallerIdentity", accounttest.Refused(http.StatusForbidden, "InvalidClientTokenId", "no such key"))
	if _, err := client.GetCallerIdentity(t.Context(), nil); !code("InvalidClientTokenId")(err) {
		t.Error(err)
	}
}
