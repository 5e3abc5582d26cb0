package cloudwatch

import (
	"cmp"
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
	"github.com/realiops/realiops/internal/series"
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
		q.answered, q.status, q.damage = false, "", ""
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
		from, end = series.Earlier(from, q.wants()), series.Later(end, q.end())
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

// retention is how many days points of a period are kept.
type retention struct {
	period time.Duration
	days   int
}

const mostDays = 455

// Longest is how long CloudWatch keeps anything.
const Longest = mostDays * 24 * time.Hour

// kept lists how many days CloudWatch keeps points of each period; after that only aggregates over coarser periods
// remain. https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
var kept = []retention{{time.Minute, 15}, {5 * time.Minute, 63}, {time.Hour, mostDays}}

// margin is how early a point counts as expired, so that it does not expire during the request.
const margin = time.Hour

// window is a stretch with points down to one period.
type window struct {
	from, to time.Time
	finest   time.Duration // zero: none
}

// windows divides a stretch by the finest period still kept, oldest first. It leaves out the future.
func windows(from, to, now time.Time) (all []window) {
	to = series.Earlier(to, now)
	add := func(until time.Time, finest time.Duration) {
		until = series.Earlier(until, to)
		if from.Before(until) {
			all = append(all, window{from, until, finest})
			from = until
		}
	}
	finest := time.Duration(0)
	for i := len(kept) - 1; i >= 0; i-- {
		// Whole hours, so that no period spans two windows.
		add(now.AddDate(0, 0, -kept[i].days).Add(margin).UTC().Truncate(time.Hour), finest)
		finest = kept[i].period
	}
	add(to, finest)
	return all
}

// Kept returns the shortest period that is still kept of a moment, or the longest of all.
func Kept(at, now time.Time) time.Duration {
	return cmp.Or(windows(at, at.Add(time.Nanosecond), now)[0].finest, kept[len(kept)-1].period)
}

// Stretches returns the number of parts of a stretch with different finest periods: every metric is asked
// for, and billed, once in each.
func Stretches(from, to, now time.Time) int { return len(windows(from, to, now)) }
