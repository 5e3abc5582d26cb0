package tables

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// allTables are dropped and truncated in one statement, so that foreign keys between them do not matter.
const allTables = "pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers"

func (i *initializer) drop(ctx context.Context) error {
	i.say("dropping old tables...\n")
	return i.run(ctx, "drop table if exists "+allTables)
}

func (i *initializer) create(ctx context.Context) error {
	i.say("creating tables...\n")
	persistence, err := i.parentPersistence(ctx)
	if err != nil {
		return err
	}
	return i.run(ctx, append([]string{
		i.createTable(i.persistence(), "pgbench_history",
			"tid int, bid int, aid "+i.accountType()+", delta int, mtime timestamp, filler char(22)", ""),
		i.createTable(i.persistence(), "pgbench_tellers",
			"tid int not null, bid int, tbalance int, filler char(84)", i.storage()),
		i.createTable(persistence, "pgbench_accounts",
			"aid "+i.accountType()+" not null, bid int, abalance int, filler char(84)", i.accountsStorage()),
		i.createTable(i.persistence(), "pgbench_branches",
			"bid int not null, bbalance int, filler char(88)", i.storage()),
	}, i.createPartitions()...)...)
}

func (i *initializer) createTable(persistence, name, columns, storage string) string {
	return fmt.Sprintf("create %stable %s (%s)%s%s", persistence, name, columns, storage,
		inTablespace(" tablespace ", i.Tablespace))
}

// bigScale is the scale from which pgbench numbers accounts with 64 bits: 2,000,000,000 accounts.
const bigScale = 20_000

func (i *initializer) accountType() string {
	if i.Scale >= bigScale {
		return "bigint"
	}
	return "int"
}

func (i *initializer) persistence() string {
	if i.Unlogged {
		return "unlogged "
	}
	return ""
}

// noUnloggedParents is the server version that refuses an unlogged partitioned table. Before, UNLOGGED had no effect
// there, but the catalog kept it.
const noUnloggedParents = 18_00_00

func (i *initializer) parentPersistence(ctx context.Context) (string, error) {
	if i.Partitions == 0 || !i.Unlogged {
		return i.persistence(), nil
	}
	if version, err := i.serverVersion(ctx); err != nil || version >= noUnloggedParents {
		return "", err
	}
	return i.persistence(), nil
}

func (i *initializer) storage() string { return fmt.Sprintf(" with (fillfactor=%d)", i.Fillfactor) }

// accountsStorage leaves the fillfactor to the partitions, if any.
func (i *initializer) accountsStorage() string {
	if i.Partitions > 0 {
		return fmt.Sprintf(" partition by %s (aid)", i.PartitionMethod)
	}
	return i.storage()
}

func inTablespace(clause, name string) string {
	if name == "" {
		return ""
	}
	return clause + pgx.Identifier{name}.Sanitize()
}

func (i *initializer) createPartitions() []string {
	if i.Partitions > 0 {
		i.say("creating %d partitions...\n", i.Partitions)
	}
	statements := make([]string, i.Partitions)
	for n := range statements {
		bounds := fmt.Sprintf("with (modulus %d, remainder %d)", i.Partitions, n)
		if i.PartitionMethod == Range {
			bounds = i.rangeOf(n)
		}
		statements[n] = fmt.Sprintf("create %stable pgbench_accounts_%d partition of pgbench_accounts for values %s%s",
			i.persistence(), n+1, bounds, i.storage())
	}
	return statements
}

// rangeOf leaves the first and the last partition open, so that every account has one.
func (i *initializer) rangeOf(n int) string {
	count := int64(i.Partitions)
	size := (accountsPerScale*int64(i.Scale) + count - 1) / count
	from, to := "minvalue", "maxvalue"
	if n > 0 {
		from = fmt.Sprint(int64(n)*size + 1)
	}
	if n < i.Partitions-1 {
		to = fmt.Sprint(int64(n+1)*size + 1)
	}
	return fmt.Sprintf("from (%s) to (%s)", from, to)
}

func (i *initializer) addPrimaryKeys(ctx context.Context) error {
	i.say("creating primary keys...\n")
	where := inTablespace(" using index tablespace ", i.IndexTablespace)
	return i.run(ctx, "alter table pgbench_branches add primary key (bid)"+where,
		"alter table pgbench_tellers add primary key (tid)"+where,
		"alter table pgbench_accounts add primary key (aid)"+where)
}

func (i *initializer) addForeignKeys(ctx context.Context) error {
	i.say("creating foreign keys...\n")
	var statements []string
	for _, key := range []struct{ table, column, references string }{
		{"pgbench_tellers", "bid", "pgbench_branches"},
		{"pgbench_accounts", "bid", "pgbench_branches"},
		{"pgbench_history", "bid", "pgbench_branches"},
		{"pgbench_history", "tid", "pgbench_tellers"},
		{"pgbench_history", "aid", "pgbench_accounts"},
	} {
		name := strings.Join([]string{key.table, key.column, "fkey"}, "_")
		statements = append(statements, fmt.Sprintf("alter table %s add constraint %s foreign key (%s) references %s",
			key.table, name, key.column, key.references))
	}
	return i.run(ctx, statements...)
}
