package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
)

// Initialize runs the steps on a session, and reports on Progress. If a step fails, earlier steps stay done, and the
// step that generates rows leaves none.
func Initialize(ctx context.Context, conn *pgx.Conn, options Options) error {
	o, err := options.completed()
	if err != nil {
		return err
	}
	i := &initializer{session: session{conn}, Options: o}
	if err := i.rehearse(ctx); err != nil {
		return err
	}
	var took []string
	begin := time.Now()
	for _, letter := range o.Steps {
		s, known := steps[letter]
		if !known {
			continue // a blank
		}
		start := time.Now()
		if err := s.take(i, ctx); err != nil {
			return fmt.Errorf("initialize: %s: %w", s.name, causeOf(ctx, err))
		}
		took = append(took, fmt.Sprintf("%s %.2f s", s.name, time.Since(start).Seconds()))
	}
	i.say("done in %.2f s (%s).\n", time.Since(begin).Seconds(), strings.Join(took, ", "))
	return nil
}

// rehearse makes the tables in a transaction that it rolls back, if old ones are to be dropped. So the old tables
// survive if a later step cannot work: a tablespace, a privilege or a step may be missing.
func (i *initializer) rehearse(ctx context.Context) error {
	if !strings.Contains(i.Steps, "d") {
		return nil
	}
	silent := *i
	silent.Progress = io.Discard
	errDone := errors.New("rehearsed")
	err := pgx.BeginFunc(ctx, i.conn, func(pgx.Tx) error {
		for _, letter := range i.Steps {
			s, known := steps[letter]
			if !known || !s.defines {
				continue // a blank, or rows
			}
			if err := s.take(&silent, ctx); err != nil {
				return fmt.Errorf("initialize: %s: %w; nothing was dropped", s.name, causeOf(ctx, err))
			}
		}
		return errDone
	})
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

// causeOf returns the cause of a context that has ended, which is better than err.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// initializer is a session with its options.
type initializer struct {
	session
	Options
}

func (i *initializer) say(format string, args ...any) { fmt.Fprintf(i.Progress, format, args...) }

// step is one letter of -I, with its name in pgbench's last line.
type step struct {
	name    string
	take    func(*initializer, context.Context) error
	defines bool // it only creates or drops tables and keys
}

var steps = map[rune]step{
	'd': {"drop tables", (*initializer).drop, true},
	't': {"create tables", (*initializer).create, true},
	'g': {"client-side generate", (*initializer).generate, false},
	'G': {"server-side generate", (*initializer).generateOnServer, false},
	'v': {"vacuum", (*initializer).vacuum, false},
	'p': {"primary keys", (*initializer).addPrimaryKeys, true},
	'f': {"foreign keys", (*initializer).addForeignKeys, true},
}

// detailed adds the server's details of an error to its message.
func detailed(err error, sql string) error {
	if details := postgres.Details(err, sql); len(details) > 0 {
		return fmt.Errorf("%w; %s", err, strings.Join(details, "; "))
	}
	return err
}

// session runs statements by the simple protocol, unprepared, which works through a pooler.
type session struct{ conn *pgx.Conn }

func (s session) run(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := s.conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			return detailed(err, sql)
		}
	}
	return nil
}

const undefinedTable = "42P01"

// Scale returns the scale of the tables: the number of branches.
func Scale(ctx context.Context, conn *pgx.Conn) (int, error) {
	var scale int
	err := conn.QueryRow(ctx, "select pg_catalog.count(*) from pgbench_branches").Scan(&scale)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == undefinedTable {
		return 0, fmt.Errorf("count the branches: %s; create the tables with -i first, or run your own script with -f",
			refused.Message)
	}
	if err != nil {
		return 0, fmt.Errorf("count the branches: %w", causeOf(ctx, err))
	}
	return scale, nil
}

// Partitions returns the partitioning method of pgbench_accounts and its number of partitions. The method is empty if
// the table is not partitioned or does not exist.
func Partitions(ctx context.Context, conn *pgx.Conn) (method Method, count int, err error) {
	var letter string
	err = conn.QueryRow(ctx, `
		select p.partstrat::pg_catalog.text, (select pg_catalog.count(*) from pg_catalog.pg_inherits as i where i.inhparent operator(pg_catalog.=) p.partrelid)
		from pg_catalog.pg_partitioned_table as p
		where p.partrelid operator(pg_catalog.=) pg_catalog.to_regclass('pgbench_accounts')`).Scan(&letter, &count)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", 0, nil
	case err != nil:
		return "", 0, fmt.Errorf("read the partitions of pgbench_accounts: %w", causeOf(ctx, err))
	case letter == "r":
		return Range, count, nil
	case letter == "h":
		return Hash, count, nil
	default:
		return "", 0, fmt.Errorf("unexpected partition method %q of pgbench_accounts; want %s or %s", letter, Range, Hash)
	}
}

func (i *initializer) vacuum(ctx context.Context) error {
	i.say("vacuuming...\n")
	return i.run(ctx, "vacuum analyze pgbench_branches", "vacuum analyze pgbench_tellers",
		"vacuum analyze pgbench_accounts", "vacuum analyze pgbench_history")
}

// Vacuum does what pgbench does before a run without -n: it vacuums the two small tables and truncates the history.
// With accounts, as with -v, it also vacuums the large one. Errors of the server are reported on progress and
// otherwise ignored, because custom scripts need none of these tables.
func Vacuum(ctx context.Context, conn *pgx.Conn, accounts bool, progress io.Writer) error {
	v := vacuumer{session{conn}, progress}
	err := v.all(ctx, "starting vacuum...",
		"vacuum pgbench_branches", "vacuum pgbench_tellers", "truncate pgbench_history")
	if err == nil && accounts {
		err = v.all(ctx, "starting vacuum pgbench_accounts...", "vacuum analyze pgbench_accounts")
	}
	if err != nil {
		return fmt.Errorf("vacuum before the run: %w", causeOf(ctx, err))
	}
	return nil
}

type vacuumer struct {
	session
	progress io.Writer
}

func (v vacuumer) all(ctx context.Context, title string, statements ...string) error {
	fmt.Fprint(v.progress, title)
	for _, sql := range statements {
		err := v.run(ctx, sql)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if err != nil && (!ok || v.conn.IsClosed()) {
			return err
		}
		if ok {
			fmt.Fprintf(v.progress, "%s (ignored)\n", printable.Line(refused.Message))
		}
	}
	fmt.Fprint(v.progress, "end.\n")
	return nil
}
