// Package collect asks a run's sources with delayed data, repeatedly, until their answers no longer change.
//
// A source's first value of a period is late and too low; it is corrected for ten minutes and more. So a period has
// settled when two readings some minutes apart agree, the later one long enough after its end; [Rules] has these
// times. A settled period is recorded immediately and never asked for again. When the patience or the user's ends,
// the rest is recorded as unsettled, and a later collection continues from the file (see [Read]).
package collect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Collector asks sources about a run.
type Collector struct {
	Sources []probe.Backfiller
	Rules   Rules
	// File is the content of the run file so far.
	File *File
	// Record appends a record to the file. An error from it ends the collection.
	Record func(runfile.Record) error
	// Tell is called with the progress at the begin of a wait and during it; it may be nil.
	Tell func(Progress)
	Now  func() time.Time
	Wait func(context.Context, time.Duration) error
}

// Progress is the state of a collection.
type Progress struct {
	Source  string // the first one that is waited for
	Settled int    // metrics without open periods
	Metrics int
	Left    time.Duration // at least
}

// Outcome is the result of a collection.
type Outcome struct {
	Metrics   int // requested
	Settled   int // without open periods
	Periods   int // recorded
	Unsettled int // of these, still open
}

// UnansweredError counts the metrics that sources failed to return; a later collection asks again.
type UnansweredError struct {
	Metrics, Of int
	Reasons     []string
}

func (e *UnansweredError) Error() string {
	text := fmt.Sprintf("AWS did not answer for %d of %d metrics: %s", e.Metrics, e.Of, e.Reasons[0])
	if more := len(e.Reasons) - 1; more > 0 {
		text += "; the report has " + printable.Counted(more, "more reason")
	}
	return text
}

// look is the interval of progress reports.
const look = 10 * time.Second

// Run asks until all has settled, patience after the end of the data is over, or ctx ends. It always records what it
// has read; the error says which source failed, or why it ended.
func (c *Collector) Run(ctx context.Context) (Outcome, error) {
	states, err := c.open()
	if err != nil {
		return Outcome{}, err
	}
	over := c.Now()
	for _, l := range states {
		over = series.Later(over, l.span.To) // the rest after a run may not be over
	}
	deadline := over.Add(c.Rules.Patience)
	var failed []error
	for {
		failed = append(failed, c.pass(ctx, states)...)
		next, open := earliest(states)
		if !open || ctx.Err() != nil || next.After(deadline) || c.await(ctx, states, next) != nil {
			break
		}
	}
	failed = append(failed, c.close(states))
	if ctx.Err() == nil {
		return c.outcome(states), errors.Join(append(failed, unanswered(states))...)
	}
	if err = errors.Join(failed...); !errors.Is(err, errRecord) {
		err = nil // the errors of interrupted calls say nothing new
	}
	return c.outcome(states), errors.Join(context.Cause(ctx), err)
}

func unanswered(states []*sourceState) error {
	e := &UnansweredError{}
	for _, l := range states {
		reasons, metrics := l.unanswered()
		e.Metrics, e.Of = e.Metrics+metrics, e.Of+len(l.metrics)
		e.Reasons = append(e.Reasons, reasons...)
	}
	if e.Metrics == 0 {
		return nil
	}
	return e
}

// errRecord says that the file cannot be written, so that further calls are in vain.
var errRecord = errors.New("write the collected metrics")

// open creates the state of each source, and announces metrics that the file lacks.
func (c *Collector) open() (states []*sourceState, err error) {
	for _, source := range c.Sources {
		l := newSourceState(source, c.File.spanOf(source), c.Rules)
		for _, m := range source.Metrics() {
			if c.File.announced[m.Name] {
				continue
			}
			if err := c.record(m); err != nil {
				return nil, err
			}
			c.File.announced[m.Name] = true
		}
		c.File.replay(l)
		states = append(states, l)
	}
	return states, nil
}

// pass asks each source once for all open periods. A source that fails is not asked again; its data is kept.
func (c *Collector) pass(ctx context.Context, states []*sourceState) (failed []error) {
	for _, l := range states {
		stretch, open := l.open()
		if !open || l.failed || ctx.Err() != nil {
			continue
		}
		if err := c.ask(ctx, l, stretch); err != nil {
			l.failed = true
			failed = append(failed, fmt.Errorf("collect from %s: %w", l.source.Name(), err))
		}
	}
	return failed
}

func (c *Collector) ask(ctx context.Context, l *sourceState, s runfile.Stretch) error {
	for _, m := range l.metrics {
		m.unanswered = nil
	}
	err := l.source.Backfill(ctx, s.From, s.To, func(r runfile.Record) error {
		switch r := r.(type) {
		case runfile.Period:
			if settled, isNew := l.read(r, c.Now()); isNew {
				l.periods++
				return c.record(settled)
			}
		case runfile.Gap:
			if l.gap(r, c.Now()) {
				return c.record(r)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	l.missed(s, c.Now())
	return nil
}

func (c *Collector) record(r runfile.Record) error {
	if err := c.Record(r); err != nil {
		return fmt.Errorf("%w: %w", errRecord, err)
	}
	return nil
}

// await waits until all open periods could have settled.
func (c *Collector) await(ctx context.Context, states []*sourceState, until time.Time) error {
	for left := until.Sub(c.Now()); left > 0; left = until.Sub(c.Now()) {
		if c.Tell != nil {
			c.Tell(progressOf(states, left))
		}
		if err := c.Wait(ctx, min(left, look)); err != nil {
			return err
		}
	}
	return nil
}

// close records unsettled and missing periods.
func (c *Collector) close(states []*sourceState) error {
	for _, l := range states {
		for _, p := range l.unsettled() {
			l.periods++
			if err := c.record(p); err != nil {
				return err
			}
		}
		for _, gap := range l.lacking(c.Now()) {
			if err := c.record(gap); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Collector) outcome(states []*sourceState) (o Outcome) {
	for _, l := range states {
		settled, metrics := l.settled()
		o.Settled, o.Metrics = o.Settled+settled, o.Metrics+metrics
		o.Periods, o.Unsettled = o.Periods+l.periods, o.Unsettled+l.left
	}
	return o
}

func progressOf(states []*sourceState, left time.Duration) Progress {
	p := Progress{Left: left}
	for _, l := range states {
		settled, metrics := l.settled()
		p.Settled, p.Metrics = p.Settled+settled, p.Metrics+metrics
		if settled < metrics && p.Source == "" {
			p.Source = l.source.Name()
		}
	}
	return p
}

// earliest returns when all open periods could have settled, if none changes; false: none is open.
func earliest(states []*sourceState) (at time.Time, open bool) {
	for _, l := range states {
		if when, some := l.next(); some && !l.failed {
			at, open = series.Later(when, at), true
		}
	}
	return at, open
}
