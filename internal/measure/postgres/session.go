package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/printable"
)

// Config returns a copy of the configuration for sessions that run our own statements.
func (e *Endpoint) Config() *pgx.ConnConfig {
	config := e.config.Copy()
	config.RuntimeParams["application_name"] = applicationName
	e.pins.put(config.RuntimeParams)
	if e.pooled.Load() {
		maps.DeleteFunc(config.RuntimeParams, func(name, _ string) bool {
			return Pinned(name) && !slices.Contains(pooledSettings, name)
		})
	}
	return config
}

// clientConfig is Config for sessions that load the server. They have no lock timeout, since two clients that extend
// one table wait for each other.
func (e *Endpoint) clientConfig() *pgx.ConnConfig {
	config := e.Config()
	config.RuntimeParams["application_name"] = clientName
	if _, ours := config.RuntimeParams["lock_timeout"]; ours {
		config.RuntimeParams["lock_timeout"] = "0"
	}
	return config
}

// UserConfig returns a copy of the configuration for sessions that run the user's statements,
// which work as in psql and pgbench.
func (e *Endpoint) UserConfig() *pgx.ConnConfig {
	config := e.config.Copy()
	config.RuntimeParams["application_name"] = cmp.Or(config.RuntimeParams["application_name"], clientName)
	return config
}

// Connect opens a session for our own statements.
func (e *Endpoint) Connect(ctx context.Context) (*pgx.Conn, error) {
	return e.connectPinned(ctx, e.Config)
}

// ConnectClient opens a session that loads the server.
func (e *Endpoint) ConnectClient(ctx context.Context) (*pgx.Conn, error) {
	return e.connectPinned(ctx, e.clientConfig)
}

// ConnectUser opens a session for the user's own statements, which may take hours.
func (e *Endpoint) ConnectUser(ctx context.Context) (*pgx.Conn, error) {
	conn, err := e.connect(ctx, e.UserConfig, e.refusedByPooler)
	if err == nil {
		Lengthy(conn)
	}
	return conn, err
}

// connectPinned opens a session that has our settings. It fails if the server has other values.
func (e *Endpoint) connectPinned(ctx context.Context, config func() *pgx.ConnConfig) (*pgx.Conn, error) {
	for {
		conn, err := e.connect(ctx, config, func(err error) bool {
			return e.refusedByPooler(err) || e.pins.refuse(err)
		})
		if err != nil {
			return nil, err
		}
		done := answersWithin(conn, e.config.ConnectTimeout)
		again, err := e.pins.learn(ctx, conn)
		if err == nil && !again {
			err = e.pins.verify(ctx, conn)
		}
		done()
		if err == nil && !again {
			return conn, nil
		}
		_ = conn.Close(context.WithoutCancel(ctx)) // the earlier error is the one to report
		if !again && !e.pins.endedBy(err) {
			return nil, fmt.Errorf("connect to %s: %w", e, err)
		}
	}
}

// connect tries again if a refusal taught it something: poolers and managed servers reject some settings.
func (e *Endpoint) connect(ctx context.Context, config func() *pgx.ConnConfig, learned func(error) bool) (*pgx.Conn,
	error) {
	conn, err := pgx.ConnectConfig(ctx, config())
	for err != nil && learned(err) {
		conn, err = pgx.ConnectConfig(ctx, config())
	}
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(context.Cause(ctx), context.Canceled): // whatever else that broke
		return nil, fmt.Errorf("connect to %s: %w", e, context.Cause(ctx))
	default:
		return nil, e.refusal(err)
	}
}

// refusedByPooler reports whether a pooler refused our settings, for the first time. Behind it only
// transactions set them, see [QueryRow].
func (e *Endpoint) refusedByPooler(err error) bool {
	return refusesSettings(err) && e.pooled.CompareAndSwap(false, true)
}

// refusesSettings reports whether a pooler rejects a setting at the start of a session: pgbouncer says «unsupported
// startup parameter» and reports a protocol violation.
func refusesSettings(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "08P01" && strings.Contains(refused.Message, "startup parameter")
}

// Asker is a session, or a transaction in one.
type Asker interface {
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// QueryRow reads one row in a transaction with our settings and search_path.
func QueryRow(ctx context.Context, conn Asker, sql string, arguments ...any) pgx.Row {
	return asked{ask(ctx, conn, sql, arguments), conn}
}

// ForEachRow queries as [QueryRow] does, and calls each for every row after scanning it into targets.
func ForEachRow(ctx context.Context, conn Asker, targets []any, each func(), sql string,
	arguments ...any) (err error) {
	answers := ask(ctx, conn, sql, arguments)
	defer func() { err = withGrant(cmp.Or(err, answers.Close()), conn) }()
	if _, err := answers.Exec(); err != nil {
		return err
	}
	rows, err := answers.Query()
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, targets, func() error {
		each()
		return nil
	})
	return err
}

