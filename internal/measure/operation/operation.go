// Package operation measures what an operation costs a server: a command, statements, or a function of a test. It
// reads all counters before and after each repetition, and measures beforehand what the server does by itself.
//
// The readings go into a run file with two loads: idle, in which nothing is done, and operation, with its
// repetitions. It needs no schema and changes nothing on the server itself.
package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

// Operation runs once for each call.
type Operation func(context.Context) (Outcome, error)

// Outcome describes a finished operation.
type Outcome struct {
	Transactions int64   // committed; 0: unknown
	Sessions     []int32 // process IDs of the sessions that it opened, if known
	GoesOn       bool    // some of its processes still run
}

// Place is the server of the operation.
type Place struct {
	Control  *pgx.Conn // looks for other sessions, and checkpoints
	Facts    postgres.Facts
	Target   runfile.Target
	Samplers []probe.Sampler
	ReadWAL  func(context.Context) error // reads a repetition's WAL before the server recycles it
	// Relations attributes it to tables and indexes.
	Relations anatomy.Relations
	Ranking   *pgstat.Ranking // of tables, indexes and statements
	// Ledger finds out from the WAL whether open sessions have reported their writes, to
	// avoid waiting for them; nil: wait.
	Ledger *anatomy.Sampler
}

// Options configures the measurement of an operation.
type Options struct {
	Head runfile.Run  // the file's first line; the measurement completes it
	Tell func(string) // shows the progress

	Operation   Operation
	Repetitions int
	Warmup      int // repetitions before the measured ones
	// FirstTouch requests a checkpoint before each repetition, so that the first change of each page logs it whole.
	FirstTouch bool
	Background time.Duration     // how long to measure, twice, what the server does by itself
	Ours       postgres.Sessions // the operation's sessions
}

// readEvery is the interval of readings during a repetition; only those at its ends count.
const readEvery = time.Second

type measurement struct {
	Place
	Options
	record   func(runfile.Record) error
	clock    *probe.Clock
	seen     *postgres.Seen // at the end of the last repetition; nil: outdated
	mark     anatomy.Mark   // begin of the next work in the WAL
	reported time.Time      // when open sessions had last reported; zero: there are none
	settings map[string]string
	looked   time.Time // at the settings
	found    bool      // a session of the operation was there, or connected
}

// Do measures the operation, and passes its readings to record one by one.
func Do(ctx context.Context, on Place, o Options, record func(runfile.Record) error) error {
	var mu sync.Mutex // the probes' clock records, too
	locked := func(r runfile.Record) error {
		mu.Lock()
		defer mu.Unlock()
		return record(r)
	}
	o.Operation = counted(o.Operation)
	m := &measurement{Place: on, Options: o, record: locked, settings: on.Target.Settings, looked: time.Now()}
	m.clock = probe.NewClock(readEvery, locked, on.Samplers...)
	if wal, ok := on.Relations.(*anatomy.Sampler); ok && slices.Contains(on.Samplers, probe.Sampler(wal)) {
		wal.AsCounted()
	}
	if err := m.begin(); err != nil {
		return err
	}
	m.clock.Start(context.WithoutCancel(ctx))
	err := errors.Join(m.lost(m.measure(ctx)), m.clock.Stop())
	return errors.Join(err, locked(runfile.EndOf(err, ctx.Err() != nil)))
}

// counted notes in the error of a repeated operation that it succeeded before. A migration runs only once, and the
// server's error does not say that it already did.
func counted(do Operation) Operation {
	succeeded := 0
	return func(ctx context.Context) (Outcome, error) {
		outcome, err := do(ctx)
		switch {
		case err == nil:
			succeeded++
		case succeeded == 1 && ctx.Err() == nil:
			err = fmt.Errorf("%w; it succeeded before; use --warmup 0 -r 1 for what works only once", err)
		}
		return outcome, err
	}
}

// lost adds to err that the server has ended the measuring session, unless we did since it did not answer.
func (m *measurement) lost(err error) error {
	if err == nil || !m.Control.IsClosed() || pgconn.Timeout(err) {
		return err
	}
	return fmt.Errorf("the server ended the measuring session, or stopped; check its log: %w", err)
}

