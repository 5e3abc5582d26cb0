package accounttest

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Series holds a metric's values: one for each Step, the first at From.
type Series struct {
	Namespace  string // AWS/RDS, AWS/EBS
	Metric     string
	Dimensions map[string]string
	From       time.Time
	Step       time.Duration
	Values     []float64
	Times      float64 // how often each value is published; 0: once
}

// perCall is the largest number of values in one PutMetricData call.
const perCall = 1000

// Put publishes series as their service would, each value once. Values put twice count twice, so it does not retry.
func (s *StandIn) Put(t testing.TB, all ...Series) {
	t.Helper()
	client := cloudwatch.NewFromConfig(s.Config(), func(o *cloudwatch.Options) { o.RetryMaxAttempts = 1 })
	namespaces := map[string][]types.MetricDatum{}
	for _, one := range all {
		var dimensions []types.Dimension
		for name, value := range one.Dimensions {
			dimensions = append(dimensions, types.Dimension{Name: aws.String(name), Value: aws.String(value)})
		}
		for i, value := range one.Values {
			namespaces[one.Namespace] = append(namespaces[one.Namespace], types.MetricDatum{
				MetricName: aws.String(one.Metric), Dimensions: dimensions,
				Timestamp: aws.Time(one.From.Add(time.Duration(i) * one.Step)),
				Values:    []float64{value}, Counts: []float64{max(1, one.Times)},
			})
		}
	}
	for namespace, data := range namespaces {
		for part := range slices.Chunk(data, perCall) {
			in := &cloudwatch.PutMetricDataInput{Namespace: aws.String(namespace), MetricData: part}
			if _, err := client.PutMetricData(t.Context(), in); err != nil && !accepted(err) {
				t.Fatal(err)
			}
		}
	}
}

// accepted reports whether the service took the values although its empty answer was cut
// off, which happens now and then.
func accepted(err error) bool {
	answer, ok := errors.AsType[*smithyhttp.ResponseError](err)
	return ok && answer.HTTPStatusCode() == http.StatusOK
}
