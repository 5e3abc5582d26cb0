// Package observation reads a server on which others work, for as long as it takes, and adds nothing to their work.
//
// [Do] opens the server and keeps what is read in a run file. [Observation.Run] has a clock read the sources. A server
// that is gone is a gap and not the end: the sources find it again by themselves, and when it was started anew, or
// another one answers in its place, they are all opened anew and the record says that their counters begin anew. What
// is asked rarely, such as which tables cost the most, is asked beside the clock. The memory that it takes does not
// grow with the time.
package observation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Source reads one server, from one start of it to the next.
type Source struct {
	Samplers []probe.Sampler
	// Rarely is asked at the beginning, every few minutes, and at the end; nil: nothing is.
	Rarely func(context.Context) []runfile.Record
	Close  func(context.Context)
}

// Observation is one command to observe.
type Observation struct {
	Interval time.Duration // of the clock
	For      time.Duration // that it lasts at most
	Rarely   time.Duration // between two times that what is rare is asked
	// Started is the metric that tells one start of the server from another.
	Started string
	Open    func(context.Context) (Source, error) // again, after the server was started anew
	Record  func(runfile.Record) error
	Tell    func(string)
	// Settled is asked whenever what is rare is, and may say why there is no use in going on; nil: it goes on.
	Settled func(context.Context) (why string, settled bool)
	// Preview shows the findings so far to people; nil: nobody looks.
	Preview func()
}

// reopenEvery is the time between two tries to find a server again.
const reopenEvery = 2 * time.Second

// Run reads from the first source on, until the time is over, nothing more can be learned, or ctx ends. That ctx ended
// is no error: an observation has no end of its own. It closes all sources.
func (o *Observation) Run(ctx context.Context, source Source) error {
	limited, cancel := context.WithTimeout(ctx, o.For)
	defer cancel()
	for {
		again, err := o.read(limited, source)
		source.Close(context.WithoutCancel(ctx))
		if !again || err != nil {
			return err
		}
		o.Tell("The server was restarted, or another one answers in its place: its counters start over here")
		var found bool
		if source, found = o.reopen(limited, source); !found {
			return nil
		}
	}
}

// read has a clock read one source, and says whether to go on with another.
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

// until waits for what ends the reading of a source.
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
			return false, nil // for an error that Stop returns
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

// lastWithin bounds the last readings, after what may have been an interrupt.
const lastWithin = 5 * time.Second

// last reads everything once more.
func (o *Observation) last(ctx context.Context, clock *probe.Clock, source Source) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWithin)
	defer cancel()
	if err := clock.ReadAll(ctx); err != nil && ctx.Err() == nil {
		return nil // for an error that Stop returns, as on a full disk
	}
	return o.rare(ctx, source)
}

func (o *Observation) rare(ctx context.Context, source Source) error {
	if source.Rarely == nil {
		return nil
	}
	for _, r := range source.Rarely(ctx) {
		if err := o.Record(r); err != nil {
			return fmt.Errorf("record what is asked rarely: %w", err)
		}
	}
	return nil
}

// reopen tries until the server is found again or the time is over.
func (o *Observation) reopen(ctx context.Context, before Source) (Source, bool) {
	told := false
	for {
		source, err := o.Open(ctx)
		if err == nil {
			return source, true
		}
		if ctx.Err() == nil && !told {
			o.Tell("The server cannot be read, which is tried again: " + err.Error())
			for _, s := range before.Samplers {
				gap := probe.GapOf(err)
				gap.At, gap.Probe = time.Now(), s.Name()
				_ = o.Record(gap) // that it cannot be written is found by the next reading
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
