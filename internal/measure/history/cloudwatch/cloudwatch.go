// Package cloudwatch asks CloudWatch for a cluster's past metrics, hour by hour, for as long as it keeps hours.
package cloudwatch

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/history"
	probe "github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
)

// Series is a request for some metrics of a cluster or an instance.
type Series struct {
	Cluster, Instance string // one of them
	Serverless        bool
	Counted           bool // count the samples of all instances of the cluster
	Metrics           []string
}

// ForBill returns the series that a cluster's bill needs.
func ForBill(c rds.Cluster) []Series {
	all := []Series{{Cluster: c.Name, Metrics: []string{"VolumeReadIOPs", "VolumeWriteIOPs", "VolumeBytesUsed"}},
		{Cluster: c.Name, Counted: true, Metrics: []string{"CPUUtilization"}}}
	for _, m := range c.Members {
		series := Series{Instance: m.Name, Serverless: m.Class == "db.serverless", Metrics: []string{"CPUUtilization"}}
		if series.Serverless {
			series.Metrics = []string{"ServerlessDatabaseCapacity"}
		}
		all = append(all, series)
	}
	return all
}

// Settled returns the end of the last final hour.
func Settled(now time.Time) time.Time { return now.Add(-probe.Final).UTC().Truncate(time.Hour) }

// Hours returns the series' hourly periods of a stretch of time, and their gaps.
func Hours(ctx context.Context, a *account.Account, all []Series, from, to time.Time) ([]runfile.Period,
	[]runfile.Gap, error) {
	var data history.Data
	for _, s := range all {
		source, err := s.source(a.Config())
		if err != nil {
			return nil, nil, err
		}
		source.Coarse = time.Hour
		if err := source.Backfill(ctx, from, to, data.Take); err != nil {
			return nil, nil, err
		}
	}
	return data.Periods, data.Gaps, nil
}

func (s Series) source(cfg aws.Config) (*probe.Source, error) {
	if s.Counted {
		return probe.Counting(cfg, s.Cluster), nil
	}
	return probe.New(cfg, s.cloud(), s.Metrics...)
}

func (s Series) cloud() runfile.Cloud {
	c := runfile.Cloud{Provider: "aws", Cluster: s.Cluster, Instance: s.Instance, Engine: "aurora-postgresql"}
	if s.Serverless {
		c.Class = "db.serverless"
	}
	return c
}

// Refused describes gaps for missing permissions or answers, a sentence each.
func Refused(gaps []runfile.Gap) (all []string) {
	for _, g := range gaps {
		if g.Reason == runfile.Permission || g.Reason == runfile.Failed {
			all = append(all, strings.TrimPrefix(g.Metric+": "+g.Detail, ": "))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
