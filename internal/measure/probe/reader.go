package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// patience bounds a call: a longer reading has no definite time.
	patience = 2 * time.Second
	// grace is how long a sampler may take to return after its deadline before the clock goes on without it.
	grace = 200 * time.Millisecond
)

// reader calls one sampler, never concurrently, and turns its samples into records. One goroutine owns it.
type reader struct {
	sampler  Sampler
	counters []string
	asked    chan chan struct{} // ReadAll's requests; closed when the reading is recorded

	overdue <-chan answer      // a call that has exceeded its deadline; nil: none
	open    map[kind]bool      // the gaps of the last reading
	last    map[string]float64 // the counters as last read
}

type answer struct {
	sample Sample
	err    error
}

// kind identifies a gap. The detail is left out, since it may contain a port or a time.
type kind struct {
	metric string
	reason runfile.Reason
	code   string
}

func newReader(s Sampler) *reader {
	r := &reader{sampler: s, asked: make(chan chan struct{}), last: map[string]float64{}}
	for _, m := range s.Metrics() {
		if m.Type == runfile.Counter {
			r.counters = append(r.counters, m.Name)
		}
	}
	return r
}

// wait returns nil when due, the channel to close when ReadAll asks, and false when ctx has ended.
func (r *reader) wait(ctx context.Context, due time.Time) (chan struct{}, bool) {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, false
	case edge := <-r.asked:
		return edge, true
	case <-timer.C:
		return nil, true
	}
}

// read returns the records of one reading: new gaps, counters that fell, and the values. It
// returns none if ctx ended meanwhile.
func (r *reader) read(ctx context.Context) (all []runfile.Record) {
	began := time.Now()
	sample, err := r.call(ctx)
	took := time.Since(began)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		sample = Sample{Gaps: []runfile.Gap{GapOf(err)}}
	}
	at := began.Add(took / 2).UTC()
	for _, gap := range slices.Concat(r.fresh(sample.Gaps), r.resets(sample.Values)) {
		gap.At, gap.Probe = at, r.sampler.Name()
		all = append(all, gap)
	}
	if len(sample.Values) == 0 {
		return all
	}
	return append(all, runfile.Reading{At: at, Took: took.Seconds(), Probe: r.sampler.Name(), Values: sample.Values})
}

// call asks the sampler, unless it still hangs in the last call.
func (r *reader) call(ctx context.Context) (Sample, error) {
	if r.overdue != nil {
		select {
		case <-r.overdue:
			r.overdue = nil
		default:
			return Sample{}, late("an earlier reading is still waiting")
		}
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	answers := make(chan answer, 1)
	go func() {
		defer cancel()
		sample, err := r.sampler.Sample(limited)
		if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
			err = late(fmt.Sprintf("no answer within %s: %v", printable.Duration(patience), err))
		}
		answers <- answer{sample, err}
	}()
	return r.await(ctx, answers)
}

func (r *reader) await(ctx context.Context, answers <-chan answer) (Sample, error) {
	limit := time.NewTimer(patience + grace)
	defer limit.Stop()
	select {
	case a := <-answers:
		return a.sample, a.err
	case <-limit.C:
		r.overdue = answers
		return Sample{}, late(fmt.Sprintf("no answer within %s; the reading is still waiting", printable.Duration(patience)))
	case <-ctx.Done():
	}
	limit.Reset(grace)
	select {
	case <-answers:
	case <-limit.C:
	}
	return Sample{}, ctx.Err()
}

func late(what string) error { return &Error{Reason: runfile.Late, Err: errors.New(what)} }

// fresh drops the gaps of the last reading, so that a lasting one is recorded once.
func (r *reader) fresh(gaps []runfile.Gap) []runfile.Gap {
	var fresh []runfile.Gap
	open := map[kind]bool{}
	for _, gap := range gaps {
		k := kind{gap.Metric, gap.Reason, gap.Code}
		if !r.open[k] && !open[k] {
			fresh = append(fresh, gap)
		}
		open[k] = true
	}
	r.open = open
	return fresh
}

// resets returns gaps for the counters that fell: they were reset, the server restarted after a
// crash, or a number wrapped around.
func (r *reader) resets(values map[string]float64) (fell []runfile.Gap) {
	for _, name := range r.counters {
		now, read := values[name]
		if !read {
			continue
		}
		if before, known := r.last[name]; known && now < before {
			detail := "fell from " + plain(before) + " to " + plain(now)
			fell = append(fell, runfile.Gap{Metric: name, Reason: runfile.Reset, Detail: detail})
		}
		r.last[name] = now
	}
	return fell
}

// plain formats a counter without an exponent.
func plain(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
