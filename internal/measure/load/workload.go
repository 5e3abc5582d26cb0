package load

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Workload is one load ready to run in a schema: its table and the transaction it repeats.
type Workload struct {
	transaction
	schema string
	before counted // at the begin of the load
	// rehearsed loads never share their table
	rehearsed bool
	set       *script.Set
	script    *script.Script
}

// mostClients is more sessions than any server takes, and few enough for this machine's memory.
const mostClients = 10_000

// NewWorkload validates a load and prepares it for a schema. The load must not be idle.
func NewWorkload(load runfile.Load, schema string) (*Workload, error) {
	if err := check(load); err != nil {
		return nil, fmt.Errorf("load %s: %w", load.Name, err)
	}
	table := load.Name
	if Reads(load.Method) {
		table = shared
	}
	w := &Workload{transaction: transaction{load: load, table: pgx.Identifier{schema, table}.Sanitize()},
		schema: schema}
	return w, w.parse()
}

func (w *Workload) parse() (err error) {
	w.set = script.NewSet()
	if w.script, err = w.set.Parse(w.load.Name, w.Script()); err != nil {
		return fmt.Errorf("load %s: %w", w.load.Name, err)
	}
	return nil
}

// ThroughPooler prepares the workload for a pooler, which may give each transaction another session: settings move
// into the transaction, and no statement is prepared.
func (w *Workload) ThroughPooler() error {
	w.pooled = true
	return w.parse()
}

// maxIndexes is the number of columns that can be indexed: the key and the value.
const maxIndexes = 2

// maxWidth leaves room for the other columns: a row must fit into one page of 8 KiB, uncompressed.
const maxWidth = 8000

// mostTableRows makes a table of some terabytes.
const mostTableRows = 10_000_000_000

// Bounds of the rows of a transaction. Each insert is a command of the script and a prepared statement of every
// session; each row of VALUES takes a parameter, of which a statement has at most 65,535.
const (
	maxInserts = 10_000
	maxValues  = 65_535 / 2
)

func check(load runfile.Load) error {
	commits := []string{"on", "off", "local", "remote_write", "remote_apply"}
	switch {
	case !slices.Contains(Methods(), load.Method):
		return fmt.Errorf("unknown method %q; use one of %s", load.Method, strings.Join(Methods(), ", "))
	case load.RowsPerTx < 1:
		return fmt.Errorf("invalid rows_per_tx %d: must be at least 1", load.RowsPerTx)
	case load.Method == Bitmap && load.RowsPerTx != bitmapRows:
		return fmt.Errorf("invalid rows_per_tx %s: must be %d with method %s, whose tables have that many rows of "+
			"each value", printable.Count(load.RowsPerTx), bitmapRows, Bitmap)
	case load.RowsPerTx > mostRows(load.Method):
		return fmt.Errorf("invalid rows_per_tx %s: must be at most %s with method %s", printable.Count(load.RowsPerTx),
			printable.Count(mostRows(load.Method)), load.Method)
	case load.Indexes < 0 || load.Indexes > maxIndexes:
		return fmt.Errorf("invalid indexes %s: must be 0 to %d", printable.Count(load.Indexes), maxIndexes)
	case load.Width < 0 || load.Width > maxWidth:
		return fmt.Errorf("invalid width %s: must be 0 to %s bytes", printable.Count(load.Width),
			printable.Count(maxWidth))
	case !Fills(load.Method) && (load.TableRows != 0 || load.OfRows != 0 || load.Cold):
		return fmt.Errorf("method %s starts with an empty table and takes no table_rows, of_rows or cold", load.Method)
	case load.TableRows < 0 || load.TableRows > mostTableRows || load.OfRows < 0:
		return fmt.Errorf("invalid table_rows %s or of_rows %s: both must be 0 to %s", printable.Count(load.TableRows),
			printable.Count(load.OfRows), printable.Count(int64(mostTableRows)))
	case load.Clients > mostClients:
		return fmt.Errorf("invalid clients %s: must be at most %s", printable.Count(load.Clients),
			printable.Count(mostClients))
	case load.Clients < 1:
		return fmt.Errorf("invalid clients %d: must be at least 1", load.Clients)
	case load.SynchronousCommit != "" && !slices.Contains(commits, load.SynchronousCommit):
		return fmt.Errorf("invalid synchronous_commit %q: must be one of %s",
			load.SynchronousCommit, strings.Join(commits, ", "))
	}
	return nil
}

func mostRows(method string) int {
	switch method {
	case Insert:
		return maxInserts
	case InsertValues:
		return maxValues
	default:
		return math.MaxInt32
	}
}

// Create drops and creates the load's table, and fails if another user has put a trigger or the like on it.
func (w *Workload) Create(ctx context.Context, conn *pgx.Conn) error {
	makeTable := w.create
	if Fills(w.load.Method) {
		makeTable = w.fill
	}
	if err := makeTable(ctx, conn); err != nil {
		return err
	}
	return postgres.RefuseForeign(ctx, conn, w.table)
}

