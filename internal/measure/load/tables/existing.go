package tables

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/printable"
)

const undefinedTable = "42P01"

// Scale returns the scale of the tables: the number of branches.
func Scale(ctx context.Context, conn *pgx.Conn) (int, error) {
	var scale int
	err := conn.QueryRow(ctx, "select pg_catalog.count(*) from pgbench_branches").Scan(&scale)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == undefinedTable {
		return 0, fmt.Errorf("count the branches: %s; create the tables with -i first, or run your own script with -f",
			refused.Message)
	}
	if err != nil {
		return 0, fmt.Errorf("count the branches: %w", causeOf(ctx, err))
	}
	return scale, nil
}

// Partitions returns the partitioning method of pgbench_accounts and its number of partitions. The method is empty if
// the table is not partitioned or does not exist.
func Partitions(ctx context.Context, conn *pgx.Conn) (method Method, count int, err error) {
	var letter string
	err = conn.QueryRow(ctx, `
		select p.partstrat::pg_catalog.text, (select pg_catalog.count(*) from pg_catalog.pg_inherits as i where i.inhparent operator(pg_catalog.=) p.partrelid)
		from pg_catalog.pg_partitioned_table as p
		where p.partrelid operator(pg_catalog.=) pg_catalog.to_regclass('pgbench_accounts')`).Scan(&letter, &count)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", 0, nil
	case err != nil:
		return "", 0, fmt.Errorf("read the partitions of pgbench_accounts: %w", causeOf(ctx, err))
	case letter == "r":
		return Range, count, nil
	case letter == "h":
		return Hash, count, nil
	default:
		return "", 0, fmt.Errorf("unexpected partition method %q of pgbench_accounts; want %s or %s", letter, Range, Hash)
	}
}

func (i *initializer) vacuum(ctx context.Context) error {
	i.say("vacuuming...\n")
	return i.run(ctx, "vacuum analyze pgbench_branches", "vacuum analyze pgbench_tellers",
		"vacuum analyze pgbench_accounts", "vacuum analyze pgbench_history")
}

// Vacuum does what pgbench does before a run without -n: it vacuums the two small tables and truncates the history.
// With accounts, as with -v, it also vacuums the large one. Errors of the server are reported on progress and
// otherwise ignored, because custom scripts need none of these tables.
func Vacuum(ctx context.Context, conn *pgx.Conn, accounts bool, progress io.Writer) error {
	v := vacuumer{session{conn}, progress}
	err := v.all(ctx, "starting vacuum...",
		"vacuum pgbench_branches", "vacuum pgbench_tellers", "truncate pgbench_history")
	if err == nil && accounts {
		err = v.all(ctx, "starting vacuum pgbench_accounts...", "vacuum analyze pgbench_accounts")
	}
	if err != nil {
		return fmt.Errorf("vacuum before the run: %w", causeOf(ctx, err))
	}
	return nil
}

type vacuumer struct {
	session
	progress io.Writer
}

func (v vacuumer) all(ctx context.Context, title string, statements ...string) error {
	fmt.Fprint(v.progress, title)
	for _, sql := range statements {
		err := v.run(ctx, sql)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if err != nil && (!ok || v.conn.IsClosed()) {
			return err
		}
		if ok {
			fmt.Fprintf(v.progress, "%s (ignored)\n", printable.Line(refused.Message))
		}
	}
	fmt.Fprint(v.progress, "end.\n")
	return nil
}
