package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// measurement is one run from an empty file to its end line.
type measurement struct {
	env     Env
	options runOptions
	show    *progress.Display

	id         string
	program    *program
	parameters map[string]string
	started    time.Time

	file     *runfile.Writer
	target   *target
	provider *provider // of what AWS tells later; nil: it is not asked
	held     claim
	moved    *runfile.Cloud // that the load is on by now, after a failover; nil: it is where it began
	recorded bool           // the file holds a run, however it ended
}

// run makes the file first, so that a place that cannot be written is found before a server is started.
func (m *measurement) run(ctx context.Context, path string) (err error) {
	if m.file, err = runfile.Create(path); err != nil {
		return err
	}
	err = m.onTarget(ctx)
	if !m.recorded {
		return errors.Join(err, m.file.Discard())
	}
	return errors.Join(err, m.collect(ctx), m.file.Close())
}

// onTarget has a server for as long as the rest takes.
func (m *measurement) onTarget(ctx context.Context) (err error) {
	if m.target, err = m.options.target.open(ctx, m.env, m.show); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.target.close(ctx, m.show)) }()
	m.file.Hide(m.target.secrets(ctx)...)
	ctx, cancel := m.target.watch(ctx)
	defer cancel()
	return m.inSession(ctx)
}

// inSession has a session for as long as the rest takes.
func (m *measurement) inSession(ctx context.Context) (err error) {
	if m.held.control, m.held.facts, err = m.target.inspect(ctx, m.options.target); err != nil {
		return m.target.because(ctx, err)
	}
	defer func() { _ = m.held.control.Close(context.WithoutCancel(ctx)) }() // the schema is released by then
	if err := m.admit(); err != nil {
		return err
	}
	return m.inSchema(ctx)
}

// admit decides whether the load may begin, and what AWS is to be asked about it.
func (m *measurement) admit() (err error) {
	if err := m.target.admit(m.env, m.options.target, m.held.facts, m.program); err != nil {
		return err
	}
	m.say(m.target.aws.notice(m.held.facts))
	m.provider, err = m.options.cloud.provider(m.env, m.target, m.show)
	return err
}

// inSchema has a schema of our own for as long as the experiment takes.
func (m *measurement) inSchema(ctx context.Context) (err error) {
	if m.held.schema, err = m.held.facts.ClaimSchema(ctx, m.held.control); err != nil {
		return m.target.because(ctx, err)
	}
	defer func() { err = errors.Join(err, m.release(ctx)) }()
	return m.target.because(ctx, m.experiment(ctx))
}

// experiment runs the plan between the head of the file and its end line.
func (m *measurement) experiment(ctx context.Context) error {
	e := m.newExperiment()
	if err := e.Rehearse(ctx); err != nil {
		return err
	}
	m.show.Message(fmt.Sprintf("%s is ready, and every arm has been tried: first rows after %.1f s",
		m.held.facts.Describe(), time.Since(m.started).Seconds()))
	sources, err := openSources(ctx, m.target, m.held.facts, postgres.SchemaName)
	if err != nil {
		return err
	}
	defer sources.close(context.WithoutCancel(ctx))
	m.say(sources.stats.Notice())
	clock := probe.NewClock(m.options.interval, e.Record, sources.samplers...)
	m.readFrom(e, sources, clock)
	metrics := slices.Concat(clock.Metrics(), m.provider.metrics())
	if err := m.settlePlan(ctx, e, metrics); err != nil {
		return err
	}
	m.say(toll(m.target.aws.cloud, m.program))
	if err := m.open(sources.storage, metrics); err != nil {
		return err
	}
	clock.Start(context.WithoutCancel(ctx))
	m.show.Stage("warming up")
	err = errors.Join(m.target.because(ctx, e.Run(ctx)), clock.Stop())
	return errors.Join(err, m.end(ctx, err))
}

