// Package anatomy counts the records of the write-ahead log by kind: inserts, index entries, sequences, commits.
// pg_stat_wal has only their sum.
//
// It reads the WAL itself, by pg_walinspect (PostgreSQL 15 and later) or from its files by pg_waldump, in windows that
// begin and end where records do, so that windows side by side count every record once. A [Sampler] looks in two ways:
//
//   - A reading takes all that is new where that is little. Under load it takes one window at a place drawn at random,
//     so small that it costs the server half a percent of one core at most, and no more often than every half second.
//   - [Sampler.ReadWAL] looks back when the load is over, before a checkpoint lets the server recycle it: at everything that no
//     window has covered yet, for half a second at most. Then the anatomy of a load is exact, or nearly so.
//
// How much was covered is counted beside the parts. Where a part of the WAL was recycled before it could be looked
// back at, the windows taken under load stand alone: they lie evenly, and what is left of the WAL does not.
package anatomy

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Sampler reads the WAL of one server. Its methods may be called from several goroutines, and wait for each other.
type Sampler struct {
	config *pgx.ConnConfig
	schema string // where the extension may be made; empty: nowhere
	files  *Files // that the WAL is read from; nil: the server reads it

	turn    probe.Turn // held by the user of the fields below
	session *session   // nil while there is no connection
	refused error      // that lasts: asking again would only fill the server's log

	begun   bool // the position in the WAL is known
	course  course
	walRead bool // since the last WaitForCounters
	counted counts

	relations relations
	asCounted bool // they end where the readings do
}

// New connects and finds out whether the server lets us read its WAL. Where pg_walinspect is not installed, it is made
// in the schema, which goes away with all that is in it; an empty schema is for servers where nothing may be made. The
// error is a *probe.Error if the server answers; see Remedy.
func New(ctx context.Context, config *pgx.ConnConfig, schema string) (*Sampler, error) {
	return open(ctx, config, schema, nil)
}

// NewOfFiles connects, and reads the WAL from its files by pg_waldump: for servers that cannot read it themselves, or
// do not let this user. It takes a process for each window, so that nothing is read under load.
func NewOfFiles(ctx context.Context, config *pgx.ConnConfig, files Files) (*Sampler, error) {
	return open(ctx, config, "", &files)
}

func open(ctx context.Context, config *pgx.ConnConfig, schema string, files *Files) (*Sampler, error) {
	config = config.Copy()
	config.RuntimeParams["application_name"] = "realiops"
	// a pooler may stand in between; see session.prepare of package pgstat
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	s := &Sampler{config: config, schema: schema, files: files, turn: probe.NewTurn(), counted: counts{}}
	if _, err := s.Sample(ctx); err != nil {
		s.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return s, nil
}

// Name is anatomy.
func (s *Sampler) Name() string { return Name }

// Metrics lists what is read of any server. Their source tells which program reads it.
func (s *Sampler) Metrics() []runfile.Metric {
	metrics := Metrics()
	if s.files != nil {
		for i := range metrics {
			metrics[i].Source = metric.WALFilesManual
		}
	}
	return metrics
}

// Sample counts what is new in the WAL, or a window of it. It connects again if the session was lost.
func (s *Sampler) Sample(ctx context.Context) (probe.Sample, error) {
	if err := s.turn.Take(ctx); err != nil {
		return probe.Sample{}, err
	}
	defer s.turn.Release()
	if s.refused != nil {
		return probe.Sample{}, s.refused
	}
	if err := s.look(ctx); err != nil {
		return probe.Sample{}, s.failed(ctx, err)
	}
	return probe.Sample{Values: s.counted.values()}, nil
}

// look moves on to the end of the WAL.
func (s *Sampler) look(ctx context.Context) error {
	if err := s.connected(ctx); err != nil {
		return err
	}
	end, known, err := s.session.end(ctx)
	if err != nil {
		return err
	}
	s.begin(end)
	if !known || s.files != nil {
		return nil // a look back does all
	}
	place, due := s.course.next(end, time.Now())
	if !due {
		return nil
	}
	began := time.Now()
	window, err := s.session.count(ctx, place)
	s.counted.pass(s.course.advance(end, began))
	if err != nil {
		s.course.begin(end) // what lies before is gone, or cannot be read
		return err
	}
	s.course.covered(window, time.Since(began))
	s.counted.add(window)
	return nil
}

// begin starts at the end of the WAL, once. Inside of a record will do, since readers of the WAL look for the next one
// from there.
func (s *Sampler) begin(end uint64) {
	if !s.begun {
		s.begun, s.course = true, course{from: end, at: end, passed: end, looked: time.Now(), speed: assumedSpeed}
	}
}

func (s *Sampler) connected(ctx context.Context) (err error) {
	if s.session == nil {
		s.session, err = connect(ctx, s.config, s.schema, s.files)
	}
	return err
}

// failed ends a session that is of no use any more, and puts the error into the terms of a gap.
func (s *Sampler) failed(ctx context.Context, err error) error {
	err = asError(err)
	if lasts(err) {
		s.refused = err
	}
	if s.refused != nil || s.session != nil && s.session.conn.IsClosed() {
		s.hangUp(ctx)
	}
	return err
}

// Close ends the session. The sampler may be used again, and then connects anew.
func (s *Sampler) Close(ctx context.Context) {
	if s.turn.Take(ctx) == nil {
		defer s.turn.Release()
		s.hangUp(ctx)
	}
}

// hangUp is not an error to anybody when it fails: the session is of no use any more.
func (s *Sampler) hangUp(ctx context.Context) {
	if s.session != nil {
		_ = s.session.conn.Close(ctx)
		s.session = nil
	}
}
