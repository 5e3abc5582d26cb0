package pgstat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// mark identifies our statements in the server's log and statistics.
const mark = "/* realiops */ "

// limits apply to the transaction that [postgres.SafeTransaction] opened: a locked view must fail alone and soon, and
// a pooler must not pass our limits to its next client. Statements keep their plans, since the server would plan those
// with arguments again in each reading. This one also returns the settings that are off.
const limits = mark +
	`select pg_catalog.set_config('statement_timeout', '1s', true), pg_catalog.set_config('lock_timeout', '100ms', true),
	pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true),
	array(select s from pg_catalog.unnest($1::pg_catalog.text[]) s where pg_catalog.current_setting(s, true) is distinct from 'on')`

// session is a connection, with the properties of its server.
type session struct {
	conn       *pgx.Conn
	pooled     bool // each reading may reach another session, or another server
	server     catalog
	statements []statement
	gaps       []runfile.Gap   // views that it lacks or refuses, repeated in every sample
	kept       map[string]kept // by the SQL of signed and constant statements
}

// kept is the last answer to a statement.
type kept struct {
	at     time.Time
	sign   *string
	values []*float64
}

// keptFor bounds how long an answer is kept while its sign is unchanged.
const keptFor = 30 * time.Second

// connect opens a session and finds out what it can read.
func connect(ctx context.Context, config *pgx.ConnConfig, views []view) (*session, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, kept: map[string]kept{}}
	if err := s.learn(ctx, views); err != nil {
		_ = conn.Close(ctx) // the earlier error is the one to report
		return nil, err
	}
	return s, nil
}