// ask sends the settings and the query together: one round trip and one transaction.
func ask(ctx context.Context, conn Asker, sql string, arguments []any) pgx.BatchResults {
	batch := &pgx.Batch{}
	batch.Queue(SafeTransaction)
	batch.Queue(sql, arguments...)
	return conn.SendBatch(ctx, batch)
}

type asked struct {
	answers pgx.BatchResults
	conn    Asker
}

func (a asked) Scan(targets ...any) (err error) {
	defer func() { err = withGrant(cmp.Or(err, a.answers.Close()), a.conn) }()
	if _, err := a.answers.Exec(); err != nil {
		return err
	}
	return a.answers.QueryRow().Scan(targets...)
}

// withGrant adds the grant that helps to the error of a user without a right that PUBLIC has by default.
func withGrant(err error, conn Asker) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || refused.Code != "42501" { // insufficient_privilege
		return err
	}
	user := "this user"
	if session, ok := conn.(*pgx.Conn); ok {
		user = Typed(session.Config().User, "ROLE")
	}
	if grant := MissingGrant(refused.Message, user); grant != "" {
		return &worded{fmt.Sprintf("%v; %s", err, grant), err}
	}
	return err
}

// Prepare prepares statements that a session repeats; each statement is its own name. It is not for poolers, which
// may send the next query to a session that lacks them.
func Prepare(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := conn.Prepare(ctx, sql, sql); err != nil {
			return err
		}
	}
	return nil
}

// unconfirmed keeps our transaction from waiting for a synchronous standby: what it made is
// known by then and can be dropped.
const unconfirmed = "set local synchronous_commit = local"

// Exec runs statements in one transaction with our settings and search_path.
func Exec(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	// A pooled session does not have these.
	const limits = "set local lock_timeout = '" + lockTimeout + "'; set local statement_timeout = 0; " + unconfirmed
	_, err := conn.Exec(ctx, SafeTransaction+"; "+limits+"; "+strings.Join(statements, "; "),
		pgx.QueryExecModeSimpleProtocol)
	return err
}

// wrap adds the action that failed to an error; nil stays nil.
func wrap(err error, action string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", action, err)
}

// Lost reports a lost connection instead of the driver's "conn closed" for a session that had already ended. It
// leaves other errors unchanged.
func Lost(err error) error {
	const closed = "conn closed\n"
	if lines := err.Error() + "\n"; strings.Contains(lines, closed) {
		lines = strings.ReplaceAll(lines, closed, "the connection to the server was lost\n")
		return &worded{strings.TrimSuffix(lines, "\n"), err}
	}
	return err
}

// worded is an error with other words.
type worded struct {
	words string
	err   error
}

func (w *worded) Error() string { return w.words }
func (w *worded) Unwrap() error { return w.err }

const (
	// leaveWithin bounds the wait for our clients' sessions to end, which takes a server some milliseconds.
	leaveWithin = 5 * time.Second
	// firstLook and seldomLook are the first and the longest interval between looks. Each look is a transaction,
	// which the server counts with the load's.
	firstLook  = 2 * time.Millisecond
	seldomLook = 50 * time.Millisecond
)

// AwaitClientsGone waits until the server has ended our clients' sessions. A session reports its counters before it
// disappears, so afterwards they are complete (on 13 and 14, except for the collector's delay). Behind a pooler it
// returns immediately, since the pooler keeps the sessions.
func (f Facts) AwaitClientsGone(ctx context.Context, conn *pgx.Conn) error {
	if f.Pooler {
		return nil
	}
	pause := firstLook
	for until := time.Now().Add(leaveWithin); ; pause = min(2*pause, seldomLook) {
		var left int
		err := QueryRow(ctx, conn, `/* realiops */
			select pg_catalog.count(*) from pg_catalog.pg_stat_activity
			where application_name = $1 and datname = pg_catalog.current_database()`, clientName).Scan(&left)
		switch {
		case err != nil:
			return fmt.Errorf("wait for our clients to disconnect: %w", err)
		case left == 0:
			return nil
		case time.Now().After(until):
			return fmt.Errorf("%s after our clients disconnected, the server still has %s of theirs",
				printable.Duration(leaveWithin), printable.Counted(left, "session"))
		}
		time.Sleep(pause)
	}
}

// ReportCounters makes our session report its own work, such as creating a table, before a load begins:
// otherwise it would report up to a second later, during the load. Before PostgreSQL 15 this is not possible;
// there it is a few catalog rows.
func (f Facts) ReportCounters(ctx context.Context, conn *pgx.Conn) error {
	const firstThatCan = 150000
	if f.VersionNum < firstThatCan {
		return nil
	}
	return wrap(Exec(ctx, conn, "/* realiops */ select pg_catalog.pg_stat_force_next_flush()"),
		"flush our own counters")
}
