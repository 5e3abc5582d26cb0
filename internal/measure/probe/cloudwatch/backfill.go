package cloudwatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cw "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// backfill is one Backfill in progress.
type backfill struct {
	*Source
	from, to time.Time
	now      time.Time
	keep     func(runfile.Record) error
	seen     []tally // by series
}

const (
	// rounds is how often CloudWatch is asked for values missing from an otherwise good answer.
	rounds = 3
	// pause is the wait before each further round; it doubles.
	pause = 300 * time.Millisecond
	// mostPages ends an endless answer.
	mostPages = 1000
)

// ask makes the calls for a batch, and repeats them for missing values.
func (b *backfill) ask(ctx context.Context, batch []*query) error {
	open := batch
	for round := range rounds {
		if len(open) == 0 {
			break
		}
		if round > 0 {
			select {
			case <-time.After(pause << (round - 1)):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err := b.pages(ctx, open); err != nil {
			return err
		}
		open = slices.DeleteFunc(slices.Clone(open), (*query).done)
	}
	return nil
}

// pages makes one call and reads all pages of its answer.
func (b *backfill) pages(ctx context.Context, open []*query) error {
	in := b.input(open)
	byID := map[string]*query{}
	for _, q := range open {
		q.forget()
		byID[q.id] = q
	}
	for range mostPages {
		out, err := b.client.GetMetricData(ctx, in)
		if err != nil {
			return trouble(ctx, err)
		}
		if err := b.page(byID, out); err != nil {
			return err
		}
		if aws.ToString(out.NextToken) == "" {
			return nil
		}
		if aws.ToString(out.NextToken) == aws.ToString(in.NextToken) {
			return account.NewTrouble(account.Damaged, "Damaged", "CloudWatch returned the same page again; is it a stand-in?")
		}
		in.NextToken = out.NextToken
	}
	return fmt.Errorf("CloudWatch has more than %d pages of one answer", mostPages)
}

// input returns the call for all queries, from the first period that one of them lacks.
func (b *backfill) input(open []*query) *cw.GetMetricDataInput {
	from, end := open[0].wants(), open[0].end()
	in := &cw.GetMetricDataInput{ScanBy: types.ScanByTimestampAscending}
	for i, q := range open {
		q.id = fmt.Sprintf("q%d", i)
		in.MetricDataQueries = append(in.MetricDataQueries, q.in(b.series[q.series]))
		if q.wants().Before(from) {
			from = q.wants()
		}
		if q.end().After(end) {
			end = q.end()
		}
	}
	in.StartTime, in.EndTime = &from, &end
	return in
}

// page passes a page's points on.
func (b *backfill) page(byID map[string]*query, out *cw.GetMetricDataOutput) error {
	fetched := b.Now()
	for _, r := range out.MetricDataResults {
		q := byID[aws.ToString(r.Id)]
		if q == nil {
			continue
		}
		if len(out.Messages) > 0 { // about the whole answer, such as MaxMetricsExceeded
			r.Messages, r.StatusCode = append(r.Messages, out.Messages...), types.StatusCodePartialData
		}
		q.answer(r)
		if len(r.Timestamps) != len(r.Values) {
			continue
		}
		for i, at := range r.Timestamps {
			if !q.take(at, r.Values[i]) {
				continue
			}
			if err := b.keep(b.record(q, at, r.Values[i], fetched)); err != nil {
				return err
			}
		}
	}
	return nil
}

// trouble returns the reason for a failed call as a gap's error, without names of the account.
func trouble(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = account.Explain(err)
	if t, ok := errors.AsType[*account.Trouble](err); ok {
		return &probe.Error{Reason: t.Reason(), Code: t.Code, Err: t}
	}
	return err
}
