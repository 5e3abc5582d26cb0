package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Sessions selects an operation's sessions in its database. The zero value selects the sessions
// that connect during the operation.
type Sessions struct {
	ApplicationName, User string  // also of existing sessions
	All                   bool    // every session
	Known                 bool    // of new sessions only Own: there are no other clients
	Own                   []int32 // backend process IDs
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

// mayBe reports whether an existing session that is at work may serve the operation although it was not selected, for
// example in an application's pool.
func (s Sessions) mayBe(v visitor) bool {
	return s.onlyNew() && v.here && (v.busy || v.changed || v.hidden)
}

func (s Sessions) onlyNew() bool {
	return !s.Known && !s.All && s.ApplicationName == "" && s.User == ""
}

// Named returns the names that select existing sessions; empty: none does.
func (s Sessions) Named() string {
	switch {
	case s.ApplicationName != "":
		return "application_name " + Quoted(s.ApplicationName)
	case s.User != "":
		return "user " + Quoted(s.User)
	default:
		return ""
	}
}

// Watch remembers the sessions that were on a server when an operation began.
type Watch struct {
	facts     Facts
	picked    Sessions
	since     string // by the server's clock
	before    map[Backend]visitor
	connected sessionCount
	own       int64 // of the sessions since then, the operation's, if known
	working   []int32
}

// Seen describes the sessions on the server during an operation.
type Seen struct {
	Others  []string // other sessions that worked, or may have
	Wrote   *Wrote   // by the others still there at the end; nil: unknown
	Picked  int      // sessions of the operation that are there, at work or not
	Staying int      // of these, those that worked and have not ended
	// Silent counts sessions that may be the operation's and may never report their counts.
	Silent int
	// Connected counts the sessions to our database, ended or not; nil: the server does not count them, or its
	// statistics were reset.
	Connected     *int64
	Autovacuum    []string // the tables it worked on
	OtherSessions int64    // of Connected, known not to be the operation's
	total         sessionCount
}

// Wrote sums up the WAL of sessions, from the server's counters for each session.
type Wrote struct {
	WALBytes, WALWrites, WALFsyncs int64
}

func (w *Wrote) add(other Wrote, times int64) {
	w.WALBytes += times * other.WALBytes
	w.WALWrites += times * other.WALWrites
	w.WALFsyncs += times * other.WALFsyncs
}

// visitor is a session that is not ours: the operation's or another.
type visitor struct {
	program, role, database string
	here                    bool // in our database
	hidden                  bool // our role may not see its state
	busy                    bool
	changed                 bool // its state has changed since the operation began
	reported                bool // it has reported its counts on request
	late                    bool // it worked, or so recently that it may have reported only later
	wrote                   Wrote
}

func (v visitor) called() string {
	if v.hidden {
		return cmp.Or(v.program, "a session") + " (its activity is hidden from this role)"
	}
	return v.program
}

// Since 15 an idle session reports its counts within ten seconds, PGSTAT_IDLE_INTERVAL of pgstat.c.
// Before that it may never do so.
const (
	firstReportingIdle = 150000
	reportedWithin     = "10.5 s"
)

// Watch records the sessions on the server. Sessions already at work count as others in each look.
func (f Facts) Watch(ctx context.Context, conn *pgx.Conn, picked Sessions) (*Watch, error) {
	w := &Watch{facts: f, picked: picked}
	err := QueryRow(ctx, conn, "/* realiops */ select pg_catalog.clock_timestamp()::pg_catalog.text").Scan(&w.since)
	if err != nil {
		return nil, fmt.Errorf("read the server's clock: %w", err)
	}
	if w.before, err = w.visitors(ctx, conn); err != nil {
		return nil, err
	}
	w.connected, err = w.facts.sessionsSoFar(ctx, conn)
	return w, err
}

// Visited reports whether another client had a session in the database when the watch began.
func (w *Watch) Visited() bool {
	for _, v := range w.before {
		if v.here {
			return true
		}
	}
	return false
}

// Own adds sessions known to be the operation's.
func (w *Watch) Own(backends []int32) {
	w.picked.Own = append(w.picked.Own, backends...)
	w.own += int64(len(backends))
}

// firstCountedOnceGone is the first version that has counted a session's work when it is gone.
// Before, it reports to a collector.
const firstCountedOnceGone = 150000

// Over tells w that the operation and everything it started have ended by the time of seen. Sessions that
// connect from now on belong to others.
func (w *Watch) Over(seen Seen) {
	if w.facts.VersionNum < firstCountedOnceGone || seen.Connected == nil || !w.picked.onlyNew() {
		return
	}
	w.picked.Known, w.picked.Own, w.own = true, w.working, *seen.Connected
}

// Between counts the sessions that connected between earlier and this watch. They do not belong to an
// operation that opens its own sessions.
func (w *Watch) Between(earlier Seen) int64 {
	if earlier.Connected == nil || w.connected.reset != earlier.total.reset || w.picked.All || w.picked.ApplicationName != "" || w.picked.User != "" {
		return 0
	}
	return max(0, w.connected.n-earlier.total.n)
}

// Look returns the sessions seen since the watch began.
func (w *Watch) Look(ctx context.Context, conn *pgx.Conn) (s Seen, err error) {
	now, err := w.visitors(ctx, conn)
	if err != nil {
		return Seen{}, err
	}
	var others parties
	var wrote Wrote
	w.working = nil
	for backend, v := range now {
		before, old := w.before[backend]
		if w.picked.pick(backend, v, old) {
			s.Picked++
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
	if w.facts.Pooler && (!w.picked.Known || w.own > 0) {
		s.Silent++ // any of its sessions may have served the operation
	}
	if s.total, err = w.facts.sessionsSoFar(ctx, conn); err != nil {
		return Seen{}, err
	}
	if w.facts.VersionNum >= firstCountingSessions && s.total.reset == w.connected.reset {
		s.Connected = new(s.total.n - w.connected.n)
	}
	if w.picked.Known && s.Connected != nil && *s.Connected > s.OtherSessions+w.own {
		others = append(others, "a session that connected to "+Quoted(w.facts.Database)+" and disconnected")
		s.OtherSessions = *s.Connected - w.own
	}
	s.Others = others
	if w.facts.VersionNum >= firstWithBackendWAL && w.facts.MaySeeOthers {
		s.Wrote = &wrote
	}
	return s, nil
}

// And combines two looks, one after the other.
func (s Seen) And(later Seen) Seen {
	for _, who := range s.Others {
		if !slices.Contains(later.Others, who) {
			later.Others = append(later.Others, who)
		}
	}
	later.Picked = max(s.Picked, later.Picked)
	later.Silent = max(s.Silent, later.Silent) // a pooler's sessions stay the operation's after its end
	return later
}

// staying counts a session of the operation, unless it is an existing one that did nothing.
func (s *Seen) staying(v visitor, old bool, f Facts) {
	if old && !v.busy && !v.changed && !v.hidden || v.reported {
		return
	}
	s.Staying++
	if v.busy || v.hidden || f.VersionNum < firstReportingIdle {
		s.Silent++
	}
}

// visitors selects other sessions. Without pg_read_all_stats, neither kind nor state of another role's session is
// visible. The server's own processes have no role or no database.
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

// visitorsSQL adds each session's WAL, if the server counts it.
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
	}, func() { all[b] = v }, w.facts.visitorsSQL(), w.since, reportedWithin)
	return all, wrap(err, "list sessions")
}

