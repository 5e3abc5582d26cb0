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
	"github.com/realiops/realiops/internal/runfile"
)

// Workload is one arm made ready for a schema: the table it fills and the transaction it repeats.
type Workload struct {
	arm    runfile.Arm
	schema string
	table  string  // qualified and quoted
	pooled bool    // each transaction may have another session of the server
	before counted // by the server, when the load began
	// rehearsed: the table is this load's alone, whatever it does
	rehearsed bool
	set       *script.Set
	script    *script.Script
}

// mostClients is more than servers take sessions, and less than costs gigabytes here.
const mostClients = 10_000

// NewWorkload checks an arm and makes it ready. The arm must not be idle.
func NewWorkload(arm runfile.Arm, schema string) (*Workload, error) {
	if err := check(arm); err != nil {
		return nil, fmt.Errorf("load %s: %w", arm.Name, err)
	}
	table := arm.Name
	if Reads(arm.Method) {
		table = shared
	}
	w := &Workload{arm: arm, schema: schema, table: pgx.Identifier{schema, table}.Sanitize()}
	return w, w.parse()
}

func (w *Workload) parse() (err error) {
	w.set = script.NewSet()
	if w.script, err = w.set.Parse(w.arm.Name, w.Script()); err != nil {
		return fmt.Errorf("load %s: %w", w.arm.Name, err)
	}
	return nil
}

// ThroughPooler makes the load one for a pooler, which gives each transaction any session of the server: what holds for the
// session is set in the transaction, and nothing is prepared.
func (w *Workload) ThroughPooler() error {
	w.pooled = true
	return w.parse()
}

// maxIndexes is what the table has columns for: the key, and the value.
const maxIndexes = 2

// maxWidth leaves room for the other columns: a row lies in one page of 8 KiB, whole and as it is.
const maxWidth = 8000

// mostTableRows is a table of some terabytes.
const mostTableRows = 10_000_000_000

// Bounds of the rows of a transaction: of inserts, because each is a command of the script and a prepared statement of
// every session; of VALUES, because each is a parameter, and a statement takes 65,535.
const (
	maxInserts = 10_000
	maxValues  = 65_535 / 2
)

