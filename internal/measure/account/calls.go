package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/smithy-go/middleware"

	"github.com/realiops/realiops/internal/runfile"
)

// Call counts the requests for one operation.
type Call struct {
	Service   string // as in policies: rds, cloudwatch, pi, sts
	Operation string
	Count     int   // without retries
	Retries   int   // the further tries
	Failures  int   // calls without a successful answer
	Billed    int   // answered, in the units of the price
	Price     Price // of a unit
}

// ListPrice returns the cost of the calls by the price list, in USD and before any free allowance. known
// is false if there is no price.
func (c Call) ListPrice() (usd float64, known bool) {
	return float64(c.Billed) * c.Price.USD, c.Price.Known
}

// counted holds an account's calls. It is safe for concurrent use.
type counted struct {
	mu    sync.Mutex
	calls []Call
	clock runfile.Clock
}

// Calls returns the operations called so far, by name.
func (a *Account) Calls() []Call {
	a.counted.mu.Lock()
	defer a.counted.mu.Unlock()
	all := slices.Clone(a.counted.calls)
	slices.SortFunc(all, func(x, y Call) int { return strings.Compare(x.Service+x.Operation, y.Service+y.Operation) })
	return all
}

// Clock returns how far AWS's clock is ahead of ours, by the date of its fastest answer, which has whole seconds. Its
// source is empty before the first answer.
func (a *Account) Clock() runfile.Clock {
	a.counted.mu.Lock()
	defer a.counted.mu.Unlock()
	return a.counted.clock
}

// attach counts every call and each of its tries.
func (b *counted) attach(stack *middleware.Stack) error {
	err := stack.Initialize.Add(middleware.InitializeMiddlewareFunc("realiops/call", b.call), middleware.Before)
	if _, sent := stack.Finalize.Get("Retry"); err != nil || !sent {
		return err // a request that is only signed
	}
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("realiops/try", b.try), "Retry", middleware.After)
}

// tried counts the tries of a call and keeps AWS's last error.
type tried struct {
	times int
	said  error
}

type triesKey struct{}

func (b *counted) call(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error) {
	t := &tried{}
	out, metadata, err := next.HandleInitialize(context.WithValue(ctx, triesKey{}, t), in)
	b.mu.Lock()
	defer b.mu.Unlock()
	service, operation := prefix(awsmiddleware.GetServiceID(ctx)), awsmiddleware.GetOperationName(ctx)
	i := slices.IndexFunc(b.calls, func(c Call) bool { return c.Service == service && c.Operation == operation })
	if i < 0 {
		i = len(b.calls)
		b.calls = append(b.calls, Call{Service: service, Operation: operation, Price: priceOf(service, operation)})
	}
	call := &b.calls[i]
	call.Count++
	call.Retries += max(0, t.times-1)
	if err != nil {
		call.Failures++
		if errors.Is(err, context.DeadlineExceeded) && t.said != nil {
			err = t.said // AWS did answer: time ended during a retry
		}
		return out, metadata, err
	}
	call.Billed += billed(in.Parameters)
	return out, metadata, nil
}

func (b *counted) try(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error) {
	sent := time.Now()
	out, metadata, err := next.HandleFinalize(ctx, in)
	if t, ok := ctx.Value(triesKey{}).(*tried); ok {
		t.times++
		if _, answered := errors.AsType[*awshttp.ResponseError](err); answered {
			t.said = err
		}
	}
	if ahead, ok := awsmiddleware.GetAttemptSkew(metadata); ok {
		b.compared(ahead, time.Since(sent))
	}
	return out, metadata, err
}

// compared keeps the offset from the fastest answer. The date is truncated to seconds, so half a second is
// added, with an error as large.
func (b *counted) compared(ahead, trip time.Duration) {
	const cut = 0.5
	b.mu.Lock()
	defer b.mu.Unlock()
	if within := cut + trip.Seconds()/2; b.clock.Source == "" || within < b.clock.Error {
		b.clock = runfile.Clock{Source: "aws", Offset: ahead.Seconds() + cut, Error: within}
	}
}

// prefix returns the name in policies of the service that the SDK calls id.
func prefix(id string) string { return strings.ToLower(strings.ReplaceAll(id, " ", "-")) }

// Price is the price of an operation's unit in the price list of us-east-1. Known is false if no source states it.
type Price struct {
	Known bool
	USD   float64
	Unit  string // the billed unit: metric or call
}

// priceOf returns the list price of an operation. Performance Insights' was not found.
//
// https://aws.amazon.com/cloudwatch/pricing/ was read on 2026-05-05. On 2026-11-20, https://aws.amazon.com/rds/pricing/
// named no price of an API call, and STS was free:
// https://docs.aws.amazon.com/STS/latest/APIReference/welcome.html
func priceOf(service, operation string) Price {
	const thousandth = 1.0 / 1000
	switch {
	case service == "cloudwatch" && operation == "GetMetricData": // without a free allowance
		return Price{Known: true, USD: 0.01 * thousandth, Unit: "metric"}
	case service == "cloudwatch" && operation == "ListMetrics": // beyond a million a month
		return Price{Known: true, USD: 0.01 * thousandth, Unit: "call"}
	case service == "rds", service == "sts":
		return Price{Known: true, Unit: "call"}
	default:
		return Price{Unit: "call"}
	}
}

// billed returns the billed units of an answered call: up to five statistics of one metric are one.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
func billed(input any) (n int) {
	const statisticsInOne = 5
	data, ok := input.(*cloudwatch.GetMetricDataInput)
	if !ok {
		return 1
	}
	statistics := map[string]int{}
	for _, q := range data.MetricDataQueries {
		if q.MetricStat == nil {
			continue // computed from others
		}
		key, _ := json.Marshal(q.MetricStat.Metric) // names and values only, which cannot fail
		statistics[string(key)]++
	}
	for _, of := range statistics {
		n += (of + statisticsInOne - 1) / statisticsInOne
	}
	return n
}

// Text describes the calls in a few lines with their list price, or is empty without calls.
func Text(calls []Call) string {
	if len(calls) == 0 {
		return ""
	}
	var parts, unknown []string
	total, priced := 0.0, 0
	for _, c := range calls {
		parts = append(parts, callText(c))
		usd, known := c.ListPrice()
		if !known {
			unknown = append(unknown, c.Service+":"+c.Operation)
			continue
		}
		total, priced = total+usd, priced+1
	}
	text := "AWS was asked: " + strings.Join(parts, ", ") + "."
	if priced > 0 {
		cost := fmt.Sprintf("%.5f USD", total)
		if total == 0 { // keep a tiny cost apart from zero
			cost = "nothing"
		}
		text += " By the price list of us-east-1, before any free allowance: " + cost
		if len(unknown) > 0 {
			text += "; the price of " + strings.Join(unknown, ", ") + " is not known here"
		}
		text += "."
	}
	return text
}

func callText(c Call) string {
	text := fmt.Sprintf("%s:%s %d×", c.Service, c.Operation, c.Count)
	var beside []string
	add := func(n int, one, more string) {
		switch {
		case n == 1:
			beside = append(beside, "1 "+one)
		case n > 1:
			beside = append(beside, fmt.Sprintf("%d %s", n, more))
		}
	}
	if c.Price.Unit == "metric" {
		add(c.Billed, "metric", "metrics")
	}
	add(c.Retries, "further try", "further tries")
	add(c.Failures, "failed", "failed")
	if len(beside) > 0 {
		text += " (" + strings.Join(beside, ", ") + ")"
	}
	return text
}
