package operation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// Sessions picks sessions that were there before an operation and work for it: by what they call themselves, by whose they
// are, or all in its database. The zero value picks none.
type Sessions struct {
	ApplicationName, User string
	All                   bool
}

// seen is who was seen on the server.
type seen struct {
	at      string   // by the server's clock
	others  []string // at work, and not for the operation
	staying int      // sessions of the operation that have not ended
	silent  int      // of these, those that may keep counts to themselves however long they are waited for
}

// and joins what was seen before a repetition and after it; nil: nobody was.
func (s seen) and(after seen) *runfile.Others {
	who := s.others
	for _, name := range after.others {
		if !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	if len(who) == 0 && after.silent == 0 {
		return nil
	}
	return &runfile.Others{Who: who, Staying: after.silent}
}

const (
	// reportedWithin is how long a session that stays open, and does nothing, may keep its last counts to itself:
	// PGSTAT_IDLE_INTERVAL of PostgreSQL's pgstat.c, ten seconds, and a little.
	reportedWithin = 11 * time.Second
	// reportsWhenIdle is the first version in which a session that does nothing reports after that time.
	reportsWhenIdle = 150000

	askEvery = 20 * time.Millisecond
)

// awaitReported waits until the sessions of the operation are gone, or have told what they did.
func (m *measurement) awaitReported(ctx context.Context, began string) (seen, error) {
	for until := time.Now().Add(reportedWithin); ; {
		s, err := m.lookAfter(ctx, began)
		if err != nil || s.staying == 0 || time.Now().After(until) {
			return s, err
		}
		if err := experiment.Wait(ctx, askEvery); err != nil {
			return s, err
		}
	}
}

// lookBefore asks who is at work before the operation begins.
func (m *measurement) lookBefore(ctx context.Context) (s seen, err error) {
	const now = "/* realiops */ select pg_catalog.clock_timestamp()::pg_catalog.text"
	if err := postgres.QueryRow(ctx, m.Control, now).Scan(&s.at); err != nil {
		return s, fmt.Errorf("ask for the server's time: %w", err)
	}
	s.others, err = m.Facts.AtWork(ctx, m.Control)
	return s, err
}

// lookAfter asks who was at work since then. Sessions in the operation's database that came since are the operation's; one that
// was there before is not, unless it goes by the name that was given.
func (m *measurement) lookAfter(ctx context.Context, began string) (s seen, err error) {
	const sql = `/* realiops */
		select application_name::text, coalesce(usename, '')::text, coalesce(datname, '')::text,
			coalesce(datname = pg_catalog.current_database() and
				($4 or backend_start >= $1::pg_catalog.timestamptz or $2 <> '' and application_name = $2 or $3 <> '' and usename = $3), false),
			state is distinct from 'idle'
		from pg_catalog.pg_stat_activity
		where backend_type = 'client backend' and pid <> pg_catalog.pg_backend_pid() and application_name <> 'realiops'
		  and (backend_start >= $1::pg_catalog.timestamptz or state_change >= $1::pg_catalog.timestamptz
			or state in ('active', 'idle in transaction'))`
	var program, user, database string
	var ours, working bool
	err = postgres.ForEachRow(ctx, m.Control, []any{&program, &user, &database, &ours, &working}, func() error {
		if !ours {
			s.name(program, user, database)
			return nil
		}
		s.staying++
		if working || m.Facts.VersionNum < reportsWhenIdle {
			s.silent++
		}
		return nil
	}, sql, began, m.Ours.ApplicationName, m.Ours.User, m.Ours.All)
	if err != nil {
		return s, fmt.Errorf("ask who is on the server: %w", err)
	}
	return s, nil
}

// name adds somebody who is at work.
func (s *seen) name(program, user, database string) {
	if program == "" {
		program = "a session"
	}
	who := fmt.Sprintf("%s of %s in %s", program, postgres.Quoted(user), postgres.Quoted(database))
	if !slices.Contains(s.others, who) && len(s.others) < mostNamed {
		s.others = append(s.others, who)
	}
}

// mostNamed bounds who is named.
const mostNamed = 5