func check(arm runfile.Arm) error {
	commits := []string{"on", "off", "local", "remote_write", "remote_apply"}
	switch {
	case !slices.Contains(Methods(), arm.Method):
		return fmt.Errorf("unknown method %q: there are %s", arm.Method, strings.Join(Methods(), ", "))
	case arm.RowsPerTx < 1:
		return fmt.Errorf("rows_per_tx is %d and must be at least 1", arm.RowsPerTx)
	case arm.Method == Bitmap && arm.RowsPerTx != bitmapRows:
		return fmt.Errorf("rows_per_tx is %d and must be %d with method %s: so many rows of the table have one value", arm.RowsPerTx, bitmapRows, Bitmap)
	case arm.RowsPerTx > mostRows(arm.Method):
		return fmt.Errorf("rows_per_tx is %d and must be at most %d with method %s", arm.RowsPerTx, mostRows(arm.Method), arm.Method)
	case arm.Indexes < 0 || arm.Indexes > maxIndexes:
		return fmt.Errorf("indexes is %d and must be 0 to %d", arm.Indexes, maxIndexes)
	case arm.Width < 0 || arm.Width > maxWidth:
		return fmt.Errorf("width is %d and must be 0 to %d bytes", arm.Width, maxWidth)
	case !Fills(arm.Method) && (arm.TableRows != 0 || arm.OfRows != 0 || arm.Cold):
		return fmt.Errorf("method %s begins with an empty table: it takes no table_rows, of_rows or cold", arm.Method)
	case arm.TableRows < 0 || arm.TableRows > mostTableRows || arm.OfRows < 0:
		return fmt.Errorf("table_rows is %d, of_rows is %d, and they must be 0 to %d", arm.TableRows, arm.OfRows, int64(mostTableRows))
	case arm.Clients > mostClients:
		return fmt.Errorf("clients is %d and must be at most %d", arm.Clients, mostClients)
	case arm.Clients < 1:
		return fmt.Errorf("clients is %d and must be at least 1", arm.Clients)
	case arm.SynchronousCommit != "" && !slices.Contains(commits, arm.SynchronousCommit):
		return fmt.Errorf("synchronous_commit is %q and must be %s", arm.SynchronousCommit, strings.Join(commits, ", "))
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

// Create makes the arm's table anew, and refuses to go on if somebody else has put something on it.
func (w *Workload) Create(ctx context.Context, conn *pgx.Conn) error {
	makeTable := w.create
	if Fills(w.arm.Method) {
		makeTable = w.fill
	}
	if err := makeTable(ctx, conn); err != nil {
		return err
	}
	return postgres.RefuseForeign(ctx, conn, w.table)
}

// create makes the table of the published runs, so that figures compare; a filler makes its rows wide. Autovacuum leaves it
// alone: it would come into some replicates and not into others.
func (w *Workload) create(ctx context.Context, conn *pgx.Conn) error {
	key := ""
	if w.arm.Indexes >= 1 {
		key = " primary key"
	}
	ddl := fmt.Sprintf("create table %s (id bigserial%s, value int) with (autovacuum_enabled = off)", w.table, key)
	if w.arm.Width > 0 { // neither compressed nor put elsewhere, so that it is as wide as it says
		ddl += fmt.Sprintf("; alter table %s add filler pg_catalog.text, alter filler set storage plain", w.table)
	}
	if w.arm.Indexes >= 2 {
		ddl += fmt.Sprintf("; create index on %s (value)", w.table)
	}
	ddl += fmt.Sprintf("; comment on table %s is '%s'", w.table, postgres.TableMark)
	if err := postgres.Exec(ctx, conn, ddl); err != nil {
		return fmt.Errorf("create the table of the load %s: %w", w.arm.Name, err)
	}
	return nil
}

// Drop removes the arm's table, unless it is one that other loads read as well, which goes with the schema.
func (w *Workload) Drop(ctx context.Context, conn *pgx.Conn) error {
	if Reads(w.arm.Method) && !w.rehearsed {
		return nil
	}
	if err := postgres.Exec(ctx, conn, "drop table "+w.table); err != nil {
		return fmt.Errorf("drop the table of the load %s: %w", w.arm.Name, err)
	}
	return nil
}

// Rows are those in the arm's table, each looked at.
func (w *Workload) Rows(ctx context.Context, conn postgres.Asker) (rows int64, err error) {
	if err := postgres.QueryRow(ctx, conn, "/* realiops */ select pg_catalog.count(*) from "+w.table).Scan(&rows); err != nil {
		return 0, fmt.Errorf("count the rows of the load %s: %w", w.arm.Name, err)
	}
	return rows, nil
}

// rehearsalRows are enough of a table for any transaction.
const rehearsalRows = 10_000

// Rehearse does one transaction on a table made for it, in a session like the one it is given, and counts the rows it
// left, so that what cannot work is found before anything is measured.
func (w *Workload) Rehearse(ctx context.Context, conn *pgx.Conn) error {
	if Fills(w.arm.Method) { // a table of its own that is made in a moment
		arm := w.arm
		arm.TableRows = rehearsalRows
		w = &Workload{
			arm: arm, schema: w.schema, table: pgx.Identifier{w.schema, arm.Name}.Sanitize(), pooled: w.pooled, rehearsed: true,
		}
		if err := w.parse(); err != nil {
			return err
		}
	}
	if err := w.Create(ctx, conn); err != nil {
		return err
	}
	if err := w.try(ctx, conn.Config()); err != nil {
		return fmt.Errorf("try the load %s: %w", w.arm.Name, err)
	}
	rows, err := w.Rows(ctx, conn)
	if err != nil {
		return err
	}
	each := w.deed()
	if left := w.arm.TableRows + each.rows - each.updated - 2*each.deleted; rows != left {
		return fmt.Errorf("the load %s left %d rows where %d must be: does a trigger or a rule stand on new tables?", w.arm.Name, rows, left)
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
