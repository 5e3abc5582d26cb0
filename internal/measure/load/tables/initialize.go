package tables

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Initialize takes the steps on a session, and says on Progress what it does. When it returns an error, the steps
// before are done and the data of a step that generates it are not there.
func Initialize(ctx context.Context, conn *pgx.Conn, options Options) error {
	o, err := options.completed()
	if err != nil {
		return err
	}
	i := &initializer{session: session{conn}, Options: o}
	var took []string
	begin := time.Now()
	for _, letter := range o.Steps {
		s, known := stepOf(letter)
		if !known {
			continue // a blank
		}
		start := time.Now()
		if err := s.take(i, ctx); err != nil {
			return fmt.Errorf("initialize, %s: %w", s.name, causeOf(ctx, err))
		}
		took = append(took, fmt.Sprintf("%s %.2f s", s.name, time.Since(start).Seconds()))
	}
	i.say("done in %.2f s (%s).\n", time.Since(begin).Seconds(), strings.Join(took, ", "))
	return nil
}

// causeOf says why a context ended where that is what went wrong.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// initializer is a session with what is to be made on it.
type initializer struct {
	session
	Options
}

func (i *initializer) say(format string, args ...any) { fmt.Fprintf(i.Progress, format, args...) }

// step is one letter of -I, under the name that pgbench's last line gives it.
type step struct {
	name string
	take func(*initializer, context.Context) error
}

func stepOf(letter rune) (step, bool) {
	switch letter {
	case 'd':
		return step{"drop tables", (*initializer).drop}, true
	case 't':
		return step{"create tables", (*initializer).create}, true
	case 'g':
		return step{"client-side generate", (*initializer).generate}, true
	case 'G':
		return step{"server-side generate", (*initializer).generateOnServer}, true
	case 'v':
		return step{"vacuum", (*initializer).vacuum}, true
	case 'p':
		return step{"primary keys", (*initializer).addPrimaryKeys}, true
	case 'f':
		return step{"foreign keys", (*initializer).addForeignKeys}, true
	default:
		return step{}, false
	}
}

// session runs statements as they are: the simple protocol, nothing prepared, so that a pooler may stand between.
type session struct{ conn *pgx.Conn }

func (s session) run(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := s.conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			return err
		}
	}
	return nil
}
