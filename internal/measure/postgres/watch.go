package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Sessions picks those that work for an operation, in its database. The zero value picks those that connect while it is
// done, and none of those that were there before.
type Sessions struct {
	ApplicationName, User string  // also of those that were there before
	All                   bool    // all of them
	Known                 bool    // of those that connect, only Own: of other clients there are none
	Own                   []int32 // process ids of the server
}

func (s Sessions) pick(b Backend, v visitor, old bool) bool {
	switch {
	case !v.here:
		return false
	case s.Known:
		return slices.Contains(s.Own, b.PID)
	default:
		return !old || s.All || s.ApplicationName != "" && v.program == s.ApplicationName || s.User != "" &&
			v.role == s.User
	}
}

// mayBe reports whether a session that was there before and works now may do so for the operation all the same, as a
// pool that nobody has named.
func (s Sessions) mayBe(v visitor) bool {
	return s.onlyThoseThatConnect() && v.here && (v.busy || v.changed || v.hidden)
}

func (s Sessions) onlyThoseThatConnect() bool {
	return !s.Known && !s.All && s.ApplicationName == "" && s.User == ""
}

// Watch knows who was on a server when an operation began.
type Watch struct {
	facts     Facts
	picked    Sessions
	since     string // by the server's clock
	before    map[Backend]visitor
	connected int64 // sessions, to our database, since its statistics were reset
	own       int64 // of those that have connected since, the operation's, where they are known
	working   []int32
}

// Seen describes the sessions on the server during an operation.
type Seen struct {
	Others  []string // that worked, or may have, and not for the operation
	Wrote   *Wrote   // by those of them that were there at the end; nil: the server does not tell
	Staying int      // sessions of the operation that have not ended
	// those that may keep counts to themselves however long they are waited for, and that may be of the operation
	Silent int
	// sessions, to our database, whether they are still there or not; nil: the server does not count them
	Connected     *int64
	Autovacuum    []string // what it worked on
	OtherSessions int64    // those of them that are known not to be the operation's
	total         int64    // as the server counts them
}

// Wrote sums up the WAL that sessions have written, by the server's counters for each session.
type Wrote struct {
	WALBytes, WALWrites, WALFsyncs int64
}

func (w *Wrote) add(other Wrote, times int64) {
	w.WALBytes += times * other.WALBytes
	w.WALWrites += times * other.WALWrites
	w.WALFsyncs += times * other.WALFsyncs
}

// visitor is a session of another user, or of an operation.
type visitor struct {
	program, role, database string
	here                    bool // in our database
	hidden                  bool // our role may not see what it does
	busy                    bool
	changed                 bool // its state, since the operation began
	reported                bool // it was asked to report all that it did, and has
	late                    bool // or so shortly before that it may have reported only then what it did
	wrote                   Wrote
}

func (v visitor) called() string {
	if v.hidden {
		return cmp.Or(v.program, "a session") + " (what it does is hidden from this role)"
	}
	return v.program
}

// Since 15 a session that does nothing reports what it did within ten seconds, PGSTAT_IDLE_INTERVAL of pgstat.c; before
// that it may never do so.
const (
	firstReportingIdle = 150000
	reportedWithin     = "10.5 s"
)

// Watch remembers who is there. Whoever is at work already is among the others of each look.
func (f Facts) Watch(ctx context.Context, conn *pgx.Conn, picked Sessions) (*Watch, error) {
	w := &Watch{facts: f, picked: picked}
	err := QueryRow(ctx, conn, "/* realiops */ select pg_catalog.clock_timestamp()::pg_catalog.text").Scan(&w.since)
	if err != nil {
		return nil, fmt.Errorf("ask for the server's time: %w", err)
	}
	if w.before, err = w.visitors(ctx, conn); err != nil {
		return nil, err
	}
	w.connected, err = w.facts.sessionsSoFar(ctx, conn)
	return w, err
}

