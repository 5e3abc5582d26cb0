package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/stopping"
	"github.com/realiops/realiops/internal/runfile"
)

// Rehearse runs one transaction of every load, so that a load that cannot work fails before the measurement.
func (e *Experiment) Rehearse(ctx context.Context) error {
	for _, load := range e.Plan.Loads {
		if err := e.rehearse(ctx, load); err != nil {
			return err
		}
	}
	return nil
}

func (e *Experiment) rehearse(ctx context.Context, load runfile.Load) error {
	if load.Idle() {
		return nil
	}
	w, err := e.workload(load)
	if err != nil {
		return err
	}
	return w.Rehearse(ctx, e.Control)
}

func (e *Experiment) workload(l runfile.Load) (*load.Workload, error) {
	w, err := load.NewWorkload(l, e.Schema)
	if err == nil && e.Pooled {
		err = w.ThroughPooler()
	}
	return w, err
}

func (e *Experiment) repetition(ctx context.Context, s step) error {
	if err := e.announce(s); err != nil {
		return err
	}
	w, err := e.create(ctx, s.load)
	if err != nil {
		return err
	}
	cold, warmAgain := e.makeCold(ctx, s.load, w)
	defer warmAgain()
	if err := e.prepare(ctx, w); err != nil {
		return err
	}
	if err := e.align(ctx); err != nil {
		return err
	}
	if err := e.mark(s, runfile.LoadEvent{Event: runfile.Begin, Cold: cold}); err != nil {
		return err
	}
	e.Doing("")
	rows, failed := e.work(ctx, s, w)
	warmAgain()
	if failed == nil {
		failed = e.finish(ctx, s, w, rows)
	}
	end := runfile.LoadEvent{Event: runfile.End}
	if e.Others != nil {
		end.Others, end.Autovacuum = e.Others(ctx, s.load)
	}
	if failed == nil {
		failed = e.disturbed(end.Others)
	}
	switch {
	case failed != nil && ctx.Err() != nil:
		end.Failed = runfile.OneLine(context.Cause(ctx).Error())
	case failed != nil:
		end.Failed = runfile.OneLine(failed.Error())
	}
	if err := errors.Join(e.mark(s, end), e.Sync()); err != nil {
		return err
	}
	if failed == nil {
		e.lookingOn.Go(e.SoFar)
	}
	if failed == nil {
		e.Doing("counting rows")
		failed = e.prove(ctx, s, w)
	}
	if err := e.clear(ctx, w); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// create makes the load's table, or returns nil for an idle load.
func (e *Experiment) create(ctx context.Context, l runfile.Load) (*load.Workload, error) {
	if l.Idle() {
		return nil, nil //nolint:nilnil // an idle load
	}
	w, err := e.workload(l)
	if err != nil {
		return nil, err
	}
	e.Doing("creating the table")
	if err := w.Create(ctx, e.Control); err != nil || !w.Warms() {
		return w, err
	}
	e.Doing("reading the table")
	return w, e.warm(ctx, w)
}

// warm caches the table of a load that expects it in memory: the server reads it, and the kernel keeps what shared
// buffers do not. It uses its own session, because up to PostgreSQL 14 a session that stays reports its reads half
// a second later, as the load's.
func (e *Experiment) warm(ctx context.Context, w *load.Workload) error {
	conn, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has done its work
	if err := w.Warm(ctx, conn); err != nil || e.Layout == nil {
		return err
	}
	if files, err := w.Files(ctx, conn); err == nil {
		_ = remember(e.Layout, files) // the device's counters show reads that remain
	}
	return nil
}

// prepare leaves the server nothing to write or count, then takes the reading before the load.
func (e *Experiment) prepare(ctx context.Context, w *load.Workload) error {
	e.lookingOn.Wait()
	if err := e.look(ctx, runfile.Begin); err != nil {
		return err
	}
	if err := e.ReadAll(ctx); err != nil {
		return err
	}
	if err := e.writeOut(ctx); err != nil {
		return err
	}
	if err := e.readCounted(ctx); err != nil || w == nil {
		return err
	}
	if e.PassWAL != nil {
		if err := e.PassWAL(ctx); err != nil {
			return err
		}
	}
	return w.Begin(context.WithoutCancel(ctx), e.Control)
}

// work runs the load, or waits as long for an idle one. It returns the number of rows that the server confirmed.
func (e *Experiment) work(ctx context.Context, s step, w *load.Workload) (rows int64, err error) {
	if w == nil {
		return 0, e.idle(ctx)
	}
	err = w.Run(ctx, e.Connect, e.Engine, e.loadLength(), func(line runfile.Work) error {
		line.Repetition = s.repetition
		rows += line.Rows
		return e.Record(line)
	})
	if ctx.Err() != nil { // the clients' errors say only that they were stopped
		return rows, context.Cause(ctx)
	}
	return rows, err
}

// finish waits until the load's clients have left and all their work is written and counted, then takes a reading.
func (e *Experiment) finish(ctx context.Context, s step, w *load.Workload, rows int64) error {
	e.Doing("disconnecting clients")
	if err := e.Gone(ctx); err != nil {
		return err
	}
	if w != nil && w.Vacuums() {
		e.Doing("vacuum")
		if err := w.Vacuum(ctx, e.Control); err != nil {
			return err
		}
	}
	if err := e.look(ctx, runfile.End); err != nil {
		return err
	}
	if err := e.ReadAll(ctx); err != nil {
		return err
	}
	if err := e.readWAL(ctx, s); err != nil {
		return err
	}
	if err := e.writeOut(ctx); err != nil {
		return err
	}
	if w != nil && !e.Pooled {
		if err := e.awaitCounted(ctx, w, rows); err != nil {
			return err
		}
	}
	return e.readCounted(ctx)
}

func (e *Experiment) readWAL(ctx context.Context, s step) error {
	if e.ReadWAL == nil {
		return nil
	}
	e.Doing("reading the WAL")
	wal, err := e.ReadWAL(ctx)
	if err != nil || s.load.Idle() {
		return err
	}
	wal.Load, wal.Repetition = s.load.Name, s.repetition
	return e.Record(wal)
}

func (e *Experiment) writeOut(ctx context.Context) error {
	if e.Checkpoint {
		if err := e.checkpoint(ctx); err != nil {
			return err
		}
	}
	if e.Flush == nil {
		return nil
	}
	e.Doing("flushing to disk")
	if err := e.Flush(); err != nil {
		return fmt.Errorf("flush the server's file system: %w", err)
	}
	return nil
}

func (e *Experiment) readCounted(ctx context.Context) error {
	e.Doing("waiting for counters")
	if err := e.catchUp(ctx); err != nil {
		return err
	}
	return e.ReadAll(ctx)
}

// checkpoint ignores an interrupt, which would cost us the session that has to clean up.
func (e *Experiment) checkpoint(ctx context.Context) error {
	if e.Followed != nil {
		e.Doing("waiting for standbys")
		if err := e.Followed(ctx); err != nil {
			return err
		}
	}
	e.Doing("checkpoint")
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	defer stopping.For(ctx, "a checkpoint", answerWithin)()
	if err := postgres.Exec(own, e.Control, "checkpoint"); err != nil {
		return fmt.Errorf("request a checkpoint: %w", err)
	}
	return context.Cause(ctx)
}

// clear drops the load's table, even while the run is being stopped. A table that cannot be
// dropped soon goes with the schema.
func (e *Experiment) clear(ctx context.Context, w *load.Workload) error {
	if w == nil || e.Control.IsClosed() {
		return nil
	}
	e.Doing("dropping the table")
	within := answerWithin
	if ctx.Err() != nil {
		within = stoppedWithin
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	defer stopping.For(ctx, "the server to drop the table of the load", within)()
	return w.Drop(own, e.Control)
}

// announce records the settling of a repetition, and the reason for one beyond the plan.
func (e *Experiment) announce(s step) error {
	line := runfile.LoadEvent{At: time.Now(), Load: s.load.Name, Repetition: s.repetition, Event: runfile.Settle,
		Added: s.added}
	if s.added != "" && !slices.ContainsFunc(e.Plan.Loads, func(a runfile.Load) bool { return a.Name == s.load.Name }) {
		line.Factors = &s.load
	}
	return e.Record(line)
}

// mark completes and records an event of a repetition.
func (e *Experiment) mark(s step, line runfile.LoadEvent) error {
	line.At, line.Load, line.Repetition = time.Now(), s.load.Name, s.repetition
	if line.Event == runfile.Begin && e.Moved != nil {
		if line.Cloud = e.Moved(); line.Cloud != nil {
			line.Instance = line.Cloud.Instance
		}
	}
	return e.Record(line)
}
