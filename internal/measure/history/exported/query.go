package exported

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/history/cloudwatch"
	probe "github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Query is a request whose answer [Export.Read] understands, for aws cloudwatch get-metric-data --cli-input-json. Its
// members are the SDK's GetMetricDataInput's.
type Query struct {
	MetricDataQueries  []MetricDataQuery
	StartTime, EndTime time.Time
	ScanBy             string
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

// Metric is a metric of a cluster or an instance.
type Metric struct {
	Namespace, MetricName string
	Dimensions            []Dimension
}

// Dimension identifies a metric's owner.
type Dimension struct{ Name, Value string }

// QueryOf asks for the hours of the series of a cluster's bill.
func QueryOf(all []cloudwatch.Series, from, to time.Time) Query {
	q := Query{StartTime: from.UTC(), EndTime: to.UTC(), ScanBy: "TimestampAscending"}
	for _, s := range all {
		for _, name := range s.Metrics {
			m, _, _, _ := parse(name, billed())
			statistics := m.Statistics[:1]
			if s.Counted {
				m.Dimension, statistics = ofCluster, []string{runfile.SampleCount}
			}
			q.add(m, s.Cluster+s.Instance, statistics, metric.Hour)
		}
	}
	return q
}

// HistoryOf asks for an instance's metrics for realiops history, in the shortest periods that
// CloudWatch keeps for the whole time.
func HistoryOf(c runfile.Cloud, flavor string, from, to, now time.Time) Query {
	q := Query{StartTime: from.UTC(), EndTime: to.UTC(), ScanBy: "TimestampAscending"}
	e := Export{Flavor: flavor}
	for _, name := range cloudwatch.Wanted(c) {
		m, _, _, known := parse(name, e.taken())
		id := map[string]string{"DBInstanceIdentifier": c.Instance, "DBClusterIdentifier": c.Cluster}[m.Dimension]
		if known && id != "" {
			q.add(m, id, m.Statistics, max(int(probe.Kept(from, now).Seconds()), int(m.Period)))
		}
	}
	return q
}

func (q *Query) add(m metric.Meaning, id string, statistics []string, period int) {
	for _, statistic := range statistics {
		q.MetricDataQueries = append(q.MetricDataQueries, MetricDataQuery{
			Id: fmt.Sprintf("%s_%d", strings.ToLower(m.Metric[:1])+strings.TrimSuffix(m.Metric[1:], "%"),
				len(q.MetricDataQueries)),
			Label: strings.Join([]string{m.Metric, statistic, id}, " "),
			MetricStat: MetricStat{
				Metric: Metric{Namespace: "AWS/RDS", MetricName: m.Metric, Dimensions: []Dimension{
					{m.Dimension, id}}},
				Period: period, Stat: statistic,
			},
		})
	}
}
