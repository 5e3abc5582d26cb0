// Package access finds out which calls AWS allows, by making each of them once for as little as it takes.
//
// [Try] asks for a few minutes of one metric of each service that a run collects from. A refusal is an answer here, and
// no error.
package access

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/pi"
	pitypes "github.com/aws/aws-sdk-go-v2/service/pi/types"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
)

// Answer is what came of a call.
type Answer struct {
	Action string // as a permission names it
	Err    error  // an [account.Trouble] where it was not answered
	// Unasked says why the call was not made; empty where it was.
	Unasked string
}

// Allowed tells whether the call was made and answered.
func (a Answer) Allowed() bool { return a.Err == nil && a.Unasked == "" }

// span is how far back is asked, and metricPeriod the period, in seconds.
const (
	span         = 5 * time.Minute
	metricPeriod = 60
)

// Try makes the calls that a run would collect metrics by.
func Try(ctx context.Context, config aws.Config, cloud runfile.Cloud) []Answer {
	all := []Answer{{Action: "cloudwatch:GetMetricData", Err: account.Explain(metrics(ctx, config, cloud))}}
	list, get := Answer{Action: "pi:ListAvailableResourceMetrics"}, Answer{Action: "pi:GetResourceMetrics"}
	switch {
	case cloud.Instance == "":
		list.Unasked = "only RDS and Aurora have Performance Insights"
		get.Unasked = list.Unasked
	case !cloud.Insights || cloud.Resource == "":
		list.Unasked = "Performance Insights is off"
		get.Unasked = list.Unasked
	default:
		client := pi.NewFromConfig(config)
		_, err := client.ListAvailableResourceMetrics(ctx, &pi.ListAvailableResourceMetricsInput{
			ServiceType: pitypes.ServiceTypeRds, Identifier: &cloud.Resource, MetricTypes: []string{"os"}})
		list.Err = account.Explain(err)
		now := time.Now()
		_, err = client.GetResourceMetrics(ctx, &pi.GetResourceMetricsInput{
			ServiceType: pitypes.ServiceTypeRds, Identifier: &cloud.Resource,
			StartTime: aws.Time(now.Add(-span)), EndTime: &now, PeriodInSeconds: aws.Int32(metricPeriod),
			MetricQueries: []pitypes.MetricQuery{{Metric: aws.String("db.load.avg")}},
		})
		get.Err = account.Explain(err)
	}
	return append(all, list, get)
}

func metrics(ctx context.Context, config aws.Config, cloud runfile.Cloud) error {
	metric := &types.Metric{Namespace: aws.String("AWS/RDS"), MetricName: aws.String("CPUUtilization"), Dimensions: []types.Dimension{
		{Name: aws.String("DBInstanceIdentifier"), Value: &cloud.Instance}}}
	switch {
	case cloud.Machine != "":
		metric = &types.Metric{Namespace: aws.String("AWS/EC2"), MetricName: aws.String("EBSWriteOps"), Dimensions: []types.Dimension{
			{Name: aws.String("InstanceId"), Value: &cloud.Machine}}}
	case len(cloud.Volumes) > 0:
		metric = &types.Metric{Namespace: aws.String("AWS/EBS"), MetricName: aws.String("VolumeWriteOps"), Dimensions: []types.Dimension{
			{Name: aws.String("VolumeId"), Value: &cloud.Volumes[0]}}}
	}
	now := time.Now()
	_, err := cloudwatch.NewFromConfig(config).GetMetricData(ctx, &cloudwatch.GetMetricDataInput{
		StartTime: aws.Time(now.Add(-span)), EndTime: &now,
		MetricDataQueries: []types.MetricDataQuery{{Id: aws.String("try"), MetricStat: &types.MetricStat{
			Metric: metric, Period: aws.Int32(metricPeriod), Stat: aws.String("Average")}}},
	})
	return err
}
