package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// safePath is the search_path of every session that runs our own statements. Whoever may create in a schema of another
// path, or set the path of the database, could have functions, operators and types of theirs run by whoever connects
// (CVE-2018-1058).
const safePath = "pg_catalog, pg_temp"

// sessionSettings are what our own statements are to be understood with, whatever the user, the role or the database has
// set: nothing of anybody else's is called, texts mean the same everywhere, no lock is waited for without an end, and what
// takes long by nature, such as a checkpoint, is not cut off, as pg_dump has it.
var sessionSettings = map[string]string{
	"search_path":                 safePath,
	"lock_timeout":                "5s",
	"statement_timeout":           "0",
	"client_encoding":             "UTF8",
	"standard_conforming_strings": "on",
	"DateStyle":                   "ISO",
	"IntervalStyle":               "postgres",
	"extra_float_digits":          "1",
	"bytea_output":                "hex",
	"quote_all_identifiers":       "off",
}

// pooledSettings are those that every pooler takes at the start of a session, and keeps to that session.
var pooledSettings = []string{"client_encoding", "standard_conforming_strings", "DateStyle"}

// Config is a copy of what pgx needs to open a session for our own statements.
func (e *Endpoint) Config() *pgx.ConnConfig {
	config := e.config.Copy()
	config.RuntimeParams["application_name"] = applicationName
	if !e.pooled.Load() {
		maps.Copy(config.RuntimeParams, sessionSettings)
		return config
	}
	for _, name := range pooledSettings {
		config.RuntimeParams[name] = sessionSettings[name]
	}
	return config
}

// clientConfig is Config for sessions that put load on the server, as the arms of a run do. Such a load waits for locks
// as long as it has to: two clients that extend one table wait for each other.
func (e *Endpoint) clientConfig() *pgx.ConnConfig {
	config := e.Config()
	config.RuntimeParams["application_name"] = clientName
	if _, ours := config.RuntimeParams["lock_timeout"]; ours {
		config.RuntimeParams["lock_timeout"] = "0"
	}
	return config
}

// UserConfig is a copy of what pgx needs to open a session for statements of the user's own, which mean what they mean in
// psql and pgbench.
func (e *Endpoint) UserConfig() *pgx.ConnConfig {
	config := e.config.Copy()
	config.RuntimeParams["application_name"] = cmp.Or(config.RuntimeParams["application_name"], clientName)
	return config
}

// Connect opens a session that asks and arranges.
func (e *Endpoint) Connect(ctx context.Context) (*pgx.Conn, error) { return e.connect(ctx, e.Config) }

// ConnectClient opens a session that puts load on the server.
func (e *Endpoint) ConnectClient(ctx context.Context) (*pgx.Conn, error) {
	return e.connect(ctx, e.clientConfig)
}

// ConnectUser opens a session for statements of the user's own, which may take hours.
func (e *Endpoint) ConnectUser(ctx context.Context) (*pgx.Conn, error) {
	conn, err := e.connect(ctx, e.UserConfig)
	if err == nil {
		Lengthy(conn)
	}
	return conn, err
}

// connect tries once more where a pooler refuses our settings, and remembers that it does: there only the transactions
// have them, see [QueryRow].
func (e *Endpoint) connect(ctx context.Context, config func() *pgx.ConnConfig) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, config())
	if refusesSettings(err) && e.pooled.CompareAndSwap(false, true) {
		conn, err = pgx.ConnectConfig(ctx, config())
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", e, cmp.Or(distrust(err, e.config.Host), reasonOf(err)))
	}
	return conn, nil
}

// refusesSettings tells whether something that is no PostgreSQL would not take a setting at the start of a session:
// pgbouncer says «unsupported startup parameter», under the code of a violation of the protocol.
func refusesSettings(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "08P01" && strings.Contains(refused.Message, "startup parameter")
}

// SafeTransaction makes the rest of the transaction that it stands in safe to ask in: behind a pooler nothing else does.
// There a setting of the session would stay with the server's session, which is somebody else's next. It calls what only
// pg_catalog can have, and needs no operator.
const SafeTransaction = "/* realiops */ select pg_catalog.set_config('search_path', '" + safePath + "', true)"

// Asker is a session, or a transaction in one.
type Asker interface {
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// QueryRow asks for one row in a transaction that nobody else's path is looked at in.
func QueryRow(ctx context.Context, conn Asker, sql string, arguments ...any) pgx.Row {
	return asked{ask(ctx, conn, sql, arguments)}
}

// ForEachRow asks as [QueryRow] does and calls each for each row, whose values it has put into the targets.
func ForEachRow(ctx context.Context, conn Asker, targets []any, each func() error, sql string, arguments ...any) (err error) {
	answers := ask(ctx, conn, sql, arguments)
	defer func() { err = cmp.Or(err, answers.Close()) }()
	if _, err := answers.Exec(); err != nil {
		return err
	}
	rows, err := answers.Query()
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, targets, each)
	return err
}

// ask sends both at once: one round trip, and one transaction.
func ask(ctx context.Context, conn Asker, sql string, arguments []any) pgx.BatchResults {
	batch := &pgx.Batch{}
	batch.Queue(SafeTransaction)
	batch.Queue(sql, arguments...)
	return conn.SendBatch(ctx, batch)
}

type asked struct{ answers pgx.BatchResults }

func (a asked) Scan(targets ...any) (err error) {
	defer func() { err = cmp.Or(err, a.answers.Close()) }()
	if _, err := a.answers.Exec(); err != nil {
		return err
	}
	return a.answers.QueryRow().Scan(targets...)
}

// Exec runs statements in one transaction that nobody else's path is looked at in.
func Exec(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	// Which a pooled session does not have.
	limits := "set local lock_timeout = '" + sessionSettings["lock_timeout"] + "'; set local statement_timeout = 0"
	_, err := conn.Exec(ctx, SafeTransaction+"; "+limits+"; "+strings.Join(statements, "; "), pgx.QueryExecModeSimpleProtocol)
	return err
}