// create makes the table of the published runs, so that figures compare; a filler makes its rows wide. Autovacuum is
// off for it, since it would run in only some repetitions.
func (w *Workload) create(ctx context.Context, conn *pgx.Conn) error {
	key := ""
	if w.load.Indexes >= 1 {
		key = " primary key"
	}
	ddl := fmt.Sprintf("create table %s (id bigserial%s, value int) with (autovacuum_enabled = off)", w.table, key)
	if w.load.Width > 0 { // neither compressed nor TOASTed, so that the row has the full width
		ddl += fmt.Sprintf("; alter table %s add filler pg_catalog.text, alter filler set storage plain", w.table)
	}
	if w.load.Indexes >= 2 {
		ddl += fmt.Sprintf("; create index on %s (value)", w.table)
	}
	ddl += fmt.Sprintf("; comment on table %s is '%s'", w.table, postgres.TableMark)
	if err := postgres.Exec(ctx, conn, ddl); err != nil {
		return fmt.Errorf("create the table of the load %s: %w", w.load.Name, err)
	}
	return nil
}

// Drop drops the load's table. A shared table stays until the schema is dropped.
func (w *Workload) Drop(ctx context.Context, conn *pgx.Conn) error {
	if Reads(w.load.Method) && !w.rehearsed {
		return nil
	}
	if err := postgres.Exec(ctx, conn, "drop table "+w.table); err != nil {
		return fmt.Errorf("drop the table of the load %s: %w", w.load.Name, err)
	}
	return nil
}

// Rows counts the rows in the load's table by reading them.
func (w *Workload) Rows(ctx context.Context, conn postgres.Asker) (rows int64, err error) {
	if err := postgres.QueryRow(ctx, conn, "/* realiops */ select pg_catalog.count(*) from "+
		w.table).Scan(&rows); err != nil {
		return 0, fmt.Errorf("count the rows of the load %s: %w", w.load.Name, err)
	}
	return rows, nil
}

// rehearsalRows are enough for any transaction.
const rehearsalRows = 10_000

// Rehearse runs one transaction on a table of its own, in a session configured like conn, and checks the number of
// its rows. So a load that cannot work fails before the measurement.
func (w *Workload) Rehearse(ctx context.Context, conn *pgx.Conn) error {
	if Fills(w.load.Method) { // on a small table of its own
		load := w.load
		load.TableRows = rehearsalRows
		w = &Workload{
			transaction: transaction{load, pgx.Identifier{w.schema, load.Name}.Sanitize(), w.pooled}, schema: w.schema,
			rehearsed: true,
		}
		if err := w.parse(); err != nil {
			return err
		}
	}
	if err := w.Create(ctx, conn); err != nil {
		return err
	}
	if err := w.try(ctx, conn.Config()); err != nil {
		return fmt.Errorf("try the load %s: %w", w.load.Name, err)
	}
	rows, err := w.Rows(ctx, conn)
	if err != nil {
		return err
	}
	each := w.deed()
	if left := w.load.TableRows + each.rows - each.updated - 2*each.deleted; rows != left {
		return fmt.Errorf("the load %s left %s rows instead of %s; does a trigger or a rule apply to new tables?",
			w.load.Name, printable.Count(rows), printable.Count(left))
	}
	return w.Drop(ctx, conn)
}

func (w *Workload) try(ctx context.Context, config *pgx.ConnConfig) error {
	o := w.options(config)
	o.Transactions, o.Silence = 1, patience
	ctx, cancel := context.WithTimeoutCause(ctx, rehearsalWithin, session.ErrNoAnswer)
	defer cancel()
	done, err := engine.Run(ctx, o)
	if err != nil {
		return plain(err)
	}
	return w.confirm(done.Totals)
}

// counted holds the server's own counters of a table: rows inserted, updated and deleted, including by failed
// transactions, and rows read by scans of the table and of its indexes.
type counted struct{ written, lookedAt int64 }

// Begin saves the server's counters of the load's table before the load. It fails if another user has put a trigger
// or the like on the table meanwhile.
func (w *Workload) Begin(ctx context.Context, conn postgres.Asker) (err error) {
	if err := postgres.RefuseForeign(ctx, conn, w.table); err != nil {
		return err
	}
	w.before, err = w.counted(ctx, conn)
	return err
}

// Written returns the rows that the server has counted as written since [Workload.Begin], and
// LookedAt the rows that it has read.
func (w *Workload) Written(ctx context.Context, conn postgres.Asker) (int64, error) {
	now, err := w.counted(ctx, conn)
	return now.written - w.before.written, err
}

func (w *Workload) LookedAt(ctx context.Context, conn postgres.Asker) (int64, error) {
	now, err := w.counted(ctx, conn)
	return now.lookedAt - w.before.lookedAt, err
}

func (w *Workload) counted(ctx context.Context, conn postgres.Asker) (c counted, err error) {
	const ask = `/* realiops */
		select n_tup_ins + n_tup_upd + n_tup_del, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
		from pg_catalog.pg_stat_user_tables where relid = $1::pg_catalog.text::pg_catalog.regclass`
	if err := postgres.QueryRow(ctx, conn, ask, w.table).Scan(&c.written, &c.lookedAt); err != nil {
		return c, fmt.Errorf("read the table counters of the load %s: %w", w.load.Name, err)
	}
	return c, nil
}
