// Package insights asks Performance Insights about an instance of RDS or Aurora: counters of its operating system and
// of PostgreSQL, and its load by wait event. [Probe.Statements] asks it for the statements behind them.
//
// [Probe] is a probe.Backfiller. It first asks which metrics the instance has, because a missing one would fail a
// whole request. Then it asks for all of them in as few requests as the service allows, in windows of time.
// Answers have been seen to end early silently (boto3#3784), so values missing at the end of a window are asked
// for again. Values are in base units; a period without a value is left out, for the collector to notice. Data
// that the service will never have is a gap with its reason and a remedy; a failure that may pass, such as
// expired credentials, is an error.
//
// It does not interpret the counters, whose names are misleading; package catalog does.
package insights

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pi"
	"github.com/aws/aws-sdk-go-v2/service/pi/types"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
	"github.com/realiops/realiops/internal/shell"
)

// Name is the probe's name and the prefix of its metrics.
const Name = metric.Insights

// Probe asks about one instance. It serves one goroutine at a time, and may be reused.
type Probe struct {
	Now func() time.Time // the service's clock; nil: time.Now

	cloud  runfile.Cloud
	client *pi.Client
	table  []counter
}

// New returns a probe for the instance that cloud names, with the credentials of cfg. It makes no call.
func New(cfg aws.Config, cloud runfile.Cloud) *Probe {
	inRegion := func(o *pi.Options) {
		if cloud.Region != "" {
			o.Region = cloud.Region
		}
	}
	return &Probe{cloud: cloud, client: pi.NewFromConfig(cfg, inRegion), table: table(cloud)}
}

// Name returns the probe's name.
func (p *Probe) Name() string { return Name }

// Metrics lists the metrics of the instance's engine.
func (p *Probe) Metrics() (all []runfile.Metric) {
	for _, c := range p.table {
		all = append(all, c.metric)
	}
	return all
}

// Backfill passes on the service's data on the periods that overlap [from, to). It returns an error if a later
// attempt may bring more, and passes on a gap if it will not.
func (p *Probe) Backfill(ctx context.Context, from, to time.Time, keep func(runfile.Record) error) error {
	b := &backfill{Probe: p, keep: keep, now: p.now(), barren: map[string]bool{}, refused: map[string]bool{}}
	to = series.Earlier(to, b.now)
	if !from.Before(to) {
		return nil
	}
	if gap, off := p.off(from); off {
		return keep(gap)
	}
	from, gap := p.kept(from, to, b.now)
	if gap != nil {
		if err := keep(*gap); err != nil || !from.Before(to) {
			return err
		}
	}
	err := b.all(ctx, from, to)
	if trouble, is := errors.AsType[*account.Trouble](err); is && lasting(trouble.Kind) {
		return keep(runfile.Gap{At: from, Probe: Name, Reason: trouble.Reason(), Code: trouble.Code,
			Detail: trouble.Error()})
	}
	return err
}

func (p *Probe) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

// off returns a gap if the instance cannot be asked.
func (p *Probe) off(at time.Time) (runfile.Gap, bool) {
	gap := runfile.Gap{At: at, Probe: Name, Reason: runfile.Disabled}
	switch {
	case p.cloud.Resource == "":
		gap.Reason = runfile.Failed
		gap.Detail = "the DbiResourceId of " + p.instance() +
			" is unknown, which Performance Insights needs; realiops doctor says why"
	case !p.cloud.Insights:
		gap.Detail = "Performance Insights is off on " + p.instance() + ": " + p.switchOn()
	default:
		return gap, false
	}
	return gap, true
}

func (p *Probe) instance() string {
	if p.cloud.Instance == "" {
		return "the instance"
	}
	return p.cloud.Instance
}

// switchOn says how to enable Performance Insights, which needs no restart.
func (p *Probe) switchOn() string {
	if p.cloud.Instance == "" {
		return "switch it on in the RDS console"
	}
	return shell.InText("aws rds modify-db-instance --enable-performance-insights").
		Flag("--db-instance-identifier", p.cloud.Instance, "INSTANCE").String() + " switches it on"
}

// daysKept is the retention of the free tier.
const daysKept = 7

// kept returns the later part of a stretch that the service still has, and a gap for the earlier one.
func (p *Probe) kept(from, to, now time.Time) (time.Time, *runfile.Gap) {
	const margin = time.Minute // for the request itself
	days := max(p.cloud.InsightsDays, daysKept)
	since := now.AddDate(0, 0, -days).Add(margin)
	if !from.Before(since) {
		return from, nil
	}
	words := "a part of this"
	if !to.After(since) {
		words, since = "this", to
	}
	detail := fmt.Sprintf("Performance Insights of %s keeps %d days, but %s is older (from %s on) and is gone",
		p.instance(), days, words, from.UTC().Format("2006-01-02 15:04"))
	return since, &runfile.Gap{At: from, Probe: Name, Reason: runfile.Late, Detail: detail}
}

// backfill is one Backfill in progress.
type backfill struct {
	*Probe
	keep func(runfile.Record) error
	now  time.Time
	// barren holds metrics without data in a window that was asked for twice: later windows are asked for once.
	barren map[string]bool
	// refused holds metrics that the service lists but does not answer for.
	refused map[string]bool
}

