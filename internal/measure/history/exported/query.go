package exported

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/history/cloudwatch"
	"github.com/realiops/realiops/internal/metric"
)

// Query is the question whose answer [Export.Read] understands, as aws cloudwatch get-metric-data --cli-input-json takes it.
// Its members are those of the SDK's GetMetricDataInput.
type Query struct {
	MetricDataQueries []MetricDataQuery
	StartTime         time.Time
	EndTime           time.Time
	ScanBy            string
}

// MetricDataQuery asks for one series.
type MetricDataQuery struct {
	Id         string // lower case first, as AWS demands
	Label      string
	MetricStat MetricStat
}

// MetricStat is a metric with its period and statistic.
type MetricStat struct {
	Metric Metric
	Period int
	Stat   string
}

// Metric is one of a cluster or an instance.
type Metric struct {
	Namespace  string
	MetricName string
	Dimensions []Dimension
}

// Dimension names whose metric it is.
type Dimension struct{ Name, Value string }

// QueryOf asks for the hours of series.
func QueryOf(all []cloudwatch.Series, from, to time.Time) Query {
	q := Query{StartTime: from.UTC(), EndTime: to.UTC(), ScanBy: "TimestampAscending"}
	for _, s := range all {
		for _, name := range s.Metrics {
			m, _, _, _ := parse(name)
			whose := s.Cluster + s.Instance
			q.MetricDataQueries = append(q.MetricDataQueries, MetricDataQuery{
				Id:    fmt.Sprintf("%s_%d", strings.ToLower(name[:1])+name[1:], len(q.MetricDataQueries)),
				Label: strings.Join([]string{name, m.Statistics[0], whose}, " "),
				MetricStat: MetricStat{
					Metric: Metric{Namespace: "AWS/RDS", MetricName: name, Dimensions: []Dimension{{m.Dimension, whose}}},
					Period: metric.Hour, Stat: m.Statistics[0],
				},
			})
		}
	}
	return q
}