// Own adds sessions that are known to be the operation's.
func (w *Watch) Own(backends []int32) {
	w.picked.Own = append(w.picked.Own, backends...)
	w.own += int64(len(backends))
}

// firstCountedOnceGone is the first version in which a session is counted by the time it is gone. Before that it
// reports to a collector.
const firstCountedOnceGone = 150000

// Over tells w that the operation and everything it started have ended by the time of seen: sessions that connect
// from now on belong to others.
func (w *Watch) Over(seen Seen) {
	if w.facts.VersionNum < firstCountedOnceGone || seen.Connected == nil || !w.picked.onlyThoseThatConnect() {
		return
	}
	w.picked.Known, w.picked.Own, w.own = true, w.working, *seen.Connected
}

// Between counts sessions that have connected after an earlier operation, or time without one, was looked at for the
// last time, and before this watch. They are nobody's of an operation's that starts its own.
func (w *Watch) Between(earlier Seen) int64 {
	if earlier.Connected == nil || w.picked.All || w.picked.ApplicationName != "" || w.picked.User != "" {
		return 0
	}
	return max(0, w.connected-earlier.total)
}

// Look returns the sessions that have been there since.
func (w *Watch) Look(ctx context.Context, conn *pgx.Conn) (Seen, error) {
	now, err := w.visitors(ctx, conn)
	if err != nil {
		return Seen{}, err
	}
	var s Seen
	var others parties
	var wrote Wrote
	w.working = nil
	for backend, v := range now {
		before, old := w.before[backend]
		if w.picked.pick(backend, v, old) {
			s.staying(v, old, w.facts)
			w.working = append(w.working, backend.PID)
			continue
		}
		if v.here && !old {
			s.OtherSessions++
		}
		if v.busy || v.changed || v.hidden || !old || before.busy || before.late {
			others.add(v.called(), v.role, v.database)
		}
		if old && w.picked.mayBe(v) {
			s.Silent++
		}
		wrote.add(v.wrote, 1)
		wrote.add(before.wrote, -1)
	}
	for backend, v := range w.before {
		if _, there := now[backend]; !there && !w.picked.pick(backend, v, true) {
			others.add(v.called(), v.role, v.database)
		}
	}
	if w.facts.Pooler && !w.picked.Known {
		s.Silent++ // any of its sessions may have served the operation, and serve us now, or nobody
	}
	if s.total, err = w.facts.sessionsSoFar(ctx, conn); err != nil {
		return Seen{}, err
	}
	if w.facts.VersionNum >= firstCountingSessions && s.total >= w.connected {
		s.Connected = new(s.total - w.connected)
	}
	if w.picked.Known && s.Connected != nil && *s.Connected > s.OtherSessions+w.own {
		others = append(others, "a session that connected to "+Quoted(w.facts.Database)+" and is gone")
		s.OtherSessions = *s.Connected - w.own
	}
	s.Others = others
	if w.facts.VersionNum >= firstWithBackendWAL && w.facts.MaySeeOthers {
		s.Wrote = &wrote
	}
	return s, nil
}

// And returns what was seen in two looks, one after the other.
func (s Seen) And(later Seen) Seen {
	for _, who := range s.Others {
		if !slices.Contains(later.Others, who) {
			later.Others = append(later.Others, who)
		}
	}
	later.Silent = max(s.Silent, later.Silent) // that the operation is over does not make its pooler's sessions others'
	return later
}

// staying counts a session of the operation's, unless it is an old one that has done nothing for it.
func (s *Seen) staying(v visitor, old bool, f Facts) {
	if old && !v.busy && !v.changed && !v.hidden || v.reported {
		return
	}
	s.Staying++
	if v.busy || v.hidden || f.VersionNum < firstReportingIdle {
		s.Silent++
	}
}