func (s *session) learn(ctx context.Context, views []view) error {
	var backend int
	err := postgres.QueryRow(ctx, s.conn, mark+`select pg_catalog.current_setting('server_version_num')::int,
		pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1), `+postgres.Named("pg_catalog.current_database()")+`,
		array(select extname::pg_catalog.text from pg_catalog.pg_extension), pg_catalog.pg_backend_pid()`).Scan(
		&s.server.number, &s.server.version, (*postgres.Name)(&s.server.database), &s.server.extensions, &backend)
	if err != nil {
		return fmt.Errorf("identify the server: %w", err)
	}
	if err := s.learnRelations(ctx, views); err != nil {
		return fmt.Errorf("list the server's statistics: %w", err)
	}
	s.pooled = postgres.BehindPooler(s.conn, backend)
	for _, sql := range []string{postgres.SafeTransaction, limits} {
		if err := s.prepare(ctx, statement{sql: sql}); err != nil {
			return err
		}
	}
	for _, v := range views {
		statement, gaps := v.ask(s.server)
		s.gaps = append(s.gaps, gaps...)
		if len(statement.answers) == 0 {
			continue
		}
		s.statements = append(s.statements, statement)
		if err := s.prepare(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// learnRelations finds the server's own views, and those of extensions in any schema.
func (s *session) learnRelations(ctx context.Context, views []view) error {
	var names, extensions, functions []string
	for _, v := range views {
		if v.only {
			functions = append(functions, v.relations...)
			continue
		}
		names = append(names, v.relations...)
		extensions = append(extensions, v.extension)
	}
	s.server.relations = map[string]relation{}
	var name, path string
	var columns []string
	return postgres.ForEachRow(ctx, s.conn, []any{&name, &path, &columns}, func() {
		s.server.relations[name] = relation{path, slices.Clone(columns)}
	}, mark+`select c.relname::pg_catalog.text, pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.array_agg(a.attname::pg_catalog.text)
		from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
		join pg_catalog.pg_namespace n on n.oid = c.relnamespace
		where c.relname = any($1) and a.attnum > 0 and not a.attisdropped and (n.nspname = 'pg_catalog'
			or `+postgres.OfExtension("pg_class", "c.oid", "c.relowner", "any ($2)")+`)
		group by c.relname, n.nspname
		union all select p.proname::pg_catalog.text, pg_catalog.format('pg_catalog.%I', p.proname), p.proargnames from pg_catalog.pg_proc p
		where p.proname = any($3) and p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace and p.pronargs = 0 and p.proargnames is not null`, names, extensions, functions)
}

// prepare saves planning a statement in every reading, nine tenths of the cost. Behind a pooler the next reading
// may reach a session without it.
func (s *session) prepare(ctx context.Context, ask statement) error {
	if s.pooled {
		return nil
	}
	_, err := s.conn.Prepare(ctx, ask.sql, ask.sql)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && !s.conn.IsClosed() {
		s.refuse(ask, refused)
		return nil
	}
	return err
}

// read runs the wanted statements in one transaction. A failed one ends it, so the rest run in another. An error
// means that the session is over.
func (s *session) read(ctx context.Context, wanted func(statement) bool) (probe.Sample, error) {
	sample := probe.Sample{Values: map[string]float64{}}
	var passing []runfile.Gap
	unwanted := func(ask statement) bool { return !wanted(ask) }
	for left := slices.DeleteFunc(slices.Clone(s.statements), unwanted); len(left) > 0; {
		read, err := s.ask(ctx, left, &sample)
		if err == nil {
			break
		}
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || s.conn.IsClosed() {
			return probe.Sample{}, err
		}
		if read == len(left) {
			return probe.Sample{}, err // the end of the transaction failed
		}
		if !s.refuse(left[read], refused) {
			passing = append(passing, left[read].gaps(refused)...)
		}
		left = left[read+1:]
	}
	sample.Gaps = slices.Concat(s.gaps, passing, sample.Gaps)
	return sample, nil
}

func (s *session) ask(ctx context.Context, statements []statement, sample *probe.Sample) (read int, err error) {
	batch := &pgx.Batch{}
	batch.Queue(postgres.SafeTransaction)
	batch.Queue(limits, settings())
	for _, ask := range statements {
		if s.stands(ask) {
			continue
		}
		arguments := ask.arguments
		if ask.signed {
			if time.Since(s.kept[ask.sql].at) > keptFor {
				delete(s.kept, ask.sql)
			}
			arguments = append(slices.Clip(arguments), s.kept[ask.sql].sign)
		}
		batch.Queue(ask.sql, arguments...)
	}
	results := s.conn.SendBatch(ctx, batch)
	defer func() { err = cmp.Or(err, results.Close()) }()
	if _, err := results.Exec(); err != nil {
		return 0, err
	}
	var off []string
	if err := results.QueryRow().Scan(nil, nil, nil, &off); err != nil {
		return 0, err
	}
	for i, ask := range statements {
		values := s.kept[ask.sql].values
		if !s.stands(ask) {
			if values, err = s.answer(ask, results.QueryRow()); err != nil {
				return i, err
			}
		}
		ask.readInto(sample, values, off)
	}
	return len(statements), nil
}

// stands reports whether a statement's kept answer is still good.
func (s *session) stands(ask statement) bool {
	_, answered := s.kept[ask.sql]
	return ask.constant && answered && !s.pooled
}

// answer reads the values of the one row. There is none if the sign is unchanged: then the kept values are.
func (s *session) answer(ask statement, row pgx.Row) ([]*float64, error) {
	values := make([]*float64, len(ask.answers))
	targets := make([]any, len(ask.answers))
	for i := range values {
		targets[i] = &values[i]
	}
	now := kept{at: time.Now(), values: values}
	if !ask.signed {
		err := row.Scan(targets...)
		if err == nil && ask.constant {
			s.kept[ask.sql] = now
		}
		return values, err
	}
	err := row.Scan(append(targets, &now.sign)...)
	switch before, known := s.kept[ask.sql]; {
	case err == nil:
		s.kept[ask.sql] = now
	case known && errors.Is(err, pgx.ErrNoRows):
		return before.values, nil
	}
	return values, err
}

// readInto adds the values to the sample. A NULL is a gap, and so is a counter that a setting switches off.
func (a statement) readInto(sample *probe.Sample, values []*float64, off []string) {
	for i, answer := range a.answers {
		if gap, missing := answer.gap(values[i], off); missing {
			sample.Gaps = append(sample.Gaps, gap)
		} else {
			sample.Values[answer.metric] = *values[i]
		}
	}
}

// refuse drops a statement from now on, if the server's refusal is a lasting one.
func (s *session) refuse(ask statement, why *pgconn.PgError) bool {
	if reason := reasonOf(why.Code); reason == runfile.Late || reason == runfile.Failed {
		return false
	}
	s.gaps = append(s.gaps, ask.gaps(why)...)
	s.statements = slices.DeleteFunc(s.statements, func(other statement) bool { return other.sql == ask.sql })
	return true
}

// gaps returns a gap for every value of the statement.
func (a statement) gaps(why *pgconn.PgError) []runfile.Gap {
	gap := runfile.Gap{Reason: reasonOf(why.Code), Code: why.Code, Detail: why.Message}
	var gaps []runfile.Gap
	for _, answer := range a.answers {
		gap.Metric = answer.metric
		gaps = append(gaps, gap)
	}
	return gaps
}
