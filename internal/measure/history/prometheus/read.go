package prometheus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

const (
	// chunk is the length of a series that one request covers.
	chunk = 6 * time.Hour
	// mostValues bounds memory: it exceeds thirty days of minutes of all known metrics.
	mostValues = 2_000_000
)

// Read reads the raw samples of found metrics.
func (s *Store) Read(ctx context.Context, found []Found, q Query, now time.Time) (*history.Data, error) {
	r := reading{store: s, now: now, at: map[string]map[int64]map[string]float64{},
		of: map[remark][]string{}}
	for _, f := range found {
		if err := r.metric(ctx, f, q); err != nil {
			return nil, err
		}
	}
	if q.Host == "" {
		r.noteOtherMachine(found)
	}
	return r.history()
}

// noteOtherMachine says that the disks are of a machine under another name than the server's exporters. It may be
// another machine, such as the one that the exporter runs on.
func (r *reading) noteOtherMachine(found []Found) {
	disk := slices.IndexFunc(found, func(f Found) bool { return ofHost(f.Exporter) })
	server := slices.IndexFunc(found, func(f Found) bool { return !ofHost(f.Exporter) })
	if disk < 0 || server < 0 || slices.ContainsFunc(found, func(f Found) bool {
		return !ofHost(f.Exporter) && slices.ContainsFunc(f.hosts(), func(host string) bool {
			return slices.Contains(found[disk].hosts(), host)
		})
	}) {
		return
	}
	r.notice("The disk is of %s, the store's only machine, but PostgreSQL's exporter is %s; confirm the machine with "+
		"--host", found[disk].Instance, found[server].Instance)
}

type reading struct {
	store  *Store
	now    time.Time
	out    history.Data
	at     map[string]map[int64]map[string]float64 // by exporter and millisecond
	values int
	series []summed
	of     map[remark][]string // what the same is said of
}

// remark is a notice about several metrics or exporters, which are named in between.
type remark struct{ before, after string }

// about adds a name to a remark.
func (r *reading) about(what remark, name string) {
	if !slices.Contains(r.of[what], name) {
		r.of[what] = append(r.of[what], name)
	}
}

// metric reads a metric in chunks, and adds its series up.
func (r *reading) metric(ctx context.Context, f Found, q Query) error {
	parts := map[string]*part{}
	for from := q.From; from.Before(q.To); from = from.Add(chunk) {
		to := series.Earlier(from.Add(chunk), q.To)
		if err := r.chunk(ctx, f, from, to, parts); err != nil {
			return err
		}
	}
	announced := metric.All().Row(f.Ours).Announced()
	caveat := "read from a store, as " + f.Exporter + " exports it: " + f.Name
	if f.Sum != "" {
		caveat += ", added up over " + f.Sum
	}
	if f.Times != 0 {
		caveat += fmt.Sprintf(", times %g", f.Times)
	}
	announced.Caveat = strings.TrimPrefix(announced.Caveat+"; "+caveat, "; ")
	r.out.Metrics = append(r.out.Metrics, announced)
	once, err := oneServer(f, sortedParts(parts))
	if err != nil {
		return err
	}
	if len(once) < len(parts) {
		r.about(remark{"Several replicas or jobs scraped the same server, and one of them counts: ", "."}, f.Exporter)
	}
	if strings.Contains(f.Instance, ", ") {
		r.about(remark{f.Exporter + " has changed its address, and the samples of all addresses are joined: ", "."},
			f.Instance)
	}
	r.add(f, once)
	r.summed(f, once)
	return nil
}

// chunk reads one stretch. It rejects answers that the store calls incomplete, since a sum
// without some series would be too low.
func (r *reading) chunk(ctx context.Context, f Found, from, to time.Time, parts map[string]*part) error {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	found, warnings, err := r.store.source.at(within, fmt.Sprintf("%s[%dms]", f.selector, to.Sub(from).Milliseconds()),
		to)
	if err != nil {
		return r.store.explain(ctx, err)
	}
	if len(warnings) > 0 {
		detail := "the store marked its answer as incomplete: " + strings.Join(warnings, "; ")
		r.out.Gaps = append(r.out.Gaps, runfile.Gap{At: from.UTC(), Probe: f.Exporter, Metric: f.Ours,
			Reason: runfile.Failed, Code: "warning", Detail: detail})
		r.about(remark{"The store returned only part of ", " at times, which is left out: " + strings.Join(warnings, "; ")},
			f.Name)
		return nil
	}
	if found.Type != matrix {
		return fmt.Errorf("%s returned a %s instead of samples", r.store.host, found.kind())
	}
	for _, stream := range found.Series {
		r.take(f, stream, parts)
	}
	if r.values > mostValues {
		return fmt.Errorf("the history has more than %d million values; ask for less with --for", mostValues/1_000_000)
	}
	return nil
}

