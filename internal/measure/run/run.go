// Package run does one run, from an empty run file to its end line: a server, a schema of our own in it, the plan's
// loads one after another while the probes read, and afterwards AWS's metrics of that time.
//
// It does not interpret numbers: the caller passes in [Options.Next], which knows the load most worth repeating. The
// results of a run are in the file and nowhere else.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/workers"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Do runs the plan. It creates the file first, so that an unwritable path fails before a server is started. recorded
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
	return true, errors.Join(err, m.collect(ctx), m.file.Close())
}

// measure opens the server, a session and the schema for the experiment, and releases each of them in any case.
func (m *measurement) measure(ctx context.Context) (err error) {
	if m.target, err = target.Open(ctx, m.Target, m.Show); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.target.Close(ctx, m.Show)) }()
	m.file.Hide(m.target.Secrets(ctx)...)
	ctx, cancel := m.target.Watch(ctx)
	defer cancel()

	if m.session, err = m.target.Session(ctx); err != nil {
		return m.target.Because(ctx, err)
	}
	defer func() { m.session.Close(ctx) }()
	if err := m.admit(ctx); err != nil {
		return err
	}
	if m.cloud, err = m.askAWS(ctx); err != nil {
		return err
	}

	if err := m.session.Claim(ctx); err != nil {
		return m.target.Because(ctx, err)
	}
	defer func() { err = errors.Join(err, m.session.Release(ctx)) }()
	if err := m.nameTriggers(ctx); err != nil {
		return err
	}
	return m.target.Because(ctx, m.experiment(ctx))
}

// experiment runs the plan, and writes the head of the file and its end line.
func (m *measurement) experiment(ctx context.Context) error {
	e := m.newExperiment()
	if err := e.Rehearse(ctx); err != nil {
		return err
	}
	m.Show.Message(fmt.Sprintf("%s is ready, and every load has been tried: first rows after %.1f\u00a0s",
		m.session.Facts.Describe(), time.Since(m.Head.Start).Seconds()))

	probes, err := m.target.Probes(ctx, m.session.Facts, postgres.SchemaName)
	if err != nil {
		return err
	}
	defer probes.Close(context.WithoutCancel(ctx))
	m.say(probes.Stats.Notice())
	if !m.session.Facts.MaySeeOthers {
		m.Show.Message("This role sees other sessions only while they are in a transaction (" +
			postgres.Grant("pg_monitor", m.session.Facts.User) +
			"); the other sessions' writes show only in the server's counters")
	}
	clock := probe.NewClock(m.Interval, e.Record, probes.Samplers...)
	m.readFrom(e, probes, clock)
	free := disksUnder(m.target, e.Layout)
	if err := free.refuse(); err != nil {
		return err
	}

	metrics := slices.Concat(clock.Metrics(), m.cloud.Metrics())
	room, err := m.room(ctx, e)
	if err != nil {
		return err
	}
	m.say(m.Program.fitTable(room))
	if err := m.completePlan(ctx, e, metrics); err != nil {
		return err
	}
	m.say(m.bill())
	if err := m.begin(probes.Storage, metrics); err != nil {
		return err
	}
	m.settings = settings{first: m.session.Facts.Settings, last: m.session.Facts.Settings, at: time.Now()}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go m.stops.watch(running)
	m.writers.begin()
	go m.watchServer(running, stop)
	go free.watch(running, stop)
	clock.Start(context.WithoutCancel(ctx))
	m.Show.Stage("warming up")
	began := time.Now()
	err = errors.Join(m.target.Because(running, e.Run(running)), clock.Stop())
	m.Show.Message("The loads took " + printable.About(time.Since(began)))
	if m.Verbose {
		m.phases.enter("done", time.Now())
		m.Show.Message("Time by phase: " + m.phases.String())
	}
	return errors.Join(err, m.end(ctx, err))
}

