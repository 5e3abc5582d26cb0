// Package collect asks the sources that tell later for a run, again and again, until what they say no longer changes.
//
// What a source says of a period that has just ended is late, and too low at first; it corrects it for ten minutes and
// more. So a period counts as settled when two readings of it agree that lie some minutes apart, the later one long
// enough after its end; [Rules] say how long. Settled periods are recorded at once and never asked for again. When the
// patience ends, or the user's, what has not settled is recorded as unsettled, and a later collection goes on from the
// file (see [Read]).
package collect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Collector asks sources about a run.
type Collector struct {
	Sources []probe.Backfiller
	Rules   Rules
	// File is the content of the run file so far.
	File *File
	// Record keeps a record. An error from it ends the collection.
	Record func(runfile.Record) error
	// Tell is called with the progress, when it begins to wait and while it does; nil: it is not.
	Tell func(Progress)
	Now  func() time.Time
	Wait func(context.Context, time.Duration) error
}

// Progress is the state of a collection.
type Progress struct {
	Source  string // the only one, or the first, that is waited for
	Settled int    // metrics of which nothing is open
	Metrics int
	Left    time.Duration // at least
}

// Outcome is the result of a collection.
type Outcome struct {
	Metrics   int // that were asked for
	Settled   int // of which nothing is open
	Periods   int // recorded
	Unsettled int // of these, still open
}

// UnansweredError counts the metrics that sources failed to answer for; a later collection asks again.
type UnansweredError struct {
	Metrics, Of int
	Reasons     []string
}

func (e *UnansweredError) Error() string {
	text := fmt.Sprintf("AWS did not answer for %d of %d metrics: %s", e.Metrics, e.Of, e.Reasons[0])
	if more := len(e.Reasons) - 1; more > 0 {
		text += fmt.Sprintf("; %d more reasons stand in the report", more)
	}
	return text
}

// look is the interval of reports to the user.
const look = 10 * time.Second

// Run asks until all is settled, the patience ends after what is asked for is over, or ctx does. What was read is
// recorded whatever happens; the error says which source failed, or why the collection was ended.
func (c *Collector) Run(ctx context.Context) (Outcome, error) {
	states, err := c.open()
	if err != nil {
		return Outcome{}, err
	}
	over := c.Now()
	for _, l := range states {
		over = later(over, l.span.To) // the rest after a run may lie ahead
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
		err = nil // the errors of calls that were cut off say nothing new
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

// errRecord is a file that cannot be written: asking on would be in vain.
var errRecord = errors.New("record what was collected")

// open makes the state for each source, and announces the metrics that the file does not know.
func (c *Collector) open() ([]*sourceState, error) {
	var states []*sourceState
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

// pass asks each source once for all that is open. A source that fails is not asked again; what is known of it is kept.
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

func (c *Collector) ask(ctx context.Context, l *sourceState, s Span) error {
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

// await waits for the moment at which all that is open could settle.
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

// close records what has not settled, and what never came.
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

func (c *Collector) outcome(states []*sourceState) Outcome {
	var o Outcome
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

// earliest is when all that is open could have settled, if nothing changes any more; false: nothing is open.
func earliest(states []*sourceState) (at time.Time, open bool) {
	for _, l := range states {
		if when, some := l.next(); some && !l.failed {
			at, open = later(when, at), true
		}
	}
	return at, open
}
