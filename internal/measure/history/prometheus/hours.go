package prometheus

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Hours returns the store's data on some databases.
func (f *Fleet) Hours(ctx context.Context, databases []fleet.Database, from, to time.Time) ([]history.Data, error) {
	data := make([]history.Data, len(databases))
	batches := map[string]*batch{}
	for i, database := range databases {
		m := f.members[database.Name]
		for _, why := range []string{m.trouble, m.again, m.of.caveat} {
			if why != "" {
				data[i].Gaps = append(data[i].Gaps, runfile.Gap{At: from, Probe: cmp.Or(m.of.probe, "block"),
					Reason: runfile.Absent, Detail: why})
			}
		}
		if m.trouble != "" {
			continue
		}
		several := ""
		if len(m.devices) > 1 {
			several = "several disks"
		}
		key := strings.Join([]string{several, m.of.exporter, m.of.label, m.of.exists, m.of.among,
			strings.Join(m.labels, ","), strings.Join(m.without, ",")}, "\x00")
		if batches[key] == nil {
			batches[key] = &batch{fleet: f, of: m, from: from, to: to, data: map[string]*history.Data{},
				infos: map[string]map[string]diskInfo{}}
		}
		for _, set := range m.sets {
			batches[key].data[tuple(set, m.labels)], batches[key].infos[tuple(set, m.labels)] = &data[i], m.infos
		}
		batches[key].sets = append(batches[key].sets, m.sets...)
	}
	for _, key := range slices.Sorted(maps.Keys(batches)) {
		if err := batches[key].ask(ctx); err != nil {
			return nil, err
		}
		if err := batches[key].compare(ctx); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// batch is a query for some databases of one exporter.
type batch struct {
	fleet    *Fleet
	of       member // one of them
	sets     []labelSet
	from, to time.Time
	data     map[string]*history.Data       // by the labels' values
	infos    map[string]map[string]diskInfo // likewise
}

func (b *batch) ask(ctx context.Context) error {
	twelfths, err := b.hours(ctx, covered, b.of.of.exists)
	if err != nil {
		return err
	}
	whole := wholeHours(twelfths)
	if err := b.dropResets(ctx, whole); err != nil {
		return err
	}
	below, err := b.belowNought(ctx)
	if err != nil {
		return err
	}
	mended := map[string]map[instant]bool{}
	for _, part := range b.of.of.parts {
		values, err := b.hours(ctx, part.query, part.names...)
		if err != nil {
			return err
		}
		if err := b.mend(ctx, part, values, below, mended); err != nil {
			return err
		}
		for name, of := range values {
			b.keep(b.data[name], part, of, whole[name])
		}
	}
	for name, data := range b.data {
		if len(whole[name]) > 0 && len(data.Periods) == 0 {
			b.lacks(name, "no hour has two samples: it is scraped less than every half hour, or restarts all the time")
		}
	}
	for name, hours := range mended {
		b.lacks(name, "in %d h some samples were invalid (negative, infinite or not a number) and were skipped", len(hours))
	}
	return nil
}

// lacks records a gap of a database.
func (b *batch) lacks(name, format string, values ...any) {
	if data := b.data[name]; data != nil {
		data.Gaps = append(data.Gaps, runfile.Gap{At: b.from, Probe: b.of.of.probe, Reason: runfile.Absent,
			Detail: fmt.Sprintf(format, values...)})
	}
}

// dropResets drops hours with several counter resets, each of which loses the growth since the scrape before it.
func (b *batch) dropResets(ctx context.Context, whole map[string]map[instant]bool) error {
	if b.of.of.counts == "" {
		return nil
	}
	often, err := b.hours(ctx, resets, b.of.of.exists)
	for name, hours := range often {
		for _, h := range hours {
			delete(whole[name], h.Timestamp)
		}
		b.lacks(name, "in %d h its counters were reset several times, so activity then is unknown", len(hours))
	}
	return err
}

// belowNought returns the hours of each database in which one of its gauges is negative. Counters never are.
func (b *batch) belowNought(ctx context.Context) (map[string]map[instant]bool, error) {
	if b.of.of.counts != "" {
		return nil, nil //nolint:nilnil // there are none
	}
	var names []string
	for _, part := range b.of.of.parts {
		for _, name := range part.names {
			name, _, _ = strings.Cut(name, "{")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	hours, err := b.hours(ctx, negative, "{"+anyOf("__name__", slices.Compact(names))+"}")
	below := map[string]map[instant]bool{}
	for name, of := range hours {
		below[name] = map[instant]bool{}
		for _, v := range of {
			below[name][v.Timestamp] = true
		}
	}
	return below, err
}

// mend computes hours with invalid samples from the valid ones, and notes them.
func (b *batch) mend(ctx context.Context, part hourly, values map[string][]samplePair, below,
	mended map[string]map[instant]bool) error {
	odd := func(name string, v samplePair) bool {
		return !(v.Value >= 0 && runfile.Counted(v.Value)) || below[name][v.Timestamp]
	}
	query, any := ofAmounts(part.query), false
	for name, of := range values {
		any = any || slices.ContainsFunc(of, func(v samplePair) bool { return odd(name, v) })
	}
	if !any || query == part.query {
		return nil
	}
	amounts, err := b.hours(ctx, query, part.names...)
	if err != nil {
		return err
	}
	for name, of := range values {
		for i, v := range of {
			if !odd(name, v) {
				continue
			}
			of[i].Value = math.NaN()
			if k := slices.IndexFunc(amounts[name], func(o samplePair) bool {
				return o.Timestamp == v.Timestamp
			}); k >= 0 {
				of[i].Value = amounts[name][k].Value
				if mended[name] == nil {
					mended[name] = map[instant]bool{}
				}
				mended[name][v.Timestamp] = true
			}
		}
	}
	return nil
}

// keep makes periods of a query's answer about a database. It keeps only complete hours, since a mean over some
// minutes would pass for the hour's.
func (b *batch) keep(data *history.Data, part hourly, values []samplePair, whole map[instant]bool) {
	if data == nil {
		return
	}
	if row := metric.All().Row(part.ours).InPeriods(time.Hour); !slices.ContainsFunc(data.Metrics,
		func(m runfile.Metric) bool {
			return m.Name == row.Name
		}) {
		row.Caveat = strings.TrimPrefix(row.Caveat+"; each period is made of an hour of "+part.names[0]+
			", by the store", "; ")
		data.Metrics = append(data.Metrics, row)
	}
	for _, v := range values {
		if !runfile.Counted(v.Value) || !whole[v.Timestamp] {
			continue
		}
		end := v.Timestamp.Time().UTC()
		data.Periods = append(data.Periods, runfile.Period{From: end.Add(-time.Hour), To: end, Probe: b.of.of.probe,
			Metric: part.ours, Statistic: part.statistic, Value: v.Value, Fetched: b.to})
	}
}

// wholeHours returns the hours in which nearly as many twelfths have samples as usual, which is all unless the scrape
// interval is long. The interval may change, so each hour is judged by the hours around it.
func wholeHours(twelfths map[string][]samplePair) map[string]map[instant]bool {
	const (
		around = 6
		all    = 12
	)
	whole := map[string]map[instant]bool{}
	for name, hours := range twelfths {
		whole[name] = map[instant]bool{}
		for i, h := range hours {
			var usual []float64
			for _, other := range hours[max(0, i-around):min(len(hours), i+around+1)] {
				usual = append(usual, min(all, other.Value))
			}
			slices.Sort(usual)
			whole[name][h.Timestamp] = h.Value >= runfile.MostOfHour*usual[len(usual)/2]
		}
	}
	return whole
}

// hours queries a value at the end of each hour, for all databases of the batch.
func (b *batch) hours(ctx context.Context, query string, names ...string) (map[string][]samplePair, error) {
	matrix, err := b.matrix(ctx, query, names...)
	all := map[string][]samplePair{}
	for _, stream := range matrix {
		all[tuple(stream.Metric, b.of.labels)] = stream.Values
	}
	return all, err
}

func (b *batch) matrix(ctx context.Context, query string, names ...string) ([]*sampleStream, error) {
	m := b.of
	matchers := []string{b.fleet.matchers(m.of)}
	var labels []string
	for _, l := range m.labels {
		labels = append(labels, l)
		matchers = append(matchers, anyOf(l, allOf(b.sets, l)))
	}
	if len(m.without) > 0 {
		matchers = append(matchers, deviceLabel+"!~"+alternatives(m.without))
	}
	return b.fleet.rangeOf(ctx, m.of.query(query, labels, matchers, names...), b.from, b.to)
}
