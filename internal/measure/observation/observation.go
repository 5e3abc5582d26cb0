// Package observation reads a server with other users, for as long as asked, and adds no work of its own.
//
// [Do] opens the server and writes its readings to a run file. [Observation.Run] makes a clock read the sources. A
// lost server is a gap, not the end: the sources reconnect by themselves. After a restart, or when another server
// answers, all are reopened and the record says that their counters are not comparable. Expensive queries, such as
// which tables cost the most, run rarely, beside the clock. Memory does not grow with time.
package observation

import (
	"context"
	"errors"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Source reads one server between two of its restarts.
type Source struct {
	Samplers []probe.Sampler
	// Rarely is called at the begin, every few minutes, and at the end; it may be nil.
	Rarely func(context.Context) []runfile.Record
	Close  func(context.Context)
}

// Observation is one observe command.
type Observation struct {
	Interval time.Duration // of the clock
	For      time.Duration // at most
	Rarely   time.Duration // between two calls of Source.Rarely
	// Started is the metric that identifies a start of the server.
	Started string
	Open    func(context.Context) (Source, error) // called again after the server restarted
	Record  func(runfile.Record) error
	Tell    func(string)
	// Settled is called together with Rarely, and reports whether the observation may end, and why; nil: it goes on.
	Settled func(context.Context) (why string, settled bool)
	// Preview shows the findings so far; it may be nil.
	Preview func()
}

// reopenEvery is the interval of attempts to reconnect.
const reopenEvery = 2 * time.Second

// Run reads, beginning with the first source, until its time is over, nothing more can be learned, or ctx ends, which
// is not an error. It closes all sources.
func (o *Observation) Run(ctx context.Context, source Source) error {
	limited, cancel := context.WithTimeout(ctx, o.For)
	defer cancel()
	for {
		again, err := o.read(limited, source)
		source.Close(context.WithoutCancel(ctx))
		if !again || err != nil {
			return err
		}
		o.Tell("The server was restarted or replaced: its counters start over here")
		var found bool
		if source, found = o.reopen(limited, source); !found {
			return nil
		}
	}
}

// read makes a clock read one source, and reports whether to continue with another.
func (o *Observation) read(ctx context.Context, source Source) (again bool, err error) {
	w := &watch{started: o.Started, record: o.Record, tell: o.Tell, interval: o.Interval, changed: make(chan struct{})}
	for _, s := range source.Samplers {
		w.probes = append(w.probes, s.Name())
	}
	clock := probe.NewClock(o.Interval, w.take, source.Samplers...)
	clock.Start(context.WithoutCancel(ctx))
	again, err = o.until(ctx, clock, w, source)
	if err == nil && !again {
		err = o.last(ctx, clock, source)
	}
	return again, errors.Join(err, clock.Stop())
}

// until waits until the reading of a source ends.
func (o *Observation) until(ctx context.Context, clock *probe.Clock, w *watch, source Source) (again bool, err error) {
	if err := o.rare(ctx, source); err != nil {
		return false, err
	}
	tick := time.NewTicker(o.Rarely)
	defer tick.Stop()
	preview := time.NewTicker(previewEvery)
	defer preview.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case <-preview.C:
			if o.Preview != nil {
				o.Preview()
			}
		case <-w.changed:
			return true, nil
		case <-clock.Done():
			return false, nil // Stop returns its error
		case <-tick.C:
			if err := o.rare(ctx, source); err != nil {
				return false, err
			}
			if o.settled(ctx) {
				return false, nil
			}
		}
	}
}

func (o *Observation) settled(ctx context.Context) bool {
	if o.Settled == nil {
		return false
	}
	why, settled := o.Settled(ctx)
	if settled {
		o.Tell(why)
	}
	return settled
}

// lastWithin bounds the last readings, maybe after an interrupt.
const lastWithin = 5 * time.Second

// last reads everything once more.
func (o *Observation) last(ctx context.Context, clock *probe.Clock, source Source) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWithin)
	defer cancel()
	if err := clock.ReadAll(ctx); err != nil && ctx.Err() == nil {
		return nil // Stop returns its error, such as a full disk
	}
	return o.rare(ctx, source)
}

func (o *Observation) rare(ctx context.Context, source Source) error {
	if source.Rarely == nil {
		return nil
	}
	for _, r := range source.Rarely(ctx) {
		if err := o.Record(r); err != nil {
			return err
		}
	}
	return nil
}

// reopen tries to reconnect until the server answers or time is over.
func (o *Observation) reopen(ctx context.Context, before Source) (Source, bool) {
	told := false
	for {
		source, err := o.Open(ctx)
		if err == nil {
			return source, true
		}
		if ctx.Err() == nil && !told {
			o.Tell("Cannot read the server; trying again: " + err.Error())
			for _, s := range before.Samplers {
				gap := probe.GapOf(err)
				gap.At, gap.Probe = time.Now(), s.Name()
				_ = o.Record(gap) // the next reading reports a write error
			}
			told = true
		}
		select {
		case <-ctx.Done():
			return Source{}, false
		case <-time.After(reopenEvery):
		}
	}
}
