package insights

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pi"
	"github.com/aws/aws-sdk-go-v2/service/pi/types"
	"github.com/aws/smithy-go"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Limits of one request:
// https://docs.aws.amazon.com/performance-insights/latest/APIReference/API_GetResourceMetrics.html
const (
	serviceType = types.ServiceTypeRds
	mostQueries = 15
	mostResults = 25
	mostParts   = 10 // of the load, by wait event
)

// A damaged answer is requested again, rounds times in all, with a doubling pause.
const (
	rounds = 3
	pause  = 300 * time.Millisecond
)

// mostPoints is how many points of a metric are requested at a time: fewer than the 350 or so after which
// answers were cut (boto3#3784).
const mostPoints = 300

// published is how long after its end a period may be missing without an error.
const published = 5 * time.Minute

// group asks for some metrics of one period, over a stretch.
func (b *backfill) group(ctx context.Context, group []counter, from, to time.Time) error {
	period := time.Duration(group[0].seconds) * time.Second
	for at := series.PeriodDown(from, period); at.Before(to); at = at.Add(mostPoints * period) {
		group = slices.DeleteFunc(slices.Clone(group), func(c counter) bool { return b.refused[c.name] })
		if len(group) == 0 {
			return nil
		}
		w := &window{counters: group, period: period, from: at,
			to: series.PeriodUp(series.Earlier(at.Add(mostPoints*period), to), period)}
		if err := b.read(ctx, w); err != nil {
			return err
		}
		if err := w.hand(b.now, b.keep); err != nil {
			return err
		}
	}
	return nil
}

// window holds the answers for some metrics in a stretch of whole periods.
type window struct {
	counters []counter
	period   time.Duration
	from, to time.Time
	told     map[string]*line // by metric and dimensions
}

type line struct {
	metric     string // in the service, without the statistic
	dimensions map[string]string
	values     map[int64]float64 // by the second in which a period begins
}

// read asks for a window, and again for values missing at its end and its beginning, where answers are cut.
func (b *backfill) read(ctx context.Context, w *window) error {
	w.told = map[string]*line{}
	if err := b.patiently(ctx, w, w.counters, w.from, w.to); err != nil {
		return err
	}
	for _, cut := range []func(*line) (time.Time, time.Time){w.tail, w.head} {
		for {
			short, from, to := b.short(w, cut)
			before := w.points()
			if len(short) == 0 {
				break
			}
			if err := b.patiently(ctx, w, short, from, to); err != nil {
				return err
			}
			if w.points() == before {
				break
			}
		}
	}
	for _, c := range w.counters {
		b.barren[c.name] = b.barren[c.name] || len(w.of(c).values) == 0
	}
	return nil
}

// short returns the metrics with values missing on one side of the window, and a stretch
// that covers the missing pieces.
func (b *backfill) short(w *window, cut func(*line) (time.Time, time.Time)) (short []counter, from, to time.Time) {
	var stretch runfile.Stretch
	for _, c := range w.counters {
		begin, end := cut(w.of(c))
		end = series.Earlier(end, series.PeriodDown(b.now.Add(-published), w.period))
		if !begin.Before(end) || b.barren[c.name] || b.refused[c.name] {
			continue
		}
		stretch.Extend(begin, end)
		short = append(short, c)
	}
	return short, stretch.From, stretch.To
}

// tail returns the part of the window after a line's last value, and head the part before its first. A
// line without values is all tail.
func (w *window) tail(l *line) (from, to time.Time) {
	if len(l.values) == 0 {
		return w.from, w.to
	}
	return time.Unix(slices.Max(slices.Collect(maps.Keys(l.values))), 0).Add(w.period), w.to
}

func (w *window) head(l *line) (from, to time.Time) {
	if len(l.values) == 0 {
		return w.from, w.from
	}
	return w.from, time.Unix(slices.Min(slices.Collect(maps.Keys(l.values))), 0)
}

func (w *window) points() (n int) {
	for _, l := range w.told {
		n += len(l.values)
	}
	return n
}

// of returns the series of a metric without dimensions.
func (w *window) of(c counter) *line {
	if l := w.told[key(c.name, nil)]; l != nil {
		return l
	}
	return &line{}
}

// key identifies a series. Maps print in order of their keys.
func key(metric string, dimensions map[string]string) string {
	if len(dimensions) == 0 {
		return metric
	}
	return fmt.Sprint(metric, dimensions)
}

