// Package access finds out which calls AWS allows, by making each of them once for as little as possible.
//
// [Try] asks each service that a run collects from for its newest points, through the collecting sources themselves,
// so that it rejects what they reject. A refusal is an answer here, not an error.
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
	Action string // as in a policy
	Err    error  // an [account.Trouble] if the call failed
	// Unasked says why the call was not made; empty if it was.
	Unasked string
}

// Allowed reports whether the call was made and its answer is useful to a collection.
func (a Answer) Allowed() bool { return a.Err == nil && a.Unasked == "" }

// within bounds each service separately, so that a slow one does not delay others.
const within = 30 * time.Second

// Metrics is the call that returns all of CloudWatch's metrics.
const Metrics = "cloudwatch:GetMetricData"

// Statements is the call by which only an observation finds the statements with the most I/O.
const Statements = "pi:DescribeDimensionKeys"

// Try makes the calls of a run's collection and, if observed, also [Statements]. It judges the
// answers as a collection would.
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
		list.Unasked = "only RDS and Aurora have Performance Insights (CloudWatch Database Insights)"
	case !cloud.Insights:
		list.Unasked = "Performance Insights is off, so CloudWatch Database Insights has no counters"
	case cloud.Resource == "":
		list.Unasked = "RDS did not report the DbiResourceId that Performance Insights needs"
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
