// Package anatomy counts WAL records by kind: inserts, index entries, sequences, commits.
// pg_stat_wal has only their sum.
//
// It reads the WAL itself, by pg_walinspect (PostgreSQL 15 and later) or from its files by pg_waldump. Its windows
// begin and end at records, so that adjacent windows count every record once. A [Sampler] reads in two ways:
//
//   - A reading takes all new WAL if there is little. Under load it takes one window at a random place, at most every
//     half second, and small enough to cost the server at most half a percent of one core.
//   - [Sampler.ReadWAL] looks back when the load is over, before a checkpoint lets the server recycle its WAL: at
//     everything that no window has covered yet, for half a second at most. Then the anatomy of a load is exact, or
//     nearly so.
//
// The covered part is counted as well. If a part of the WAL was recycled before the look back, only the windows taken
// under load count: they are spread evenly, and the remaining WAL is not.
package anatomy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Sampler reads the WAL of one server. Its methods may be called from several goroutines, and wait for each other.
type Sampler struct {
	config *pgx.ConnConfig
	schema string // for creating the extension; empty: do not
	files  *Files // to read the WAL from; nil: the server reads it

	turn    probe.Turn // guards the fields below
	session *session   // nil while there is no connection
	refused error      // a lasting refusal: repeating the query would only fill the server's log

	begun   bool // the position in the WAL is known
	course  course
	walRead bool // since the last WaitForCounters
	counted counts

	relations relations
	asCounted bool // they end with the readings
}

// New connects and checks that the server lets us read its WAL. If pg_walinspect is missing, it creates it in schema,
// with which it is dropped later; an empty schema means that nothing may be created. If the server answers, the error
// is a *probe.Error; see Remedy.
func New(ctx context.Context, config *pgx.ConnConfig, schema string) (*Sampler, error) {
	return open(ctx, config, schema, nil)
}

// NewOfFiles connects, and reads the WAL from its files by pg_waldump, for servers that cannot read it themselves or
// do not let this user. Each window takes a process, so nothing is read under load.
func NewOfFiles(ctx context.Context, config *pgx.ConnConfig, files Files) (*Sampler, error) {
	return open(ctx, config, "", &files)
}

func open(ctx context.Context, config *pgx.ConnConfig, schema string, files *Files) (*Sampler, error) {
	config = config.Copy()
	config.RuntimeParams["application_name"] = "realiops"
	// Works through a pooler; see session.prepare of package pgstat.
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

// Metrics lists the metrics of every server. Their source names the program that reads them.
func (s *Sampler) Metrics() []runfile.Metric {
	metrics := Metrics()
	if s.files != nil {
		for i := range metrics {
			metrics[i].Source = metric.WALFilesManual
		}
	}
	return metrics
}

// Sample counts the new WAL, or a window of it. It reconnects if the session was lost.
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
		return nil // the look back does all
	}
	place, due := s.course.next(end, time.Now())
	if !due {
		return nil
	}
	began := time.Now()
	window, err := s.session.count(ctx, place)
	s.counted.pass(s.course.advance(end, began))
	if err != nil {
		s.course.begin(end) // earlier WAL is recycled or cannot be read
		return err
	}
	s.course.covered(window, time.Since(began))
	s.counted.add(window)
	return nil
}

// begin starts at the end of the WAL, once. It may lie inside a record, since readers of the WAL skip to the next.
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

// failed closes a useless session, and converts the error to the terms of a gap.
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

// Close ends the session. A later use of the sampler reconnects.
func (s *Sampler) Close(ctx context.Context) {
	if s.turn.Take(ctx) == nil {
		defer s.turn.Release()
		s.hangUp(ctx)
	}
}

// hangUp closes the session, ignoring errors: it is useless anyway.
func (s *Sampler) hangUp(ctx context.Context) {
	if s.session != nil {
		_ = s.session.conn.Close(ctx)
		s.session = nil
	}
}

// ReadWAL reads and counts the WAL since the last WaitForCounters that no window has covered. Call it after a load
// and before the next checkpoint, after which the server may recycle that WAL. WAL that it cannot read stays
// uncovered; the error is about ctx only.
func (s *Sampler) ReadWAL(ctx context.Context) error { return s.lookBack(ctx, true) }

// WaitForCounters moves on to the end of the WAL. After a ReadWAL, it counts the WAL since then, which completes a
// load's. Otherwise the WAL since the last WaitForCounters belongs to no load, and is skipped.
func (s *Sampler) WaitForCounters(ctx context.Context) error { return s.lookBack(ctx, false) }

// lookBack ends the course at the end of the WAL, and counts the WAL before it if a load is over.
func (s *Sampler) lookBack(ctx context.Context, loadOver bool) error {
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	if s.refused != nil {
		return nil
	}
	s.walRead = s.walRead || loadOver // stays so until the end is known, up to which the WAL is counted
	if err := s.countBack(ctx, loadOver); err != nil && ctx.Err() == nil {
		_ = s.failed(ctx, err) // the next reading reports it, if it lasts
	}
	return ctx.Err()
}

func (s *Sampler) countBack(ctx context.Context, loadOver bool) error {
	if err := s.connected(ctx); err != nil {
		return err
	}
	end, known, err := s.session.flushedEnd(ctx, s.course.at)
	if err != nil {
		return err
	}
	if s.begin(end); !known {
		s.counted.pass(s.course.pass(end)) // later WAL belongs to no load
		return nil
	}
	end = max(end, s.course.at)
	s.counted.pass(s.course.advance(end, time.Now()))
	var places []place
	if s.walRead {
		places = s.course.rest(end)
	}
	s.walRead = loadOver
	s.course.begin(end)
	return s.session.countAll(ctx, places, s.counted.add)
}

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	notSupported      = "0A000"
	noPrivilege       = "42501"
	undefinedObject   = "42704"
	undefinedFunction = "42883"
	invalidSchemaName = "3F000"
	internalError     = "XX000" // up to 15: the same, or there is no complete record
	undefinedFile     = "58P01" // recycled WAL
	queryCanceled     = "57014" // by statement_timeout
	invalidParameter  = "22023" // a position outside the WAL
)

func isRefusal(err error) (*pgconn.PgError, bool) { return errors.AsType[*pgconn.PgError](err) }

func gap(reason runfile.Reason, code, format string, arguments ...any) error {
	return &probe.Error{Reason: reason, Code: code, Err: fmt.Errorf(format, arguments...)}
}

// asError converts an error of reading to the terms of a gap.
func asError(err error) error {
	if known, ok := errors.AsType[*probe.Error](err); ok {
		return known
	}
	refused, ok := isRefusal(err)
	if !ok {
		return err
	}
	reason := runfile.Failed
	switch refused.Code {
	case noPrivilege:
		reason = runfile.Permission
	case notSupported, undefinedFunction, invalidSchemaName:
		reason = runfile.Unsupported
	case internalError, undefinedFile, queryCanceled, invalidParameter:
		reason = runfile.Late
	}
	return &probe.Error{Reason: reason, Code: refused.Code, Err: errors.New(refused.Message)}
}

// lasts reports whether asking again would get the same answer.
func lasts(err error) bool {
	known, ok := errors.AsType[*probe.Error](err)
	return ok && slices.Contains([]runfile.Reason{runfile.Permission, runfile.Unsupported, runfile.Absent}, known.Reason)
}
