package insights

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pi"
	"github.com/aws/aws-sdk-go-v2/service/pi/types"
	"github.com/aws/smithy-go"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// Limits of DescribeDimensionKeys:
// https://docs.aws.amazon.com/performance-insights/latest/APIReference/API_DescribeDimensionKeys.html
const mostKeys = 25

// Names of a statement's amounts in a run file. The load is in seconds of working or waiting sessions.
const (
	loadSeconds = "load"
	ioSeconds   = "load_io"
)

const (
	byDigest   = "db.sql_tokenized"
	byWaitType = "db.wait_event_type"
	ofIO       = "IO" // a type of wait
)

// perSQL returns the service's amounts of a statement from pg_stat_statements, as
// db.sql_tokenized.stats.calls_per_sec.
func perSQL() []string {
	return []string{
		"calls", "shared_blks_read", "shared_blks_written", "shared_blks_dirtied", "local_blks_read",
		"local_blks_written", "temp_blks_read", "temp_blks_written",
	}
}

func rateOf(amount string) string { return byDigest + ".stats." + amount + "_per_sec.avg" }

// periodOf returns the granularity for a stretch: at most about 300 points.
func periodOf(stretch time.Duration) time.Duration {
	switch {
	case stretch <= mostPoints*time.Minute:
		return time.Minute
	case stretch <= mostPoints*5*time.Minute:
		return 5 * time.Minute
	default:
		return time.Hour
	}
}

// Statements ranks the statements of [from, to) by the blocks that they read and wrote, if the service counts them,
// and by their active sessions. The service knows the 25 with the most active sessions. Texts are without literals.
func (p *Probe) Statements(ctx context.Context, from, to time.Time) (runfile.Top, error) {
	top := runfile.Top{From: from, At: to, Of: runfile.Digests}
	period := periodOf(to.Sub(from))
	in := &pi.DescribeDimensionKeysInput{
		ServiceType: serviceType, Identifier: aws.String(p.cloud.Resource), Metric: aws.String(loadName + ".avg"),
		StartTime: aws.Time(from), EndTime: aws.Time(to), PeriodInSeconds: aws.Int32(int32(period / time.Second)),
		GroupBy: &types.DimensionGroup{Group: aws.String(byWaitType), Limit: aws.Int32(mostKeys)},
	}
	whole, err := p.keys(ctx, in)
	if err != nil {
		return top, err
	}
	in.GroupBy.Group, in.PartitionBy = aws.String(byDigest), &types.DimensionGroup{Group: aws.String(byWaitType),
		Limit: aws.Int32(mostKeys)}
	for _, amount := range perSQL() {
		in.AdditionalMetrics = append(in.AdditionalMetrics, rateOf(amount))
	}
	each, err := p.keys(ctx, in)
	if refused, is := errors.AsType[smithy.APIError](err); is && refused.ErrorCode() == "InvalidArgumentException" {
		in.AdditionalMetrics = nil // without pg_stat_statements nothing is counted by statement
		each, err = p.keys(ctx, in)
	}
	if err != nil {
		return top, err
	}
	seconds := to.Sub(from).Seconds()
	top.Total = map[string]float64{loadSeconds: 0, ioSeconds: 0}
	for _, k := range whole.keys {
		top.Total[loadSeconds] += *k.Total * seconds
		if k.Dimensions[byWaitType+".name"] == ofIO {
			top.Total[ioSeconds] += *k.Total * seconds
		}
	}
	for _, k := range each.keys {
		top.Items = append(top.Items, each.item(k, seconds))
	}
	slices.SortStableFunc(top.Items, func(a, b runfile.TopItem) int {
		return cmp.Or(cmp.Compare(blocks(b), blocks(a)), cmp.Compare(b.Grew[loadSeconds], a.Grew[loadSeconds]))
	})
	top.Items = top.Items[:min(len(top.Items), runfile.MostTopItems)]
	return top, nil
}

func blocks(i runfile.TopItem) float64 {
	return i.Grew["shared_blks_read"] + i.Grew["shared_blks_written"]
}

// ranked is a complete answer of DescribeDimensionKeys.
type ranked struct {
	keys  []types.DimensionKeyDescription
	parts []types.ResponsePartitionKey
}

func (r ranked) item(k types.DimensionKeyDescription, seconds float64) runfile.TopItem {
	i := runfile.TopItem{
		Name: cmp.Or(k.Dimensions[byDigest+".id"], k.Dimensions[byDigest+".db_id"], "unnamed"),
		Text: postgres.WithoutLiterals(k.Dimensions[byDigest+".statement"]),
		Grew: map[string]float64{loadSeconds: *k.Total * seconds},
	}
	if len(r.parts) > 0 {
		i.Grew[ioSeconds] = 0
	}
	for n, part := range r.parts {
		if part.Dimensions[byWaitType+".name"] == ofIO {
			i.Grew[ioSeconds] += k.Partitions[n] * seconds
		}
	}
	for _, amount := range perSQL() {
		if rate, counted := k.AdditionalMetrics[rateOf(amount)]; counted {
			i.Grew[amount] = rate * seconds
		}
	}
	return i
}

// keys makes one request, reads all pages of its answer, and rejects one that contradicts itself.
func (p *Probe) keys(ctx context.Context, in *pi.DescribeDimensionKeysInput) (r ranked, err error) {
	pages := pi.NewDescribeDimensionKeysPaginator(p.client, in, func(o *pi.DescribeDimensionKeysPaginatorOptions) {
		o.Limit, o.StopOnDuplicateToken = mostResults, true
	})
	for pages.HasMorePages() && len(r.keys) < mostKeys {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return r, p.explain(err)
		}
		if page.AlignedStartTime == nil || page.AlignedEndTime == nil || !page.AlignedStartTime.Before(*in.EndTime) ||
			!in.StartTime.Before(*page.AlignedEndTime) {
			return r, damaged("Performance Insights returned statements without confirming that they are from %s to %s",
				stamp(*in.StartTime), stamp(*in.EndTime))
		}
		r.parts = page.PartitionKeys
		for _, k := range page.Keys {
			if err := sound(k, len(r.parts)); err != nil {
				return r, err
			}
		}
		r.keys = append(r.keys, page.Keys...)
	}
	return r, nil
}

// sound rejects a key with invalid values.
func sound(k types.DimensionKeyDescription, parts int) error {
	name := strings.Join(slices.Sorted(maps.Keys(k.Dimensions)), ", ")
	if k.Total == nil {
		return damaged("Performance Insights returned a key of %s without a total", name)
	}
	if len(k.Partitions) != parts {
		return damaged("Performance Insights returned a key of %s with %d of %d partitions", name, len(k.Partitions), parts)
	}
	for _, value := range slices.Concat([]float64{*k.Total}, k.Partitions,
		slices.Collect(maps.Values(k.AdditionalMetrics))) {
		if !runfile.Counted(value) || value < 0 {
			return damaged("Performance Insights returned a key of %s with the value %g", name, value)
		}
	}
	return nil
}

// TryStatements asks for the newest statements, as an observation does. An idle database has none, which is not an error.
func (p *Probe) TryStatements(ctx context.Context) error {
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	to := now().Truncate(time.Minute)
	_, err := p.Statements(ctx, to.Add(-lately), to)
	return err
}

// CanRank returns nil if the instance can be asked for its statements, or why not.
func (p *Probe) CanRank() error {
	if gap, off := p.off(time.Time{}); off {
		return errors.New(gap.Detail)
	}
	return nil
}
