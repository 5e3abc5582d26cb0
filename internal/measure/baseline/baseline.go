// Package baseline measures what storage delivers alone: it runs the jobs of the machine's fio one after another
// while the device is read, from an empty run file to its end line.
//
// It does not interpret numbers: [Options.Throttled] decides whether storage has slowed down for good. The results of
// a baseline are in the file and nowhere else.
package baseline

import (
	"context"
	"errors"
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/runfile"
)

// Options configures a baseline.
type Options struct {
	Head runfile.Run // the file's first line; the baseline completes it
	Path string      // of the file
	Plan *Plan
	Show Display
	// Throttled is called with each second of the plan's job that runs until storage slows
	// down, and returns true once it has.
	Throttled func(Second) bool
}

// Second sums up about a second of a job, from fio's reports.
type Second struct {
	At         time.Time // its end
	Seconds    float64   // since the job began
	Operations float64   // per second, without flushes
	Bytes      float64   // per second
	Latency    float64   // in seconds, the mean of its operations
}

// Display shows the progress of a baseline.
type Display interface {
	Stage(text string)
	Record(runfile.Record)
}

type measurement struct {
	Options
	file      *runfile.Writer
	directory *fio.Directory
	clock     *probe.Clock
	flush     func() error // writes cached data to the device; nil: the device is not visible
	totals    fio.Totals
	recorded  bool // the file holds a run, however it ended
}

// Do runs the baseline. It creates the file first, so that an unwritable path fails before the measurement. recorded
// reports whether the file holds a run, however it ended; if not, Do leaves no file.
func Do(ctx context.Context, o Options) (recorded bool, err error) {
	m := &measurement{Options: o}
	if m.file, err = runfile.Create(o.Path); err != nil {
		return false, err
	}
	err = m.measure(ctx)
	if !m.recorded {
		return false, errors.Join(err, m.file.Discard())
	}
	return true, errors.Join(err, m.file.Close())
}

// measure runs the jobs in a directory of their own.
func (m *measurement) measure(ctx context.Context) (err error) {
	if m.directory, err = fio.Make(m.Plan.Directory); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.directory.Remove()) }()
	m.Show.Stage("writing the test files")
	if err := m.directory.Lay(ctx, m.Plan.Program, m.Plan.Jobs); err != nil {
		return err
	}
	var sampler probe.Sampler
	var storage runfile.Storage
	if devices, err := block.NewOfDirectory(m.directory.Path); err != nil {
		sampler = block.Absent(err) // no error: the file says why
	} else {
		sampler, storage = devices, devices.Storage()
		m.flush = experiment.FlushDirectories(devices.Directories())
	}
	storage.Directory = m.Plan.Directory
	m.clock = probe.NewClock(time.Second, m.record, sampler)
	if err := m.open(storage); err != nil {
		return err
	}
	m.clock.Start(context.WithoutCancel(ctx))
	err = m.jobs(ctx)
	err = errors.Join(err, m.clock.Stop())
	return errors.Join(err, m.record(runfile.EndOf(err, ctx.Err() != nil)))
}

func (m *measurement) record(r runfile.Record) error {
	m.Show.Record(r)
	return m.file.Write(r)
}

// open writes the head of the file: the run, with a load for each job and an idle one, and its metrics.
func (m *measurement) open(storage runfile.Storage) error {
	run, p := m.Head, m.Plan
	run.Target, run.Host = runfile.Target{Kind: "directory", Storage: storage}, host.Facts()
	run.Plan = runfile.Plan{Name: p.Set, Repetitions: 1, Loads: []runfile.Load{{Name: idle}}}
	for _, j := range p.Jobs {
		run.Plan.Loads = append(run.Plan.Loads, runfile.Load{Name: j.Name, Method: fio.Name, Job: j.Text(),
			Depth: j.Depth, Buffered: j.Buffered})
	}
	run.Baseline = &runfile.Baseline{
		Program: "fio " + p.Program.Version, Set: p.Set, Bytes: fio.TestBytes(p.Jobs), Direct: p.Place.Direct,
		UntilThrottled: p.Until.Seconds(),
	}
	if err := m.record(run); err != nil {
		return err
	}
	m.recorded = true
	for _, metric := range append(m.clock.Metrics(), fio.Metrics()...) {
		if err := m.record(metric); err != nil {
			return err
		}
	}
	return nil
}
