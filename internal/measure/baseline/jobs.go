package baseline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/runfile"
)

// idle is an empty load, which shows other programs' requests.
const (
	idle    = "idle"
	idleFor = 3 * time.Second
)

// jobs runs the jobs in turn, after an idle time.
func (m *measurement) jobs(ctx context.Context) error {
	err := m.load(ctx, idle, func(ctx context.Context) (fio.Status, error) {
		select {
		case <-time.After(idleFor):
		case <-ctx.Done():
		}
		return fio.Status{}, context.Cause(ctx)
	})
	for _, j := range m.Plan.Jobs {
		if err != nil {
			return err
		}
		err = m.load(ctx, j.Name, func(ctx context.Context) (fio.Status, error) { return m.job(ctx, j) })
	}
	return err
}

// load runs one load between readings of the device, and flushes the data that it leaves in memory.
func (m *measurement) load(ctx context.Context, name string, do func(context.Context) (fio.Status, error)) error {
	event := func(e runfile.Event, failed error) error {
		record := runfile.LoadEvent{At: time.Now(), Load: name, Repetition: 1, Event: e}
		if failed != nil {
			record.Failed = runfile.OneLine(failed.Error())
		}
		return m.record(record)
	}
	if err := errors.Join(event(runfile.Settle, nil), m.readFlushed(ctx, fio.Status{}),
		event(runfile.Begin, nil)); err != nil {
		return err
	}
	last, failed := do(ctx)
	var did error
	if last.Seconds > 0 {
		from := last.At.Add(-time.Duration(last.Seconds * float64(time.Second)))
		did = m.record(runfile.Work{From: from, To: last.At, Load: name, Repetition: 1})
	}
	after := context.WithoutCancel(ctx)
	// Read the device before and after memory is flushed to it.
	err := errors.Join(did, m.read(after, last), m.readFlushed(after, last), event(runfile.End, failed), m.file.Sync())
	m.totals.Close(last)
	return errors.Join(failed, err)
}

// read reads the device, and adds fio's last report.
func (m *measurement) read(ctx context.Context, now fio.Status) error {
	return errors.Join(m.clock.ReadAll(ctx), m.record(m.totals.Reading(time.Now(), now)))
}

func (m *measurement) readFlushed(ctx context.Context, now fio.Status) error {
	if m.flush != nil {
		if err := m.flush(); err != nil {
			return err
		}
	}
	return m.read(ctx, now)
}

// job runs one job, or runs it until storage is throttled.
func (m *measurement) job(ctx context.Context, j fio.Job) (fio.Status, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var failed error
	var once sync.Once
	before := fio.Status{}
	last, err := m.directory.Run(ctx, m.Plan.Program, j, func(s fio.Status) {
		if err := m.record(m.totals.Reading(s.At, s)); err != nil {
			once.Do(func() { failed = err; stop(err) })
		}
		if second, is := secondOf(before, s); is && m.Plan.Until != 0 && m.Throttled(second) {
			stop(fio.ErrStopped)
		}
		before = s
	})
	switch {
	case errors.Is(err, fio.ErrStopped):
		err = nil
	case err != nil:
		err = fmt.Errorf("%s: %w", j.Name, err)
	}
	return last, errors.Join(failed, err)
}

// secondOf returns the work between two of fio's reports, if about a second lies between them.
func secondOf(before, now fio.Status) (s Second, is bool) {
	seconds := now.Seconds - before.Seconds
	if seconds < 0.5 {
		return s, false
	}
	grown := func(field func(fio.Side) float64) float64 {
		sum := 0.0
		for name, side := range now.Sides() {
			sum += field(side) - field(before.Sides()[name])
		}
		return sum
	}
	n := grown(func(s fio.Side) float64 {
		return float64(s.Operations)
	}) - float64(now.Sync.Operations-before.Sync.Operations)
	return Second{
		At: now.At, Seconds: now.Seconds, Operations: n / seconds,
		Bytes:   grown(func(s fio.Side) float64 { return float64(s.Bytes) }) / seconds,
		Latency: grown(func(s fio.Side) float64 { return s.Time }) / n,
	}, true
}
