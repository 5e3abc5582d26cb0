package probe

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Clock reads its samplers at due times on a fixed grid, each in its own goroutine, and passes every reading and gap
// to a sink. A due time that passes during a reading is skipped; later readings are on the grid again.
//
// Its methods may be called from any goroutine. Call Start once, before ReadAll.
type Clock struct {
	interval time.Duration
	sink     func(runfile.Record) error
	readers  []*reader

	running sync.WaitGroup
	cancel  context.CancelFunc
	ended   <-chan struct{}

	mu  sync.Mutex // one record at a time, and none after err
	err error
}

// ErrStopped is ReadAll's error after the clock has stopped.
var ErrStopped = errors.New("the clock of the probes has stopped")

// NewClock returns a clock that reads each sampler every interval. The sink is called by one goroutine at a time;
// its first error stops the clock.
func NewClock(interval time.Duration, sink func(runfile.Record) error, samplers ...Sampler) *Clock {
	c := &Clock{interval: interval, sink: sink}
	for _, s := range samplers {
		c.readers = append(c.readers, newReader(s))
	}
	return c
}

// Metrics announces what all samplers may return.
func (c *Clock) Metrics() (all []runfile.Metric) {
	for _, r := range c.readers {
		all = append(all, r.sampler.Metrics()...)
	}
	return all
}

// Start reads immediately and then every interval, until ctx ends or Stop is called. For a last ReadAll after an
// interrupt, pass a ctx that the interrupt does not end.
func (c *Clock) Start(ctx context.Context) {
	ctx, c.cancel = context.WithCancel(ctx)
	c.ended = ctx.Done()
	start := time.Now()
	for _, r := range c.readers {
		c.running.Go(func() { c.run(ctx, r, start) })
	}
}

// Stop ends the readings, dropping any in progress, and returns the sink's error if that stopped the clock.
// A second call returns the same.
func (c *Clock) Stop() error {
	if c.cancel != nil {
		c.cancel()
	}
	c.running.Wait()
	return c.failure()
}

// Done is closed when the clock stops, also by itself after the sink failed.
func (c *Clock) Done() <-chan struct{} { return c.ended }

// ReadAll reads every sampler now, in parallel, and returns when each has answered or timed out. The last recorded
// reading then is the value at the edge of a load; a sampler without an answer has left a gap. The error is about
// the clock, not about a sampler.
func (c *Clock) ReadAll(ctx context.Context) error {
	var all sync.WaitGroup
	for _, r := range c.readers {
		all.Go(func() { c.ask(ctx, r) })
	}
	all.Wait()
	if err := c.failure(); err != nil {
		return err
	}
	select {
	case <-c.ended:
		return ErrStopped
	default:
		return context.Cause(ctx)
	}
}

// WaitForCounters waits until the counters of all Lagging samplers include all finished work.
func (c *Clock) WaitForCounters(ctx context.Context) error {
	var all sync.WaitGroup
	failed := make([]error, len(c.readers))
	for i, r := range c.readers {
		if q, ok := r.sampler.(Lagging); ok {
			all.Go(func() { failed[i] = q.WaitForCounters(ctx) })
		}
	}
	all.Wait()
	return errors.Join(failed...)
}

// run serves one sampler: due readings, and ReadAll's requests in between.
func (c *Clock) run(ctx context.Context, r *reader, start time.Time) {
	for due := start; ; {
		edge, ok := r.wait(ctx, due)
		if !ok {
			return
		}
		c.record(r.read(ctx))
		if edge != nil {
			close(edge)
		} else {
			due = due.Add(c.interval)
		}
		behind := max(0, time.Since(due)) // skip due times that have passed
		due = due.Add((behind + c.interval - 1) / c.interval * c.interval)
	}
}

func (c *Clock) ask(ctx context.Context, r *reader) {
	edge := make(chan struct{})
	select {
	case r.asked <- edge:
	case <-ctx.Done():
		return
	case <-c.ended:
		return
	}
	select {
	case <-edge:
	case <-ctx.Done():
	case <-c.ended:
	}
}

func (c *Clock) record(records []runfile.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, record := range records {
		if c.err != nil {
			return
		}
		if err := c.sink(record); err != nil {
			c.err = err // of the file, which says what failed
			c.cancel()
		}
	}
}

func (c *Clock) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Turn is a mutex, for example for a session, whose waiting callers give up when their context ends.
type Turn chan struct{}

// NewTurn returns a free Turn.
func NewTurn() Turn {
	t := make(Turn, 1)
	t <- struct{}{}
	return t
}

// Take waits for the turn. It fails if the context has ended, even if the turn is free.
func (t Turn) Take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t:
		return nil
	}
}

// Release returns the turn after a successful Take.
func (t Turn) Release() { t <- struct{}{} }
