package pgstat

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// Ranking finds the tables, indexes and statements that have caused the most since its first reading. It is for one
// start of a server and one user at a time. Each reading opens a session and runs a few queries, which are expensive
// with many tables: call it rarely.
type Ranking struct {
	config  *pgx.ConnConfig
	kept    *pgx.Conn // Since's session; nil: none
	from    time.Time // the first reading; zero: none yet
	counted map[string]*tally
	server  serverTally
}

const (
	// mostRanked bounds the items read, and so the memory to remember them.
	mostRanked = 20000
	// rankWithin bounds a whole reading.
	rankWithin = 15 * time.Second
)

// NewRanking returns a Ranking without connecting.
func NewRanking(config *pgx.ConnConfig) *Ranking {
	config = primaryOnly(config)
	config.RuntimeParams["application_name"] = applicationName
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return &Ranking{config: config}
}

// Read returns what grew the most since the first reading, which itself returns nothing.
// The records say what is unknown.
func (r *Ranking) Read(ctx context.Context) []runfile.Record {
	ctx, cancel := context.WithTimeout(ctx, rankWithin)
	defer cancel()
	at := time.Now()
	conn, err := pgx.ConnectConfig(ctx, r.config)
	if err != nil {
		return nil // the sampler has a gap for that
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was changed
	return r.ask(ctx, conn, at, questions())
}

// Since returns what grew the most since its last call. It keeps its session, so that no such session looks like
// another client's; done makes it report its own work.
func (r *Ranking) Since(ctx context.Context, done func(context.Context, *pgx.Conn) error) []runfile.Record {
	ctx, cancel := context.WithTimeout(ctx, rankWithin)
	defer cancel()
	at := time.Now()
	if r.kept == nil || r.kept.IsClosed() {
		conn, err := pgx.ConnectConfig(ctx, r.config)
		if err != nil {
			return nil // the sampler has a gap for that
		}
		r.kept = conn
	}
	all := r.ask(ctx, r.kept, at, written())
	r.from = at
	for of, t := range r.counted {
		r.counted[of] = startTally(t.by, t.last)
	}
	r.server = startServerTally(r.server.last)
	if done(ctx, r.kept) != nil {
		r.Close(ctx)
	}
	return all
}

// Close ends Since's session.
func (r *Ranking) Close(ctx context.Context) {
	if r.kept != nil {
		_ = r.kept.Close(ctx) // nothing was changed
		r.kept = nil
	}
}

func (r *Ranking) ask(ctx context.Context, conn *pgx.Conn, at time.Time, questions []question) []runfile.Record {
	first := r.from.IsZero()
	if first {
		r.from, r.counted, r.server = at, map[string]*tally{}, startServerTally(serverTotals(ctx, conn))
	}
	var all []runfile.Record
	var now amounts
	var err error
	for _, q := range questions {
		if q.sql != nil {
			now, err = q.ask(ctx, conn)
		} else if err != nil {
			continue // the first ranking by this answer reports it
		}
		if first && err == nil {
			r.counted[q.of] = startTally(q.by, now)
		}
		if !first {
			all = append(all, r.top(ctx, conn, q, now, at, err))
		}
	}
	return all
}

// top returns what grew the most, or why that is unknown.
func (r *Ranking) top(ctx context.Context, conn *pgx.Conn, q question, now amounts, at time.Time,
	failed error) runfile.Top {
	top := runfile.Top{From: r.from, At: at, Of: q.of}
	if failed != nil {
		top.Missing = asError(failed).Error()
		return top
	}
	counted := r.counted[q.of]
	if counted == nil { // it failed at first, and works now: from the next time on
		r.counted[q.of] = startTally(q.by, now)
		top.Missing = "it could not be read when the observation began"
		return top
	}
	counted.look(now)
	top.Items, top.Total = counted.most(), maps.Clone(counted.total)
	switch q.of {
	case rankedStatements:
		byAll := top.Total[dirtied]
		top.Total = r.server.look(serverTotals(ctx, conn))
		top.Total[dirtied] = byAll
		texts(ctx, conn, top.Items)
		if len(top.Items) == 0 {
			top.Missing = unlisted(ctx, conn, top.Total[runfile.Evictions])
		}
	case runfile.Readers:
		texts(ctx, conn, top.Items)
	}
	return top
}

// serverTotals returns the totals that the items are parts of, and how often statements were evicted, without those
// that the server refuses.
func serverTotals(ctx context.Context, conn *pgx.Conn) map[string]float64 {
	totals, queries := map[string]float64{}, map[string]string{
		"wal_bytes": "select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), " +
			"'0/0')::pg_catalog.float8",
		"wal_records": "select wal_records::pg_catalog.float8 from pg_catalog.pg_stat_wal",
	}
	if path, _, err := statementsIn(ctx, conn, infoView); err == nil { // 14 and later
		queries[runfile.Evictions] = "select dealloc::pg_catalog.float8 from " + path
	}
	for name, sql := range queries {
		var value float64
		if err := postgres.QueryRow(ctx, conn, mark+sql).Scan(&value); err == nil {
			totals[name] = value
		}
	}
	return totals
}

func (q question) ask(ctx context.Context, conn *pgx.Conn) (amounts, error) {
	sql, err := q.sql(ctx, conn)
	if err != nil {
		return nil, err
	}
	var key, name string
	values := make([]*float64, len(q.columns))
	targets := []any{&key, (*postgres.Name)(&name)}
	for i := range values {
		targets = append(targets, &values[i])
	}
	found := amounts{}
	err = postgres.ForEachRow(ctx, conn, targets, func() {
		of := map[string]float64{}
		for i, column := range q.columns {
			if values[i] != nil {
				of[column] = *values[i]
			}
		}
		found[key] = ranked{name, of}
	}, mark+sql+fmt.Sprintf(" limit %d", mostRanked+1))
	if len(found) > mostRanked {
		return nil, fmt.Errorf("there are more than %d %s", mostRanked, q.of)
	}
	return found, err
}
