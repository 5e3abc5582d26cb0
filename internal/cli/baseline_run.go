package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/runfile"
)

// baselineRun is one baseline from an empty file to its end line.
type baselineRun struct {
	env     Env
	options baselineOptions
	show    *progress.Display

	id         string
	parameters map[string]string
	started    time.Time

	program fio.Program
	dir     string // absolute
	place   fio.Place
	set     string
	jobs    []fio.Job

	file      *runfile.Writer
	directory *fio.Directory
	clock     *probe.Clock
	flush     func() error
	totals    fio.Totals
	points    []baseline.Point // of the job that runs until storage is throttled

	recorded bool // the file holds a run, however it ended
}

// idleFor is how long the device is watched without a job, for what others do on it.
const idleFor = 3 * time.Second

// run makes the file first, so that a place that cannot be written is found before anything is measured.
func (m *baselineRun) run(ctx context.Context, path string) error {
	var err error
	if m.file, err = runfile.Create(path); err != nil {
		return err
	}
	err = m.inDirectory(ctx)
	if !m.recorded {
		return errors.Join(err, m.file.Discard())
	}
	return errors.Join(err, m.file.Close())
}

// inDirectory has a directory of our own for as long as the rest takes.
func (m *baselineRun) inDirectory(ctx context.Context) (err error) {
	if m.directory, err = fio.Make(m.dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.directory.Remove()) }()
	m.show.Stage("writing the test files")
	if err := m.directory.Lay(ctx, m.program, m.jobs); err != nil {
		return err
	}
	sampler, storage := m.sampler()
	m.clock = probe.NewClock(time.Second, m.record, sampler)
	if err := m.open(storage); err != nil {
		return err
	}
	m.clock.Start(context.WithoutCancel(ctx))
	err = m.all(ctx)
	err = errors.Join(err, m.clock.Stop())
	return errors.Join(err, m.record(runfile.EndOf(err, ctx.Err() != nil)))
}

// sampler reads the device under the directory. One out of sight is not an error: the file says why.
func (m *baselineRun) sampler() (probe.Sampler, runfile.Storage) {
	devices, err := block.NewOfDirectory(m.directory.Path)
	if err != nil {
		return block.Absent(err), runfile.Storage{Directory: m.dir}
	}
	m.flush = experiment.FlushDirectories(devices.Directories())
	storage := devices.Storage()
	storage.Directory = m.dir
	return devices, storage
}

func (m *baselineRun) record(r runfile.Record) error {
	m.show.Record(r)
	return m.file.Write(r)
}

// open writes the head of the file: the run, and the metrics it will hold.
func (m *baselineRun) open(storage runfile.Storage) error {
	m.recorded = true
	run := runfile.Run{
		Schema: runfile.Schema, ID: m.id, Start: m.started, Version: version(), Parameters: m.parameters,
		Target: runfile.Target{Kind: "directory", Storage: storage}, Host: host.Facts(), Plan: m.plan(),
		Baseline: &runfile.Baseline{
			Program: "fio " + m.program.Version, Set: m.set, Bytes: fio.TestBytes(m.jobs), Direct: m.place.Direct,
			UntilThrottled: m.options.until.Seconds(),
		},
	}
	if err := m.record(run); err != nil {
		return err
	}
	for _, metric := range append(m.clock.Metrics(), fio.Metrics()...) {
		if err := m.record(metric); err != nil {
			return err
		}
	}
	return nil
}

const idleArm = "idle"

// plan has an arm for each job, and one without.
func (m *baselineRun) plan() runfile.Plan {
	p := runfile.Plan{Name: m.set, Replicates: 1, Arms: []runfile.Arm{{Name: idleArm}}}
	for _, j := range m.jobs {
		p.Arms = append(p.Arms, runfile.Arm{Name: j.Name, Method: fio.Name, Job: j.Text(), Depth: j.Depth, Buffered: j.Buffered})
	}
	return p
}

// all does the arms, one after another.
func (m *baselineRun) all(ctx context.Context) error {
	err := m.arm(ctx, idleArm, func(ctx context.Context) (fio.Status, error) {
		select {
		case <-time.After(idleFor):
		case <-ctx.Done():
		}
		return fio.Status{}, context.Cause(ctx)
	})
	for _, j := range m.jobs {
		if err != nil {
			return err
		}
		err = m.arm(ctx, j.Name, func(ctx context.Context) (fio.Status, error) { return m.job(ctx, j) })
	}
	return err
}

// arm does one arm between readings of the device, with what it leaves in memory brought to the device at the end.
func (m *baselineRun) arm(ctx context.Context, name string, do func(context.Context) (fio.Status, error)) error {
	event := func(e runfile.Event, failed error) error {
		record := runfile.ArmEvent{At: time.Now(), Arm: name, Replicate: 1, Event: e}
		if failed != nil {
			record.Failed = runfile.OneLine(failed.Error())
		}
		return m.record(record)
	}
	if err := errors.Join(event(runfile.Settle, nil), m.readAll(ctx, fio.Status{}), event(runfile.Begin, nil)); err != nil {
		return err
	}
	last, failed := do(ctx)
	after := context.WithoutCancel(ctx)
	// What the device has done by now, and then what it does when memory is emptied onto it.
	err := errors.Join(m.load(name, last), m.clock.ReadAll(after), m.record(m.totals.Reading(time.Now(), last)), m.readAll(after, last), event(runfile.End, failed), m.file.Sync())
	m.totals.Close(last)
	return errors.Join(failed, err)
}

// readAll flushes, and reads the device and what fio has said by now.
func (m *baselineRun) readAll(ctx context.Context, so fio.Status) error {
	if m.flush != nil {
		if err := m.flush(); err != nil {
			return err
		}
	}
	return errors.Join(m.clock.ReadAll(ctx), m.record(m.totals.Reading(time.Now(), so)))
}

// load records when fio did I/O.
func (m *baselineRun) load(name string, last fio.Status) error {
	if last.Seconds == 0 {
		return nil
	}
	from := last.At.Add(-time.Duration(last.Seconds * float64(time.Second)))
	return m.record(runfile.Load{From: from, To: last.At, Arm: name, Replicate: 1})
}

// job runs one job, until storage is throttled where that is waited for.
func (m *baselineRun) job(ctx context.Context, j fio.Job) (fio.Status, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var failed error
	var once sync.Once
	before := fio.Status{}
	last, err := m.directory.Run(ctx, m.program, j, func(s fio.Status) {
		if err := m.record(m.totals.Reading(s.At, s)); err != nil {
			once.Do(func() { failed = err; stop(err) })
		}
		if m.options.until != 0 && m.throttled(before, s) {
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

// throttled adds a second of the job and looks every five whether storage has slowed down for good.
func (m *baselineRun) throttled(before, now fio.Status) bool {
	seconds := now.Seconds - before.Seconds
	if seconds < 0.5 {
		return false
	}
	of := func(field func(fio.Side) float64) float64 {
		sum := 0.0
		for name, side := range now.Sides() {
			sum += field(side) - field(before.Sides()[name])
		}
		return sum
	}
	n := of(func(s fio.Side) float64 { return float64(s.Operations) }) - float64(now.Sync.Operations-before.Sync.Operations)
	m.points = append(m.points, baseline.Point{
		At: now.At, Seconds: now.Seconds, Operations: n / seconds,
		Bytes:   of(func(s fio.Side) float64 { return float64(s.Bytes) }) / seconds,
		Latency: of(func(s fio.Side) float64 { return s.Time }) / n,
	})
	const every = 5
	return len(m.points)%every == 0 && baseline.Throttled(m.points).Settled()
}