// newExperiment is the plan, on the server that is held by then.
func (m *measurement) newExperiment() *experiment.Experiment {
	e := &experiment.Experiment{
		Plan:       m.program.plan,
		Control:    m.held.control,
		Connect:    m.target.endpoint.ConnectClient,
		Schema:     postgres.SchemaName,
		Checkpoint: m.held.facts.MayCheckpoint,
		Gone: func(ctx context.Context) error {
			return m.held.facts.AwaitClientsGone(context.WithoutCancel(ctx), m.held.control)
		},
		Record: m.record,
		Sync:   m.file.Sync,
		Tell:   m.show.Message,
	}
	if m.target.aws.cloud != nil {
		e.Recover = m.recover
		e.Moved = func() *runfile.Cloud { return m.moved }
	}
	return e
}

// readFrom has the probes read at the edges of each arm, once the server's counters and the disks under it have caught up.
func (m *measurement) readFrom(e *experiment.Experiment, s *sources, clock *probe.Clock) {
	e.Edge, e.Tidy, e.Survey = clock.Edge, clock.Edge, s.survey
	e.Flush = experiment.FlushDirectories(s.directories)
	e.Quiesce = func(ctx context.Context) error {
		return errors.Join(m.held.facts.ReportCounters(context.WithoutCancel(ctx), m.held.control), clock.Quiesce(ctx))
	}
}

// settlePlan decides what the plan leaves open, now that it is known what lies between two arms here, and what is asked
// for.
func (m *measurement) settlePlan(ctx context.Context, e *experiment.Experiment, metrics []runfile.Metric) error {
	required, err := m.options.require.names(countedNames(metrics))
	if err != nil {
		return err
	}
	limits := &m.program.limits
	if limits.Pause, err = e.Calibrate(ctx); err != nil {
		return err
	}
	limits.Period = max(limits.Period, slowest(metrics, required))
	if err := m.program.fit(); err != nil {
		return err
	}
	chooser, err := newChooser(m.env, m.file, required, m.program.plan, m.options.plan.sizes)
	if err != nil {
		return err
	}
	e.Plan, e.Whole, e.Next = m.program.plan, m.program.decided(), chooser.next
	e.Until = m.program.until(time.Now())
	e.Period = limits.Aligned()
	m.show.Message(m.program.announcement(m.file.Path()))
	return nil
}

// countedNames are the names of all that a run with these metrics can get verdicts on.
func countedNames(metrics []runfile.Metric) []string {
	counters := slices.DeleteFunc(slices.Clone(metrics), func(m runfile.Metric) bool { return m.Type == runfile.Gauge })
	return metricNames(&drivers.Run{Counters: counters})
}

// slowest is the longest period of a source that something is asked of.
func slowest(metrics []runfile.Metric, required []string) float64 {
	period := 0.0
	for _, metric := range metrics {
		if slices.Contains(required, metric.Name) {
			period = max(period, metric.Period)
		}
	}
	return period
}

// open writes the head of the file: the run, and the metrics it will hold.
func (m *measurement) open(storage runfile.Storage, metrics []runfile.Metric) error {
	m.recorded = true
	err := m.record(runfile.Run{
		Schema: runfile.Schema, ID: m.id, Start: m.started, Version: version(), Parameters: m.parameters,
		Target: m.target.describe(m.held.facts, storage), Host: host.Facts(), Clocks: []runfile.Clock{m.held.facts.Clock},
		Plan: m.program.plan,
	})
	for _, metric := range metrics {
		if err != nil {
			return err
		}
		err = m.record(metric)
	}
	return err
}

// end writes the last line: how the run ended, and how the clocks compare by then, where the server still answers.
func (m *measurement) end(ctx context.Context, failed error) error {
	end := endOf(ctx, failed)
	const within = time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if clock, err := postgres.CompareClocks(ctx, m.held.control); err == nil {
		end.Clocks = []runfile.Clock{clock}
	}
	return m.record(end)
}

func endOf(ctx context.Context, err error) runfile.Ended {
	end := runfile.Ended{At: time.Now(), Status: runfile.Complete}
	if err != nil {
		end.Status, end.Cause = runfile.Broken, oneLine(err.Error())
	}
	if err != nil && ctx.Err() != nil && !errors.Is(err, errServerDied) {
		end.Status = runfile.Interrupted
	}
	return end
}

// record keeps a record, and shows how far the run has come.
func (m *measurement) record(r runfile.Record) error {
	m.show.Record(r)
	return m.file.Write(r)
}

// say passes on what there may be to say.
func (m *measurement) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		m.show.Message(text)
	}
}