// A role without pg_read_all_stats sees that a session of another role is there, but neither its kind nor its state.
// Those of the server itself have no role or no database.
var visitors = `/* realiops */
	select a.pid, coalesce(a.backend_start, 'epoch'), ` + Named("a.application_name") + ", " + Named("coalesce(a.usename, '')") + ", " +
	Named("coalesce(a.datname, '')") + `,
		coalesce(a.datname = pg_catalog.current_database(), false), a.state is null, coalesce(a.state <> 'idle', false),
		coalesce(a.state_change >= $1::pg_catalog.timestamptz, false),
		coalesce(a.state_change >= $1::pg_catalog.timestamptz - $2::pg_catalog.interval, false),
		coalesce(a.state = 'idle' and a.query ilike '%%pg_stat_force_next_flush%%', false), %s
	from pg_catalog.pg_stat_activity a %s
	where coalesce(a.backend_type = 'client backend', a.usename is not null and a.datname is not null) and a.pid <> pg_catalog.pg_backend_pid()
		and a.application_name <> '` + applicationName + "'"

// visitorsSQL asks as well for what each wrote, where the server counts it.
func (f Facts) visitorsSQL() string {
	if f.VersionNum < firstWithBackendWAL || !f.MaySeeOthers {
		return fmt.Sprintf(visitors, "0, 0, 0", "")
	}
	return fmt.Sprintf(visitors,
		"coalesce(w.wal_bytes, 0)::bigint, coalesce(io.writes, 0)::bigint, coalesce(io.fsyncs, 0)::bigint",
		`left join lateral pg_catalog.pg_stat_get_backend_wal(a.pid) w on true
		left join lateral (select pg_catalog.sum(writes) as writes, pg_catalog.sum(fsyncs) as fsyncs
			from pg_catalog.pg_stat_get_backend_io(a.pid) where object = 'wal') io on true`)
}

func (w *Watch) visitors(ctx context.Context, conn *pgx.Conn) (map[Backend]visitor, error) {
	all := map[Backend]visitor{}
	var b Backend
	var v visitor
	err := ForEachRow(ctx, conn, []any{
		&b.PID, &b.Since, (*Name)(&v.program), (*Name)(&v.role), (*Name)(&v.database), &v.here, &v.hidden, &v.busy,
		&v.changed, &v.late, &v.reported,
		&v.wrote.WALBytes, &v.wrote.WALWrites, &v.wrote.WALFsyncs,
	}, func() error {
		all[b] = v
		return nil
	}, w.facts.visitorsSQL(), w.since, reportedWithin)
	return all, wrap(err, "ask who is at work")
}

// firstCountingSessions is the first version that counts the sessions of a database.
const firstCountingSessions = 140000

// sessionsSoFar counts those that have ever connected to our database. A session is counted once it has told what it
// did, as it does before it is gone.
func (f Facts) sessionsSoFar(ctx context.Context, conn *pgx.Conn) (n int64, err error) {
	if f.VersionNum < firstCountingSessions {
		return 0, nil
	}
	err = QueryRow(ctx, conn, "/* realiops */ select sessions from pg_catalog.pg_stat_database where datname = "+
		"pg_catalog.current_database()").Scan(&n)
	return n, wrap(err, "ask how many sessions there were")
}

// Autovacuumed names the tables of our database that autovacuum has vacuumed or analyzed since, and workers that still
// do: what they write is nobody's.
func (w *Watch) Autovacuumed(ctx context.Context, conn *pgx.Conn) (tables []string, err error) {
	var table string
	err = ForEachRow(ctx, conn, []any{(*Name)(&table)}, func() error {
		tables = append(tables, table)
		return nil
	}, `/* realiops */
		select `+Named("pg_catalog.format('%s.%s', schemaname, relname)")+` from pg_catalog.pg_stat_all_tables
		where last_autovacuum >= $1::pg_catalog.timestamptz or last_autoanalyze >= $1::pg_catalog.timestamptz
		union all
		select `+Named("coalesce(datname, 'a database')")+` from pg_catalog.pg_stat_activity where backend_type = 'autovacuum worker'`, w.since)
	return tables, wrap(err, "ask what autovacuum did")
}