func (m *measurement) begin() error {
	head := m.Head
	head.Target, head.Host, head.Clocks = m.Target, host.Facts(), []runfile.Clock{m.Facts.Clock}
	head.Plan = runfile.Plan{Name: "measure", Repetitions: m.Repetitions, Loads: []runfile.Load{
		{Name: runfile.IdleLoad}, {Name: runfile.OperationLoad, Method: runfile.OperationLoad}}}
	lines := []runfile.Record{head}
	for _, metric := range m.clock.Metrics() {
		lines = append(lines, metric)
	}
	for _, line := range lines {
		if err := m.record(line); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) measure(ctx context.Context) error {
	m.Tell("warming up")
	if err := m.warmUp(ctx); err != nil {
		return err
	}
	if err := m.measureBackground(ctx); err != nil {
		return err
	}
	m.Ranking.Since(ctx, m.Facts.ReportCounters) // from now on
	defer m.Ranking.Close(context.WithoutCancel(ctx))
	m.seen = nil // it has opened a session
	for n := range m.Repetitions {
		m.Tell(fmt.Sprintf("repetition %d of %d", n+1, m.Repetitions))
		if _, err := m.repetition(ctx, runfile.OperationLoad, n+1, m.Operation); err != nil {
			return err
		}
		if err := m.rank(ctx, n+1); err != nil {
			return err
		}
	}
	if named := m.Ours.Named(); named != "" && !m.found {
		return fmt.Errorf("no session of %s was in the database %s or connected to it, so what was counted may be nobody's; "+
			"pg_stat_activity shows the names", named, postgres.Quoted(m.Facts.Database))
	}
	return nil
}

// The background is measured twice, to show its variation. If other sessions were at work meanwhile, it is measured
// again, up to this number of times.
const (
	idleTwice = 2
	idleTries = 6
)

func (m *measurement) measureBackground(ctx context.Context) error {
	idle := func(ctx context.Context) (Outcome, error) { return Outcome{}, experiment.Wait(ctx, m.Background) }
	for n, measured := 1, 0; n <= idleTries && measured < idleTwice; n++ {
		m.Tell("measuring the server's background work")
		disturbed, err := m.repetition(ctx, runfile.IdleLoad, n, idle)
		if err != nil {
			return err
		}
		if !disturbed {
			measured++
		}
	}
	return nil
}

// rank records the tables, indexes and statements that did the most in a repetition.
func (m *measurement) rank(ctx context.Context, n int) error {
	for _, record := range m.Ranking.Since(ctx, m.Facts.ReportCounters) {
		if top, ok := record.(runfile.Top); ok {
			top.Load, top.Repetition = runfile.OperationLoad, n
			record = top
		}
		if err := m.record(record); err != nil {
			return err
		}
	}
	return nil
}

// warmUp waits until its work is counted, which would otherwise count as the server's own. Its sessions may have
// reported at their begin, and would hold back later work for ten seconds. If the WAL shows that they do, the
// operation runs once more when they may report again.
func (m *measurement) warmUp(ctx context.Context) error {
	watch, err := m.Facts.Watch(ctx, m.Control, m.Ours)
	if err != nil {
		return err
	}
	if err := m.remember(ctx); err != nil {
		return err
	}
	again := m.Ledger != nil
	for n := 0; n < m.Warmup; n++ {
		outcome, err := m.Operation(ctx)
		if err != nil {
			return err
		}
		watch.Own(outcome.Sessions)
		if last := n == m.Warmup-1; !last || !again {
			continue
		}
		again = false
		if seen, err := m.awaitReported(ctx, watch, reportEvery); err != nil {
			return err
		} else if seen.Staying > 0 && seen.Silent == 0 {
			n--
		}
	}
	_, err = m.awaitReported(ctx, watch, reportedWithin)
	return err
}

// remember marks the begin of the next work.
func (m *measurement) remember(ctx context.Context) (err error) {
	if m.Ledger == nil {
		return nil
	}
	if err := m.Facts.ReportCounters(ctx, m.Control); err != nil {
		return err
	}
	m.mark, err = m.Ledger.Mark(ctx)
	return err
}

// repetition runs the operation once between two readings of everything. An interrupted repetition is marked as
// failed, and so is a background that other sessions disturbed.
func (m *measurement) repetition(ctx context.Context, load string, n int, do Operation) (disturbed bool, err error) {
	ours := m.Ours
	if load == runfile.IdleLoad {
		ours = postgres.Sessions{Known: true} // no session belongs to the operation
	}
	watch, err := m.settle(ctx, ours)
	if err != nil {
		return false, err
	}
	began := time.Now()
	if err := m.record(runfile.LoadEvent{At: began, Load: load, Repetition: n, Event: runfile.Begin}); err != nil {
		return false, err
	}
	work := runfile.Work{From: began, Load: load, Repetition: n}
	outcome, failed := do(ctx)
	work.Transactions, work.To = outcome.Transactions, time.Now()
	watch.Own(outcome.Sessions)
	var during postgres.Seen
	var others int64
	if m.seen != nil {
		others = watch.Between(*m.seen)
	}
	if failed == nil {
		during, failed = m.finish(ctx, watch, outcome)
	}
	m.seen = &during
	m.found = m.found || load != runfile.IdleLoad && (during.Picked > 0 || during.Connected != nil && *during.Connected > 0)
	end := runfile.LoadEvent{At: time.Now(), Load: load, Repetition: n, Event: runfile.End, Sessions: during.Connected,
		OtherSessions: others + during.OtherSessions, Others: othersOf(during, outcome)}
	if len(during.Autovacuum) > 0 {
		end.Autovacuum = &runfile.Autovacuum{On: during.Autovacuum}
	}
	disturbed = end.Others != nil || end.Autovacuum != nil
	switch {
	case failed != nil:
		end.Failed = failed.Error()
	case load == runfile.IdleLoad && end.Others != nil:
		end.Failed = "other sessions were active: " + strings.Join(during.Others, ", ")
	case load == runfile.IdleLoad && disturbed:
		end.Failed = "autovacuum was at work on " + strings.Join(during.Autovacuum, ", ")
	}
	if failed == nil {
		failed = m.recordChanges(ctx)
	}
	if load != runfile.IdleLoad {
		if err := m.record(work); err != nil {
			return disturbed, err
		}
	}
	if err := errors.Join(failed, m.record(end)); err != nil || load == runfile.IdleLoad {
		return disturbed, err
	}
	return disturbed, m.tellRelations(ctx, n)
}

// recordChanges records the settings that have changed since the last look.
func (m *measurement) recordChanges(ctx context.Context) error {
	now, err := postgres.Settings(ctx, m.Control)
	if err != nil {
		return err
	}
	at := time.Now()
	changes := postgres.Changes(m.settings, m.looked, now, at)
	m.settings, m.looked = now, at
	for _, change := range changes {
		if err := m.record(change); err != nil {
			return err
		}
	}
	return nil
}

// tellWithin bounds the time to attribute a repetition's WAL to tables and indexes: some hundred megabytes.
const tellWithin = 5 * time.Second

// tellRelations records a repetition's WAL by tables and indexes, after its end, because
// the queries may write hint bits.
func (m *measurement) tellRelations(ctx context.Context, n int) error {
	w, err := m.Relations.Relations(ctx, tellWithin)
	if err != nil {
		return err
	}
	w.Load, w.Repetition = runfile.OperationLoad, n
	return m.record(w)
}

// settle lets the counters catch up, and takes the reading before a repetition. It reads twice, since the first
// reading after a change sets hint bits and prunes catalog pages, which writes WAL. A session that connects after the
// second may be in the repetition's counts, so the watch begins earlier.
func (m *measurement) settle(ctx context.Context, ours postgres.Sessions) (*postgres.Watch, error) {
	if err := m.awaitReadiness(ctx); err != nil {
		return nil, err
	}
	if err := m.clock.ReadAll(ctx); err != nil {
		return nil, err
	}
	if m.FirstTouch {
		if err := postgres.Exec(ctx, m.Control, "checkpoint"); err != nil {
			return nil, fmt.Errorf("request a checkpoint: %w", err)
		}
	}
	if err := m.awaitCounted(ctx); err != nil {
		return nil, err
	}
	watch, err := m.Facts.Watch(ctx, m.Control, ours)
	if err != nil {
		return nil, err
	}
	if err := m.clock.ReadAll(ctx); err != nil {
		return nil, err
	}
	if err := m.Relations.PassRelations(ctx); err != nil {
		return nil, err
	}
	return watch, m.remember(ctx)
}

func (m *measurement) awaitCounted(ctx context.Context) error {
	if err := m.Facts.ReportCounters(ctx, m.Control); err != nil {
		return err
	}
	return m.clock.WaitForCounters(ctx)
}

// finish waits until the work is counted, and takes a reading.
func (m *measurement) finish(ctx context.Context, watch *postgres.Watch, outcome Outcome) (postgres.Seen, error) {
	during, err := m.awaitReported(ctx, watch, reportedWithin)
	if err != nil {
		return during, err
	}
	if !outcome.GoesOn {
		watch.Over(during)
	}
	for _, step := range []func(context.Context) error{m.clock.ReadAll, m.ReadWAL, m.awaitCounted, m.clock.ReadAll} {
		if err := step(ctx); err != nil {
			return during, err
		}
	}
	after, err := watch.Look(ctx, m.Control) // sessions that came meanwhile may be in the counts
	if err != nil {
		return during, err
	}
	during = during.And(after)
	during.Autovacuum, err = watch.Autovacuumed(ctx, m.Control)
	return during, err
}
