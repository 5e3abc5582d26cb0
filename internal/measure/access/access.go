// Package access finds out which calls AWS allows, by making each of them once for as little as it takes.
//
// [Try] asks each service that a run collects from for its newest points, through the sources that collect them: what
// they reject, it rejects. A refusal is an answer here, and no error.
package access

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/runfile"
)

// Answer is the result of a call.
type Answer struct {
	Action string // as a permission names it
	Err    error  // an [account.Trouble] where it was not answered
	// Unasked says why the call was not made; empty where it was.
	Unasked string
}

// Allowed reports whether the call was made and its answer is of use to a collection.
func (a Answer) Allowed() bool { return a.Err == nil && a.Unasked == "" }

// within bounds each service by itself: one that has us wait takes nothing from another.
const within = 30 * time.Second

// Metrics is the call that returns all of CloudWatch's metrics.
const Metrics = "cloudwatch:GetMetricData"

// Statements is the call that only an observation makes, to say which statements caused what storage did.
const Statements = "pi:DescribeDimensionKeys"

// Try makes the calls that a run would collect metrics by, and [Statements] if those of an observation are asked about,
// too. It judges the answers as a collection would.
func Try(ctx context.Context, config aws.Config, cloud runfile.Cloud, observed bool) []Answer {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	metrics, list, get := Answer{Action: Metrics}, Answer{Action: "pi:ListAvailableResourceMetrics"},
		Answer{Action: "pi:GetResourceMetrics"}
	statements := Answer{Action: Statements}
	var asked sync.WaitGroup
	asked.Go(func() {
		source, err := cloudwatch.New(config, cloud)
		if err == nil {
			err = source.Try(ctx)
		}
		metrics.Err = account.Explain(err)
	})
	switch {
	case cloud.Instance == "":
		list.Unasked = "only RDS and Aurora have Performance Insights, whose counters CloudWatch " +
			"Database Insights shows"
	case !cloud.Insights:
		list.Unasked = "Performance Insights is off, and so CloudWatch Database Insights has no counters"
	case cloud.Resource == "":
		list.Unasked = "RDS did not say the DbiResourceId, by which Performance Insights is asked"
	default:
		asked.Go(func() {
			listed, values := insights.New(config, cloud).Try(ctx)
			list.Err, get.Err = account.Explain(listed), account.Explain(values)
		})
		if observed {
			asked.Go(func() { statements.Err = account.Explain(insights.New(config, cloud).TryStatements(ctx)) })
		}
	}
	get.Unasked, statements.Unasked = list.Unasked, list.Unasked
	asked.Wait()
	if !observed {
		return []Answer{metrics, list, get}
	}
	return []Answer{metrics, list, get, statements}
}