// firstCountingSessions is the first version that counts the sessions of a database.
const firstCountingSessions = 140000

// sessionCount is the server's counter of the sessions to our database.
type sessionCount struct {
	n     int64
	reset string // when it last began at zero; empty: it never did
}

// sessionsSoFar counts the sessions that have ever connected to our database. A session counts once it has
// reported, which it does before it ends.
func (f Facts) sessionsSoFar(ctx context.Context, conn *pgx.Conn) (c sessionCount, err error) {
	if f.VersionNum < firstCountingSessions {
		return c, nil
	}
	err = QueryRow(ctx, conn, "/* realiops */ select sessions, coalesce(stats_reset::pg_catalog.text, '') "+
		"from pg_catalog.pg_stat_database where datname = pg_catalog.current_database()").Scan(&c.n, &c.reset)
	return c, wrap(err, "count the sessions")
}

// Autovacuumed names the tables of our database that autovacuum has processed since the watch began, and its running
// workers. Their writes belong to no session.
func (w *Watch) Autovacuumed(ctx context.Context, conn *pgx.Conn) (tables []string, err error) {
	var table string
	err = ForEachRow(ctx, conn, []any{(*Name)(&table)}, func() { tables = append(tables, table) }, `/* realiops */
		select `+Named("pg_catalog.format('%s.%s', schemaname, relname)")+` from pg_catalog.pg_stat_all_tables
		where last_autovacuum >= $1::pg_catalog.timestamptz or last_autoanalyze >= $1::pg_catalog.timestamptz
		union all
		select `+Named("coalesce(datname, 'a database')")+` from pg_catalog.pg_stat_activity where backend_type = 'autovacuum worker'`, w.since)
	return tables, wrap(err, "list autovacuum's work")
}
