package cloudwatch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// query asks for one statistic of one series in one window.
type query struct {
	series        int // by number
	id, statistic string
	main          bool // the statistic that tells how much there was
	counts        bool // a rate or a number, which is never negative
	period        time.Duration
	first         time.Time // begin of the first wanted period
	got           []bool    // by number of the period

	// Of its last answer; empty: none.
	status   types.StatusCode // empty: it had none
	answered bool
	damage   string // its contradiction; empty: none
	messages []string
}

// The limits of one call of GetMetricData.
const (
	mostQueries = 500
	mostPoints  = 100_800
)

func (b *backfill) queries(w window) (all []*query) {
	for i, s := range b.series {
		period := max(s.period, w.finest, b.Coarse)
		first := series.PeriodDown(w.from, period)
		end := series.Earlier(series.PeriodUp(w.to, period), series.PeriodDown(b.now, period)) // unfinished ones come later
		n := int(end.Sub(first) / period)
		if n <= 0 {
			continue
		}
		for k, statistic := range s.statistics {
			all = append(all, &query{series: i, statistic: statistic, main: k == 0,
				counts: s.metric.Type != runfile.Gauge, period: period, first: first, got: make([]bool, n)})
		}
	}
	return all
}

// batches divides queries among calls. All statistics of a metric go into one call, where up to
// five are billed as one metric.
func batches(all []*query) (done [][]*query) {
	var batch []*query
	points := 0
	for ; len(all) > 0; all = all[len(same(all)):] {
		next, more := same(all), 0
		for _, q := range next {
			more += len(q.got) + int(time.Hour/q.period) // a call spans the first of all periods to the last
		}
		if len(batch) > 0 && (len(batch)+len(next) > mostQueries || points+more > mostPoints) {
			done, batch, points = append(done, batch), nil, 0
		}
		batch, points = append(batch, next...), points+more
	}
	if len(batch) > 0 {
		done = append(done, batch)
	}
	return done
}

// same returns the leading queries that are about one series.
func same(all []*query) []*query {
	n := slices.IndexFunc(all, func(q *query) bool { return q.series != all[0].series })
	if n < 0 {
		return all
	}
	return all[:n]
}

func (q *query) end() time.Time { return q.first.Add(time.Duration(len(q.got)) * q.period) }

// wants returns the begin of the first period that may still come. Points come in order, so no period before the last
// received one will, unless an answer was damaged.
func (q *query) wants() time.Time {
	last := len(q.got) - 1
	for last >= 0 && (!q.got[last] || q.damage != "") {
		last--
	}
	next := last + 1
	if next == len(q.got) {
		next = max(0, slices.Index(q.got, false))
	}
	return q.first.Add(time.Duration(next) * q.period)
}

// in returns the query in CloudWatch's form. It names no unit: one that CloudWatch lacks would find nothing.
func (q *query) in(s published) types.MetricDataQuery {
	metric := &types.Metric{Namespace: aws.String(s.namespace), MetricName: aws.String(s.name)}
	for name, value := range s.dimensions {
		metric.Dimensions = append(metric.Dimensions, types.Dimension{Name: aws.String(name), Value: aws.String(value)})
	}
	stat := &types.MetricStat{Metric: metric, Period: aws.Int32(int32(q.period / time.Second)),
		Stat: aws.String(q.statistic)}
	return types.MetricDataQuery{Id: aws.String(q.id), MetricStat: stat}
}

// take adds a point. It returns false for one that is unwanted, known already, or damaged.
func (q *query) take(at time.Time, value float64) bool {
	since := at.Sub(q.first)
	i := int(since / q.period)
	switch {
	case since%q.period != 0:
		q.damage = fmt.Sprintf("a point at %s is not at the beginning of a period", at.UTC().Format(time.RFC3339))
		return false
	case !runfile.Counted(value) || q.counts && value < 0:
		q.damage = fmt.Sprintf("the value at %s is %g", at.UTC().Format(time.RFC3339), value)
		return false
	case since < 0 || i >= len(q.got) || q.got[i]:
		return false
	}
	q.got[i] = true
	return true
}

// answer records an answer's status.
func (q *query) answer(r types.MetricDataResult) {
	q.answered, q.status = true, r.StatusCode
	if len(r.Timestamps) != len(r.Values) { // the values cannot be assigned to times
		q.damage = fmt.Sprintf("%d values for %d timestamps", len(r.Values), len(r.Timestamps))
	}
	for _, m := range r.Messages {
		text := account.Clean(aws.ToString(m.Code) + ": " + aws.ToString(m.Value))
		if !slices.Contains(q.messages, text) {
			q.messages = append(q.messages, text)
		}
	}
}

// judge returns why the query's answer is incomplete, or nil. Diagnosis and collection both use it. Stand-ins leave
// out the status of a complete answer.
func (q *query) judge() *account.Trouble {
	said := ""
	if len(q.messages) > 0 {
		said = " (" + strings.Join(q.messages, "; ") + ")"
	}
	switch {
	case q.status == types.StatusCodeForbidden:
		return account.NewTrouble(account.Denied, string(q.status), "CloudWatch denies these credentials this metric"+said)
	case !slices.Contains(q.got, false):
		return nil
	case q.damage != "":
		return account.NewTrouble(account.Damaged, "Damaged", fmt.Sprintf("CloudWatch's answer was invalid %d times: %s%s",
			rounds, q.damage, said))
	case !q.answered:
		return account.NewTrouble(account.Incomplete, "NoAnswer", fmt.Sprintf("CloudWatch left it out of %d answers", rounds))
	case q.status != types.StatusCodeComplete && q.status != "":
		return account.NewTrouble(account.Incomplete, account.Clean(string(q.status)), fmt.Sprintf("CloudWatch returned "+
			"only part of it %d times: %s%s", rounds, account.Clean(string(q.status)), said))
	default:
		return nil
	}
}

// done reports whether asking again would bring nothing more.
func (q *query) done() bool {
	trouble := q.judge()
	return trouble == nil || trouble.Kind == account.Denied
}

// record converts a point to a run file's record.
func (b *backfill) record(q *query, at time.Time, value float64, fetched time.Time) runfile.Period {
	s := b.series[q.series]
	end := at.Add(q.period)
	return runfile.Period{
		From: at.UTC(), To: end.UTC(), Probe: Name, Metric: s.metric.Name, Dimensions: s.dimensions,
		Statistic: q.statistic, Value: value * s.scale, Fetched: fetched.UTC(), Unsettled: fetched.Sub(end) < Final,
	}
}