// all asks for everything, in groups of metrics with the same period, and passes it on window by window.
func (b *backfill) all(ctx context.Context, from, to time.Time) error {
	has, err := b.available(ctx)
	if err != nil {
		return err
	}
	bySeconds := map[int][]counter{}
	var load []counter // it is in no instance's list
	for _, c := range b.table {
		if c.waits {
			load = append(load, c)
			continue
		}
		if !has[c.name] {
			gap := runfile.Gap{At: from, Probe: Name, Metric: c.metric.Name, Reason: runfile.Unsupported,
				Detail: b.instance() + " has no such counter"}
			if err := b.keep(gap); err != nil {
				return err
			}
			continue
		}
		bySeconds[c.seconds] = append(bySeconds[c.seconds], c)
	}
	for _, seconds := range []int{60, 1} {
		for group := range slices.Chunk(bySeconds[seconds], mostQueries) {
			if err := b.group(ctx, group, from, to); err != nil {
				return err
			}
		}
	}
	return b.group(ctx, load, from, to)
}

func (b *backfill) available(ctx context.Context) (map[string]bool, error) {
	has := map[string]bool{}
	pages := pi.NewListAvailableResourceMetricsPaginator(b.client, &pi.ListAvailableResourceMetricsInput{
		ServiceType: serviceType, Identifier: aws.String(b.cloud.Resource), MetricTypes: []string{"os", "db"},
	}, func(o *pi.ListAvailableResourceMetricsPaginatorOptions) {
		o.Limit, o.StopOnDuplicateToken = mostResults, true
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, b.explain(err)
		}
		for _, m := range page.Metrics {
			if name := aws.ToString(m.Metric); name != "" {
				has[name] = true
			}
		}
	}
	if len(has) == 0 { // every instance has some: the answer is wrong
		return nil, account.NewTrouble(account.NoPoints, "nothing", "Performance Insights lists no metrics of "+b.instance())
	}
	return has, nil
}

// explain separates lasting errors from passing ones.
func (p *Probe) explain(err error) error {
	told := account.Explain(err)
	switch trouble, is := errors.AsType[*account.Trouble](told); {
	case !is || trouble.Kind != account.Denied:
		return fmt.Errorf("ask Performance Insights: %w", told)
	case trouble.Code == "NotAuthorizedException" && !strings.Contains(err.Error(), "is not authorized to perform"):
		// The answer for an instance on which it is off: zalando/rds-health#6
		return account.NewTrouble(account.Off, trouble.Code, fmt.Sprintf("Performance Insights does not know %s; it is off "+
			"there (%s), or the credentials are for another account or region", p.instance(), p.switchOn()))
	default:
		return trouble
	}
}

// lasting reports whether asking again gets the same answer.
func lasting(k account.Kind) bool {
	return k == account.Denied || k == account.Off || k == account.NoPoints
}

// lately is the span that [Probe.Try] asks for.
const lately = 10 * time.Minute

// Try makes each call of a collection once, for the newest points, and judges the answers as a collection does. The
// errors say what a collection would not get of the list of counters, and of their values.
func (p *Probe) Try(ctx context.Context) (list, values error) {
	var refusal runfile.Gap
	b := &backfill{Probe: p, now: p.now(), barren: map[string]bool{}, refused: map[string]bool{},
		keep: func(r runfile.Record) error {
			refusal, _ = r.(runfile.Gap)
			return nil
		}}
	has, list := b.available(ctx)
	counters := slices.DeleteFunc(slices.Clone(p.table), func(c counter) bool {
		return c.waits || list == nil && !has[c.name]
	})
	counters = counters[:min(len(counters), mostQueries)]
	w := &window{counters: counters, period: time.Minute, told: map[string]*line{},
		to: series.PeriodDown(b.now, time.Minute)}
	w.from = w.to.Add(-lately)
	if len(counters) == 0 {
		return list, account.NewTrouble(account.NoPoints, "nothing", "Performance Insights of "+p.instance()+" lists no "+
			"counter that a run needs")
	}
	values = b.patiently(ctx, w, counters, w.from, w.to)
	switch {
	case values != nil:
	case len(b.refused) == len(counters):
		values = account.NewTrouble(account.Other, refusal.Code, refusal.Detail)
	case w.points() == 0:
		values = account.NewTrouble(account.NoPoints, "nothing",
			fmt.Sprintf("Performance Insights has no points of %s for the last %.0f minutes; was it just switched on, and is "+
				"the instance running?", p.instance(), lately.Minutes()))
	}
	return list, values
}

// counter is a metric of the service, and its conversion to ours.
type counter struct {
	name    string // in the service, without a statistic
	metric  runfile.Metric
	scale   float64 // factor for the service's values
	seconds int     // its period
	waits   bool    // divided by wait event
}

func (c counter) query() types.MetricQuery {
	q := types.MetricQuery{Metric: aws.String(c.name + ".avg")}
	if c.waits {
		q.GroupBy = &types.DimensionGroup{Group: aws.String("db.wait_event"), Limit: aws.Int32(mostParts)}
	}
	return q
}

// table returns the metrics of an instance that concern writing and time. Operating system counters come every
// second if Enhanced Monitoring does; PostgreSQL's every minute. The first is the database's load: the mean number
// of sessions working or waiting.
func table(cloud runfile.Cloud) (all []counter) {
	flavor := "rds"
	if cloud.Aurora() {
		flavor = "aurora"
	}
	for _, m := range metric.Meanings() {
		if m.Service != Name || m.On != flavor || m.Unread {
			continue
		}
		_, _, scale := m.InBase()
		c := counter{name: m.Metric, metric: m.Row().Announced(), scale: scale, seconds: metric.Minute,
			waits: m.Metric == loadName}
		if strings.HasPrefix(c.name, "os.") && cloud.MonitoringSeconds == 1 {
			c.seconds = 1
		}
		c.metric.Period = float64(c.seconds)
		all = append(all, c)
	}
	return all
}

// loadName is the load of the database, which is divided by wait events.
const loadName = "db.load"
