// Package experiment runs a plan: it puts each arm's load on the server in turn and sees to it that what the counters
// say of an arm is that arm's alone.
//
// A replicate of an arm goes: settle (its table is made, what earlier arms left is written), read, begin, load, the
// clients leave, its own dirty pages are written, read, end. So the difference of the last readings before end and
// before begin holds everything the arm caused, and nothing else.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
)

// Experiment is a plan and what it needs of the world.
type Experiment struct {
	Plan    runfile.Plan
	Control *pgx.Conn    // makes tables, asks for checkpoints
	Connect load.Connect // opens a client's session
	Schema  string

	// Checkpoint tells whether the user may ask for one. Without it an arm's dirty pages fall on the next.
	Checkpoint bool
	// Flush brings what the server's file system still holds to the device; nil where it is out of reach.
	Flush func() error
	// Gone waits until the clients' sessions have ended.
	Gone func(context.Context) error
	// Quiesce waits until the server's counters have caught up with what it did.
	Quiesce func(context.Context) error
	// Edge takes a reading of every probe at once.
	Edge func(context.Context) error
	// Record keeps a record. An error from it ends the experiment.
	Record func(runfile.Record) error
	// Sync brings the record of a finished arm to the disk.
	Sync func() error
}

// answerWithin bounds a statement of ours: a checkpoint of a large server takes its time, one that hangs must end.
const answerWithin = 5 * time.Minute

// Rehearse tries every arm with one transaction, so that what cannot work is found before anything is measured.
func (e *Experiment) Rehearse(ctx context.Context) error {
	for _, arm := range e.Plan.Arms {
		if arm.Idle() {
			continue
		}
		w, err := load.NewWorkload(arm, e.Schema)
		if err != nil {
			return err
		}
		if err := w.Rehearse(ctx, e.Control); err != nil {
			return err
		}
	}
	return nil
}

// Run does the whole plan. When it returns an error, the replicate it happened in is marked as failed and all earlier
// ones are whole.
func (e *Experiment) Run(ctx context.Context) error {
	for _, s := range order(e.Plan) {
		if err := e.replicate(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (e *Experiment) replicate(ctx context.Context, s step) error {
	if err := e.mark(s, runfile.Settle, nil); err != nil {
		return err
	}
	w, err := e.prepare(ctx, s.arm)
	if err != nil {
		return err
	}
	if err := e.mark(s, runfile.Begin, nil); err != nil {
		return err
	}
	failed := e.work(ctx, s, w)
	if failed == nil {
		failed = e.finish(ctx, s.arm)
	}
	if err := errors.Join(e.mark(s, runfile.End, failed), e.Sync()); err != nil {
		return err
	}
	return errors.Join(failed, e.clear(ctx, w))
}

// prepare makes the arm's table and leaves the server with nothing to write, then takes the reading it starts from.
func (e *Experiment) prepare(ctx context.Context, arm runfile.Arm) (*load.Workload, error) {
	var w *load.Workload
	if !arm.Idle() {
		var err error
		if w, err = load.NewWorkload(arm, e.Schema); err != nil {
			return nil, err
		}
		if err := w.Create(ctx, e.Control); err != nil {
			return nil, err
		}
	}
	return w, e.settle(ctx)
}

// work is the arm's load, or its silence.
func (e *Experiment) work(ctx context.Context, s step, w *load.Workload) error {
	duration := time.Duration(e.Plan.ArmSeconds * float64(time.Second))
	if w == nil {
		return wait(ctx, duration)
	}
	err := w.Run(ctx, e.Connect, duration, func(line runfile.Load) error {
		line.Replicate = s.replicate
		return e.Record(line)
	})
	if err == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// finish waits until the arm's clients have left and everything they caused is written and counted.
func (e *Experiment) finish(ctx context.Context, arm runfile.Arm) error {
	if !arm.Idle() {
		if err := e.Gone(ctx); err != nil {
			return err
		}
	}
	return e.settle(ctx)
}

// settle writes out what is dirty, lets the counters catch up, and reads them.
func (e *Experiment) settle(ctx context.Context) error {
	if e.Checkpoint {
		if err := e.checkpoint(ctx); err != nil {
			return err
		}
	}
	if e.Flush != nil {
		if err := e.Flush(); err != nil {
			return fmt.Errorf("flush the server's file system: %w", err)
		}
	}
	if err := e.Quiesce(ctx); err != nil {
		return err
	}
	return e.Edge(ctx)
}

// checkpoint is not cut short by an interrupt, which would cost us the session that has to clear up.
func (e *Experiment) checkpoint(ctx context.Context) error {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	if _, err := e.Control.Exec(own, "/* realiops */ checkpoint"); err != nil {
		return fmt.Errorf("ask for a checkpoint: %w", err)
	}
	return context.Cause(ctx)
}

// clear drops the arm's table, also when the run is being stopped.
func (e *Experiment) clear(ctx context.Context, w *load.Workload) error {
	if w == nil || e.Control.IsClosed() {
		return nil
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	return w.Drop(own, e.Control)
}

func (e *Experiment) mark(s step, event runfile.Event, failed error) error {
	line := runfile.ArmEvent{At: time.Now(), Arm: s.arm.Name, Replicate: s.replicate, Event: event}
	if failed != nil {
		line.Failed = failed.Error()
	}
	return e.Record(line)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
