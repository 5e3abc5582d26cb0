package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
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

// steps holds the steps by letter.
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