// newExperiment returns the plan's experiment on the server of the session.
func (m *measurement) newExperiment() *experiment.Experiment {
	e := &experiment.Experiment{
		Plan:       m.Program.Plan,
		Control:    m.session.Control,
		Connect:    m.target.Endpoint.ConnectClient,
		Engine:     m.work,
		Schema:     postgres.SchemaName,
		Pooled:     m.session.Facts.Pooler,
		Checkpoint: m.session.Facts.MayCheckpoint,
		Followed:   m.awaitFollowers,
		Gone: func(ctx context.Context) error {
			return m.session.Facts.AwaitClientsGone(context.WithoutCancel(ctx), m.session.Control)
		},
		Record:  m.record,
		Sync:    m.file.Sync,
		Tell:    m.Show.Message,
		Doing:   m.doing,
		SoFar:   m.soFar,
		Look:    m.look,
		Others:  m.othersDuring,
		Shared:  m.Target.Allowed.Shared,
		Spoiled: func() string { return cmp.Or(m.settings.differ(), m.stops.during(), m.standbys.during()) },
	}
	if m.target.AWS.Cloud != nil {
		e.Recover = m.recover
		e.Moved = func() *runfile.Cloud { return m.moved }
	}
	return e
}

// work runs a load's clients in worker processes, so that they share nothing with the probes.
func (m *measurement) work(ctx context.Context, o engine.Options) (engine.Result, error) {
	o.Threads = m.Program.Plan.Workers
	crew := workers.Crew{Password: m.target.Endpoint.PasswordSource(), Tell: m.Show.Message, Silent: m.stops.worker}
	return crew.Run(ctx, o)
}

// tellWithin bounds the time to attribute a load's WAL to tables and indexes. A sample of the WAL is enough.
const tellWithin = 200 * time.Millisecond

// readFrom makes the experiment read the probes at the begin and the end of each load, once the server's
// counters and its disks have caught up.
func (m *measurement) readFrom(e *experiment.Experiment, p *target.Probes, clock *probe.Clock) {
	e.ReadAll, e.PassWAL = clock.ReadAll, p.Relations.PassRelations
	e.ReadWAL = func(ctx context.Context) (runfile.WAL, error) {
		if err := p.ReadWAL(ctx); err != nil {
			return runfile.WAL{}, err
		}
		return p.Relations.Relations(ctx, tellWithin)
	}
	e.Flush = experiment.FlushDirectories(p.Directories)
	e.Layout, e.Evicts = p.Layout(), m.session.Facts.VersionNum >= firstToEvict
	if e.Layout == nil {
		e.Unreadable = "the server's files are not on this machine, or this user may not read them"
	}
	e.WaitForCounters = func(ctx context.Context) error {
		return errors.Join(m.session.Facts.ReportCounters(context.WithoutCancel(ctx), m.session.Control),
			clock.WaitForCounters(ctx))
	}
}

// completePlan fills in what the plan leaves open, by the pause between loads here and the metrics required.
func (m *measurement) completePlan(ctx context.Context, e *experiment.Experiment, metrics []runfile.Metric) error {
	required, err := m.Required(metrics)
	if err != nil {
		return err
	}
	pause, err := e.Calibrate(ctx)
	if err != nil {
		return err
	}
	p := m.Program
	if err := p.measured(pause, slowest(metrics, required)); err != nil {
		return err
	}
	more, err := p.loads()
	if err != nil {
		return err
	}
	e.Plan, e.Whole, e.Period = p.Plan, p.decided(), p.limits.Aligned()
	if !p.exact { // an exact plan has no deadline
		e.Until = time.Now().Add(p.limits.Budget)
	}
	e.Next = func() (experiment.Addition, bool) { return m.next(required, more) }
	m.Show.Message(p.announcement(m.file.Path()))
	m.Show.Lasts(p.Duration())
	return nil
}

// slowest returns the longest period among the required metrics, in seconds.
func slowest(metrics []runfile.Metric, required []string) (period float64) {
	for _, metric := range metrics {
		if slices.Contains(required, metric.Name) {
			period = max(period, metric.Period)
		}
	}
	return period
}

func (m *measurement) soFar() {
	if m.SoFar != nil {
		m.SoFar(m.file.Path())
	}
}

