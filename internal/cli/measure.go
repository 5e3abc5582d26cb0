package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

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

	provider *provider // of what AWS tells later; nil: it is not asked
	held     claim
	moved    *runfile.Cloud // that the load is on by now, after a failover; nil: it is where it began
	recorded bool           // the file holds a run, however it ended
}

// run makes the file first, so that a place that cannot be written is found before a server is started.
func (m *measurement) run(ctx context.Context, path string) error {
	file, err := runfile.Create(path)
	if err != nil {
		return err
	}
	err = m.onTarget(ctx, file)
	if !m.recorded {
		return errors.Join(err, file.Discard())
	}
	return errors.Join(err, m.collect(ctx, file), file.Close())
}

// onTarget has a server for as long as the rest takes.
func (m *measurement) onTarget(ctx context.Context, file *runfile.Writer) (err error) {
	t, err := m.options.target.open(ctx, m.env, m.show)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close(ctx, m.show)) }()
	file.Hide(t.secrets(ctx)...)
	ctx, cancel := t.watch(ctx)
	defer cancel()
	return m.inSession(ctx, t, file)
}

// inSession has a session and a schema of our own for as long as the experiment takes.
func (m *measurement) inSession(ctx context.Context, t *target, file *runfile.Writer) (err error) {
	control, facts, err := t.inspect(ctx, m.options.target)
	if err != nil {
		return t.because(ctx, err)
	}
	defer control.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the schema is released by then
	if err := t.admit(m.env, m.options.target, facts, m.program); err != nil {
		return err
	}
	if notice := t.aws.notice(facts); notice != "" {
		m.show.Message(notice)
	}
	if m.provider, err = m.options.cloud.provider(m.env, t, facts, m.show); err != nil {
		return err
	}
	schema, err := facts.ClaimSchema(ctx, control)
	if err != nil {
		return t.because(ctx, err)
	}
	m.held = claim{control: control, schema: schema, facts: facts}
	defer func() {
		err = errors.Join(err, m.release(ctx, t))
		_ = m.held.control.Close(context.WithoutCancel(ctx)) // it may be another than control by now
	}()
	return t.because(ctx, m.experiment(ctx, t, control, facts, file))
}

// releaseWithin bounds the drop of what may be many gigabytes.
const releaseWithin = time.Minute

// claim is the session that arranges things, and the schema that it has claimed.
type claim struct {
	control *pgx.Conn
	schema  *postgres.Schema
	facts   postgres.Facts
}

// release drops the schema, over a new session where the old one is gone, unless it is to be kept.
func (m *measurement) release(ctx context.Context, t *target) error {
	if t.started != nil || m.options.target.embedded.keep {
		return nil // goes with the server, or stays
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	if m.held.control.IsClosed() {
		var err error
		if m.held.schema, err = t.claimAgain(ctx, m.held.facts); err != nil {
			return fmt.Errorf("the schema %s is left behind, and the next run drops it: %w", postgres.SchemaName, err)
		}
	}
	return m.held.schema.Release(ctx)
}

// experiment reads the probes while the plan is run.
func (m *measurement) experiment(ctx context.Context, t *target, control *pgx.Conn, facts postgres.Facts, file *runfile.Writer) error {
	e := experiment.Experiment{
		Plan:       m.program.plan,
		Control:    control,
		Connect:    t.endpoint.ConnectClient,
		Schema:     postgres.SchemaName,
		Checkpoint: facts.MayCheckpoint,
		Sync:       file.Sync,
	}
	if err := e.Rehearse(ctx); err != nil {
		return err
	}
	m.show.Message(fmt.Sprintf("%s is ready, and every arm has been tried: first rows after %.1f s",
		facts.Describe(), time.Since(m.started).Seconds()))
	sources, err := openSources(ctx, t, facts, postgres.SchemaName)
	if err != nil {
		return err
	}
	defer sources.close(context.WithoutCancel(ctx))
	if notice := sources.stats.Notice(); notice != "" {
		m.show.Message(notice)
	}
	e.Record = func(r runfile.Record) error {
		m.show.Record(r)
		return file.Write(r)
	}
	e.Tell = m.show.Message
	e.Flush = experiment.FlushDirectories(sources.directories)
	clock := probe.NewClock(m.options.interval, e.Record, sources.samplers...)
	e.Edge = clock.Edge
	e.Gone = func(ctx context.Context) error {
		return facts.AwaitClientsGone(context.WithoutCancel(ctx), m.held.control)
	}
	e.Tidy = clock.Edge
	e.Survey = sources.survey
	e.Quiesce = func(ctx context.Context) error {
		return errors.Join(facts.ReportCounters(context.WithoutCancel(ctx), m.held.control), clock.Quiesce(ctx))
	}
	if t.aws.cloud != nil {
		e.Recover = func(ctx context.Context, failed error) (*pgx.Conn, error) { return m.recover(ctx, t, failed) }
		e.Moved = func() *runfile.Cloud { return m.moved }
	}
	metrics := slices.Concat(clock.Metrics(), m.provider.metrics())
	if err := m.settlePlan(ctx, &e, file, metrics); err != nil {
		return err
	}
	if text := strings.TrimSpace(toll(t.aws.cloud, m.program)); text != "" {
		m.show.Message(text)
	}
	if err := m.open(e.Record, t, facts, sources.storage, metrics); err != nil {
		return err
	}
	clock.Start(context.WithoutCancel(ctx))
	m.show.Stage("warming up")
	err = t.because(ctx, e.Run(ctx))
	err = errors.Join(err, clock.Stop())
	end := endOf(ctx, err)
	end.Clocks = clocksAgain(ctx, m.held.control)
	return errors.Join(err, e.Record(end))
}

// settlePlan decides what the plan leaves open, now that it is known what lies between two arms here, and what is asked
// for.
func (m *measurement) settlePlan(ctx context.Context, e *experiment.Experiment, file *runfile.Writer, metrics []runfile.Metric) error {
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
	chooser, err := newChooser(m.env, file, required, m.program.plan, m.options.plan.sizes)
	if err != nil {
		return err
	}
	e.Plan, e.Whole, e.Next = m.program.plan, m.program.decided(), chooser.next
	e.Until = m.program.until(time.Now())
	e.Period = limits.Aligned()
	m.show.Message(m.program.announcement(file.Path()))
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

// clocksAgain compares clocks at the end, where the server still answers.
func clocksAgain(ctx context.Context, control *pgx.Conn) []runfile.Clock {
	const within = time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if clock, err := postgres.CompareClocks(ctx, control); err == nil {
		return []runfile.Clock{clock}
	}
	return nil
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

// open writes the head of the file: the run, and the metrics it will hold.
func (m *measurement) open(record func(runfile.Record) error, t *target, facts postgres.Facts, storage runfile.Storage, metrics []runfile.Metric) error {
	run := runfile.Run{
		Schema: runfile.Schema, ID: m.id, Start: m.started, Version: version(), Parameters: m.parameters,
		Target: t.describe(facts, storage), Host: host.Facts(), Clocks: []runfile.Clock{facts.Clock}, Plan: m.program.plan,
	}
	m.recorded = true
	if err := record(run); err != nil {
		return err
	}
	for _, metric := range metrics {
		if err := record(metric); err != nil {
			return err
		}
	}
	return nil
}
