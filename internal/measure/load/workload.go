package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/runfile"
)

// Methods of putting rows into a table.
const (
	InsertSelect = "insert-select" // one insert … select generate_series a transaction
	Copy         = "copy"          // one COPY a transaction
)

// Methods lists what an arm may name.
func Methods() []string { return []string{InsertSelect, Copy} }

// Workload is one arm made ready for a schema: the table it fills and the transaction it repeats.
type Workload struct {
	arm     runfile.Arm
	table   string // qualified and quoted
	execute transaction
}

// transaction does one transaction and returns when the server has confirmed it.
type transaction func(context.Context, *pgconn.PgConn) error

// NewWorkload checks an arm and makes it ready. The arm must not be idle.
func NewWorkload(arm runfile.Arm, schema string) (*Workload, error) {
	if err := check(arm); err != nil {
		return nil, fmt.Errorf("arm %s: %w", arm.Name, err)
	}
	w := &Workload{arm: arm, table: pgx.Identifier{schema, arm.Name}.Sanitize()}
	switch arm.Method {
	case InsertSelect:
		w.execute = w.insertSelect()
	case Copy:
		w.execute = w.copy()
	}
	return w, nil
}

// maxIndexes is what the table has columns for: the key, and the value.
const maxIndexes = 2

func check(arm runfile.Arm) error {
	switch {
	case !slices.Contains(Methods(), arm.Method):
		return fmt.Errorf("unknown method %q: there are %s", arm.Method, strings.Join(Methods(), ", "))
	case arm.RowsPerTx < 1:
		return fmt.Errorf("rows_per_tx is %d and must be at least 1", arm.RowsPerTx)
	case arm.Indexes < 0 || arm.Indexes > maxIndexes:
		return fmt.Errorf("indexes is %d and must be 0 to %d", arm.Indexes, maxIndexes)
	case arm.Clients < 1:
		return fmt.Errorf("clients is %d and must be at least 1", arm.Clients)
	}
	return nil
}

// Create makes the arm's table anew: the one of the published runs, so that figures compare.
func (w *Workload) Create(ctx context.Context, conn *pgx.Conn) error {
	key := ""
	if w.arm.Indexes >= 1 {
		key = " primary key"
	}
	ddl := fmt.Sprintf("/* realiops */ create table %s (id bigserial%s, value int)", w.table, key)
	if w.arm.Indexes >= 2 {
		ddl += fmt.Sprintf("; create index on %s (value)", w.table)
	}
	if _, err := conn.Exec(ctx, ddl, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("create the table of arm %s: %w", w.arm.Name, err)
	}
	return nil
}

// Drop removes the arm's table.
func (w *Workload) Drop(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "/* realiops */ drop table "+w.table); err != nil {
		return fmt.Errorf("drop the table of arm %s: %w", w.arm.Name, err)
	}
	return nil
}

// Rehearse does one transaction on a table made for it and counts the rows it left, so that what cannot work is found
// before anything is measured.
func (w *Workload) Rehearse(ctx context.Context, conn *pgx.Conn) error {
	if err := w.Create(ctx, conn); err != nil {
		return err
	}
	if err := w.execute(ctx, conn.PgConn()); err != nil {
		return fmt.Errorf("try arm %s: %w", w.arm.Name, err)
	}
	var rows int
	if err := conn.QueryRow(ctx, "/* realiops */ select count(*) from "+w.table).Scan(&rows); err != nil {
		return fmt.Errorf("count the rows of arm %s: %w", w.arm.Name, err)
	}
	if rows != w.arm.RowsPerTx {
		return fmt.Errorf("arm %s wrote %d rows where %d were sent: does a trigger or a rule stand on new tables?",
			w.arm.Name, rows, w.arm.RowsPerTx)
	}
	return w.Drop(ctx, conn)
}

// insertSelect is the statement of the published runs.
func (w *Workload) insertSelect() transaction {
	sql := fmt.Sprintf("insert into %s (value) select generate_series(1, %d)", w.table, w.arm.RowsPerTx)
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		results, err := conn.Exec(ctx, sql).ReadAll()
		if err != nil {
			return err
		}
		return w.confirm(results[0].CommandTag)
	}
}

// copy sends the same values by COPY, rendered once.
func (w *Workload) copy() transaction {
	var rows []byte
	for i := range w.arm.RowsPerTx {
		rows = append(strconv.AppendInt(rows, int64(i+1), 10), '\n')
	}
	sql := fmt.Sprintf("copy %s (value) from stdin", w.table)
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		tag, err := conn.CopyFrom(ctx, bytes.NewReader(rows), sql)
		if err != nil {
			return err
		}
		return w.confirm(tag)
	}
}

var errMiscount = errors.New("the server confirmed another number of rows than were sent")

func (w *Workload) confirm(tag pgconn.CommandTag) error {
	if tag.RowsAffected() != int64(w.arm.RowsPerTx) {
		return fmt.Errorf("%w: it said %s and we sent %d", errMiscount, tag, w.arm.RowsPerTx)
	}
	return nil
}