// take adds the samples of a series, separately for each replica of a Prometheus.
func (r *reading) take(f Found, stream *sampleStream, parts map[string]*part) {
	labels := maps.Clone(stream.Metric)
	var replica []string
	for _, name := range replicaLabels {
		replica = append(replica, labels[name])
		delete(labels, name)
	}
	key := strings.Join(replica, ",") + "\x00" + labels.String()
	if parts[key] == nil {
		delete(labels, metricName)
		parts[key] = &part{labels, map[int64]float64{}}
	}
	for _, sample := range stream.Values {
		switch v := sample.Value * cmp.Or(f.Times, 1); {
		case sample.Timestamp.Time().After(r.now):
			r.about(remark{"Skipped samples in the future by this machine's clock, of ", "."}, f.Name)
		case !(v >= 0 && runfile.Counted(v)):
			r.about(remark{"Left out samples that are negative, infinite or not a number, of ", "."}, f.Name)
		default:
			parts[key].values[int64(sample.Timestamp)] = v
			r.values++
		}
	}
}

func (r *reading) notice(format string, values ...any) {
	if text := fmt.Sprintf(format, values...); !slices.Contains(r.out.Notices, text) {
		r.out.Notices = append(r.out.Notices, text)
	}
}

// add adds the series of a metric up, at the moments that none of them skips. When a series comes or goes, the sum is
// reset: a database was created or dropped, an exporter changed, or a label.
func (r *reading) add(f Found, parts []*part) {
	type sum struct {
		value float64
		of    string
	}
	sums := map[int64]sum{}
	for i, p := range parts {
		for at, v := range p.values {
			before := sums[at]
			sums[at] = sum{before.value + v, before.of + string(rune(i+1))}
		}
	}
	moments := slices.Sorted(maps.Keys(sums))
	for _, p := range parts {
		for _, at := range p.skipped(moments) {
			delete(sums, at)
		}
	}
	if r.at[f.Exporter] == nil {
		r.at[f.Exporter] = map[int64]map[string]float64{}
	}
	last := ""
	for _, at := range slices.Sorted(maps.Keys(sums)) {
		now := sums[at]
		if last != "" && now.of != last {
			r.out.Gaps = append(r.out.Gaps, runfile.Gap{At: moment(at - 1), Probe: f.Exporter, Metric: f.Ours,
				Reason: runfile.Reset, Code: "series",
				Detail: "its series changed: a database was created or dropped, or a label changed"})
		}
		last = now.of
		if r.at[f.Exporter][at] == nil {
			r.at[f.Exporter][at] = map[string]float64{}
		}
		r.at[f.Exporter][at][f.Ours] = now.value
	}
}

func moment(at int64) time.Time { return time.UnixMilli(at).UTC() }

// history sorts the readings.
func (r *reading) history() (*history.Data, error) {
	for exporter, at := range r.at {
		moments := slices.Sorted(maps.Keys(at))
		var apart []time.Duration
		for i, m := range moments {
			r.out.Readings = append(r.out.Readings, runfile.Reading{At: moment(m), Probe: exporter, Values: at[m]})
			if i > 0 {
				apart = append(apart, time.Duration(m-moments[i-1])*time.Millisecond)
			}
		}
		r.out.Interval = max(r.out.Interval, usualInterval(apart))
	}
	r.noteCut()
	for _, what := range slices.SortedFunc(maps.Keys(r.of), func(a, b remark) int {
		return strings.Compare(a.before+a.after, b.before+b.after)
	}) {
		r.notice("%s", what.before+printable.Listed(r.of[what])+what.after)
	}
	if r.out.Interval == 0 {
		why := ""
		if len(r.out.Notices) > 0 {
			why = ": " + r.out.Notices[0]
		}
		return nil, errors.New("the store has no two samples of any metric in that time" + why)
	}
	slices.SortFunc(r.out.Readings, func(a, b runfile.Reading) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Probe, b.Probe))
	})
	slices.SortFunc(r.out.Gaps, func(a, b runfile.Gap) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Metric, b.Metric))
	})
	return &r.out, nil
}

// usualInterval returns the scrape interval that nine tenths of the scrapes keep; if it changed, the longer one. A
// stretch without scrapes does not count.
func usualInterval(apart []time.Duration) time.Duration {
	const (
		silence = 10  // times the median
		nearly  = 0.9 // of the time
	)
	slices.Sort(apart)
	if len(apart) == 0 {
		return 0
	}
	median := apart[len(apart)/2]
	apart = slices.DeleteFunc(apart, func(d time.Duration) bool { return d > silence*median })
	var all, upTo time.Duration
	for _, d := range apart {
		all += d
	}
	for _, d := range apart {
		if upTo += d; float64(upTo) >= nearly*float64(all) {
			return d
		}
	}
	return median
}