// next returns the load whose repetition would tell most; none if the file cannot be synced.
func (m *measurement) next(required []string, loads []runfile.Load) (experiment.Addition, bool) {
	if m.file.Sync() != nil {
		return experiment.Addition{}, false
	}
	name, why := m.Next(m.file.Path(), required, loads)
	i := slices.IndexFunc(loads, func(a runfile.Load) bool { return a.Name == name })
	if i < 0 {
		return experiment.Addition{}, false
	}
	return experiment.Addition{Load: loads[i], Why: why}, true
}

// begin writes the head of the file: the run and its metrics.
func (m *measurement) begin(storage runfile.Storage, metrics []runfile.Metric) error {
	head := m.Head
	head.Target, head.Host = m.target.Describe(m.session.Facts, storage), host.Facts()
	head.Clocks, head.Plan = []runfile.Clock{m.session.Facts.Clock}, m.Program.Plan
	err := m.record(head)
	m.recorded = err == nil
	for _, metric := range metrics {
		if err != nil {
			return err
		}
		err = m.record(metric)
	}
	return err
}

// end writes the last line: how the run ended, and a comparison of the clocks if the server still answers.
func (m *measurement) end(ctx context.Context, failed error) error {
	end := runfile.EndOf(failed, ctx.Err() != nil && !errors.Is(failed, target.ErrDied))
	const within = time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if clock, err := postgres.CompareClocks(ctx, m.session.Control); err == nil {
		end.Clocks = []runfile.Clock{clock}
	}
	return m.record(end)
}

// Options configures a run.
type Options struct {
	Head     runfile.Run // the file's first line; the run completes it
	Path     string      // of the file
	Target   target.Options
	Program  *Program
	Interval time.Duration // between two readings of the probes
	Show     Display
	Verbose  bool // show at the end where the time went

	// AWSPeriod is the longest period of AWS's metrics to be judged, in seconds; 0: there are none.
	AWSPeriod float64
	Tempo     collect.Tempo

	// Agree is asked before a server on another machine is put under load. An error from it ends the run.
	Agree func(question string) error
	// Bill returns the likely cost of a plan's writes on an AWS server, as a sentence with a leading space;
	// empty: there is nothing to say.
	Bill func(runfile.Cloud, runfile.Plan) string
	// Required returns the metrics, of all that the run will record, that the user requires; none: any will do. An
	// error ends the run before anything is measured.
	Required func([]runfile.Metric) ([]string, error)
	// SoFar shows the findings from the file so far; nil: they are not shown.
	SoFar func(path string)
	// Next returns, from the file so far, the load whose repetition would tell most about the required metrics, and
	// the reason; an empty name: none would.
	Next func(path string, required []string, loads []runfile.Load) (load, why string)
}

// Display shows the progress of a run.
type Display interface {
	target.Notices
	// Doing shows the activity while no load runs; empty: a load runs.
	Doing(text string)
	// Lasts sets the expected duration of the loads from now on.
	Lasts(time.Duration)
	Record(runfile.Record)
}

type measurement struct {
	Options
	file     *runfile.Writer
	target   *target.Target
	session  *target.Session
	cloud    *collect.Cloud // read when the run is over; nil: AWS is not asked
	moved    *runfile.Cloud // the server's description after a failover; nil: there was none
	others   others         // the work of other sessions
	writers  writers        // other sessions in the middle of a long write
	standbys standbys       // that our commits wait for
	followed followers      // who reads the WAL
	settings settings       // of the server
	stops    stops          // of this process
	phases   phases         // times loads and the work between them
	recorded bool           // the file holds a run, however it ended
}

// record appends r to the file, and shows the progress of the run.
func (m *measurement) record(r runfile.Record) error {
	m.Show.Record(r)
	m.others.follow(r)
	return m.file.Write(r)
}

// doing shows the activity while no load runs, and times it.
func (m *measurement) doing(text string) {
	m.phases.enter(text, time.Now())
	m.Show.Doing(text)
}

// say shows text, unless it is empty.
func (m *measurement) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		m.Show.Message(text)
	}
}
