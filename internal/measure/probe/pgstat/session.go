package pgstat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// mark tells the server's people, in its log and its statistics, whose statement it is.
const mark = "/* realiops */ "

// limits hold for the transaction that they open: a view that somebody has locked must fail alone and soon, and a
// pooler must not hand our limits on to the next client.
const limits = mark + "select set_config('statement_timeout', '1s', true), set_config('lock_timeout', '100ms', true)"

// session is a connection and what the server at its other end has.
type session struct {
	conn       *pgx.Conn
	server     catalog
	statements []statement
	gaps       []runfile.Gap // what it lacks or refuses, said in every sample
}

// connect opens a session and finds out what can be asked in it.
func connect(ctx context.Context, config *pgx.ConnConfig, views []view) (*session, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn}
	if err := s.learn(ctx, views); err != nil {
		_ = conn.Close(ctx) // the error before says it all
		return nil, err
	}
	return s, nil
}

func (s *session) learn(ctx context.Context, views []view) error {
	var backend int
	err := s.conn.QueryRow(ctx, mark+`select current_setting('server_version_num')::int,
		split_part(current_setting('server_version'), ' ', 1), pg_backend_pid()`).Scan(&s.server.number, &s.server.version, &backend)
	if err != nil {
		return fmt.Errorf("ask the server what it is: %w", err)
	}
	if err := s.learnColumns(ctx, views); err != nil {
		return fmt.Errorf("ask the server which statistics it has: %w", err)
	}
	pooled := int(s.conn.PgConn().PID()) != backend
	for _, v := range views {
		statement, gaps := v.ask(s.server)
		s.gaps = append(s.gaps, gaps...)
		if len(statement.metrics) == 0 {
			continue
		}
		s.statements = append(s.statements, statement)
		if err := s.prepare(ctx, statement, pooled); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) learnColumns(ctx context.Context, views []view) error {
	var relations []string
	for _, v := range views {
		relations = append(relations, v.relations...)
	}
	rows, err := s.conn.Query(ctx, mark+`select c.relname::text, array_agg(a.attname::text)
		from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'pg_catalog'::regnamespace and c.relname = any($1) and a.attnum > 0 and not a.attisdropped
		group by c.relname`, relations)
	if err != nil {
		return err
	}
	s.server.columns = map[string][]string{}
	var relation string
	var columns []string
	_, err = pgx.ForEachRow(rows, []any{&relation, &columns}, func() error {
		s.server.columns[relation] = slices.Clone(columns)
		return nil
	})
	return err
}

// prepare spares the server to plan a statement in every reading, which is nine tenths of the cost. Behind a pooler
// the next reading may reach another session, which knows nothing of it.
func (s *session) prepare(ctx context.Context, ask statement, pooled bool) error {
	if pooled {
		return nil
	}
	_, err := s.conn.Prepare(ctx, ask.sql, ask.sql)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && !s.conn.IsClosed() {
		s.refuse(ask, refused)
		return nil
	}
	return err
}

// read asks all statements in one transaction. One that fails ends the transaction, so those after it are asked in
// another. An error means that the session is over.
func (s *session) read(ctx context.Context) (probe.Sample, error) {
	sample := probe.Sample{Values: map[string]float64{}}
	var passing []runfile.Gap
	for left := slices.Clone(s.statements); len(left) > 0; {
		read, err := s.ask(ctx, left, &sample)
		if err == nil {
			break
		}
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || s.conn.IsClosed() {
			return probe.Sample{}, err
		}
		if read == len(left) {
			return probe.Sample{}, err // it was the end of the transaction that failed
		}
		if !s.refuse(left[read], refused) {
			passing = append(passing, left[read].gaps(refused)...)
		}
		left = left[read+1:]
	}
	sample.Gaps = slices.Concat(s.gaps, passing, sample.Gaps)
	return sample, nil
}

// ask reads statements into the sample and tells how many it has read.
func (s *session) ask(ctx context.Context, statements []statement, sample *probe.Sample) (read int, err error) {
	batch := &pgx.Batch{}
	batch.Queue(limits)
	for _, ask := range statements {
		batch.Queue(ask.sql, ask.arguments...)
	}
	results := s.conn.SendBatch(ctx, batch)
	defer func() { err = cmp.Or(err, results.Close()) }()
	if _, err := results.Exec(); err != nil {
		return 0, err
	}
	for i, ask := range statements {
		if err := ask.readInto(sample, results.QueryRow()); err != nil {
			return i, err
		}
	}
	return len(statements), nil
}

// readInto takes the values of the one row; what is NULL there is a gap.
func (a statement) readInto(sample *probe.Sample, row pgx.Row) error {
	values := make([]*float64, len(a.metrics))
	targets := make([]any, len(a.metrics))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := row.Scan(targets...); err != nil {
		return err
	}
	for i, metric := range a.metrics {
		if values[i] != nil {
			sample.Values[metric] = *values[i]
			continue
		}
		gap := runfile.Gap{Metric: metric, Reason: runfile.Unsupported, Detail: "the server's answer is NULL"}
		sample.Gaps = append(sample.Gaps, gap)
	}
	return nil
}

// refuse leaves a statement out from now on, if the server's refusal is one that lasts.
func (s *session) refuse(ask statement, why *pgconn.PgError) bool {
	if !lasts(why.Code) {
		return false
	}
	s.gaps = append(s.gaps, ask.gaps(why)...)
	s.statements = slices.DeleteFunc(s.statements, func(other statement) bool { return other.sql == ask.sql })
	return true
}

// gaps is one gap for every value that the statement would have given.
func (a statement) gaps(why *pgconn.PgError) []runfile.Gap {
	gap := gapOf(why)
	var gaps []runfile.Gap
	for _, metric := range a.metrics {
		gap.Metric = metric
		gaps = append(gaps, gap)
	}
	return gaps
}