// ask makes one request and reads all pages of its answer. If the service does not know one of the metrics, the
// request fails: then each half is tried by itself, down to the unknown metric.
func (b *backfill) ask(ctx context.Context, w *window, counters []counter, from, to time.Time) error {
	in := &pi.GetResourceMetricsInput{
		ServiceType: serviceType, Identifier: aws.String(b.cloud.Resource), StartTime: aws.Time(from),
		EndTime:         aws.Time(to),
		PeriodInSeconds: aws.Int32(int32(w.period / time.Second)), PeriodAlignment: types.PeriodAlignmentStartTime,
	}
	for _, c := range counters {
		in.MetricQueries = append(in.MetricQueries, c.query())
	}
	pages := pi.NewGetResourceMetricsPaginator(b.client, in,
		func(o *pi.GetResourceMetricsPaginatorOptions) { o.Limit, o.StopOnDuplicateToken = mostResults, true })
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if refused, is := errors.AsType[smithy.APIError](err); is && refused.ErrorCode() == "InvalidArgumentException" {
			return b.halve(ctx, w, counters, from, to, refused)
		}
		if err != nil {
			return b.explain(err)
		}
		if who := aws.ToString(page.Identifier); who != "" && who != b.cloud.Resource {
			return damaged("Performance Insights answered for another database than %s", b.instance())
		}
		if err := w.take(page.MetricList, from, to); err != nil {
			return err
		}
	}
	return nil
}

// patiently repeats a request while its answer is damaged, up to rounds times.
func (b *backfill) patiently(ctx context.Context, w *window, counters []counter, from, to time.Time) error {
	for again := 1; ; again++ {
		err := b.ask(ctx, w, counters, from, to)
		if trouble, is := errors.AsType[*account.Trouble](err); !is || trouble.Kind != account.Damaged ||
			trouble.Code == "" || again == rounds {
			return err
		}
		select {
		case <-time.After(pause << (again - 1)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (b *backfill) halve(ctx context.Context, w *window, counters []counter, from, to time.Time,
	refused smithy.APIError) error {
	if len(counters) > 1 {
		middle := len(counters) / 2
		if err := b.ask(ctx, w, counters[:middle], from, to); err != nil {
			return err
		}
		return b.ask(ctx, w, counters[middle:], from, to)
	}
	if b.refused[counters[0].name] {
		return nil
	}
	b.refused[counters[0].name] = true
	return b.keep(runfile.Gap{
		At: from, Probe: Name, Metric: counters[0].metric.Name, Reason: runfile.Unsupported, Code: refused.ErrorCode(),
		Detail: "Performance Insights does not return it: " +
			runfile.Scrub(strings.Join(strings.Fields(refused.ErrorMessage()), " ")),
	})
}

// take adds an answer to the window, without moments that have no value.
func (w *window) take(list []types.MetricKeyDataPoints, from, to time.Time) error {
	for _, m := range list {
		if m.Key == nil {
			continue
		}
		name, _ := strings.CutSuffix(aws.ToString(m.Key.Metric), ".avg")
		if !slices.ContainsFunc(w.counters, func(c counter) bool { return c.name == name }) {
			return damaged("Performance Insights returned %s, which was not requested", name)
		}
		l := w.told[key(name, m.Key.Dimensions)]
		if l == nil {
			l = &line{name, m.Key.Dimensions, map[int64]float64{}}
			w.told[key(name, m.Key.Dimensions)] = l
		}
		for _, p := range m.DataPoints {
			if p.Timestamp == nil || p.Value == nil {
				continue
			}
			at := *p.Timestamp
			if !runfile.Counted(*p.Value) || *p.Value < 0 {
				return damaged("Performance Insights returned %s at %s with the value %g", name, stamp(at), *p.Value)
			}
			if at.Before(series.PeriodDown(from, w.period)) || !at.Before(to) || series.IntoPeriod(at, w.period) != 0 {
				return damaged("Performance Insights returned %s at %s, which is not a period from %s to %s", name, stamp(at),
					stamp(from), stamp(to))
			}
			l.values[at.Unix()] = *p.Value
		}
	}
	return nil
}

// damaged returns the error for an unusable answer.
func damaged(format string, args ...any) error {
	return account.NewTrouble(account.Damaged, "Damaged", account.Clean(fmt.Sprintf(format, args...)))
}

func stamp(t time.Time) string { return t.UTC().Format("15:04:05.999") }

// hand passes on the window's values, each series in order of time.
func (w *window) hand(fetched time.Time, keep func(runfile.Record) error) error {
	for _, c := range w.counters {
		for _, k := range slices.Sorted(maps.Keys(w.told)) {
			l := w.told[k]
			if l.metric != c.name {
				continue
			}
			for _, second := range slices.Sorted(maps.Keys(l.values)) {
				from := time.Unix(second, 0).UTC()
				if err := keep(runfile.Period{
					From: from, To: from.Add(w.period), Probe: Name, Metric: Name + "/" + c.name,
					Dimensions: l.dimensions,
					Statistic:  "Average", Value: l.values[second] * c.scale, Fetched: fetched.UTC(),
				}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
