package pgstat

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
)

// mostTables is how many tables may be read each second at little cost: the server visits each of them.
const mostTables = 200

// NewObserver is New for a server with other users: it reads the sums over all databases, and the tables of all
// schemas of its own database unless they are too many. It leaves out statements, which cost more than everything
// else together. It refuses a standby, even one that later replaces the primary.
func NewObserver(ctx context.Context, config *pgx.ConnConfig) (*Sampler, error) {
	config = primaryOnly(config)
	tables, err := countTables(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("read the server's statistics: %w", asError(err))
	}
	s, err := open(ctx, config, observed(tables <= mostTables))
	if err == nil && tables > mostTables {
		s.notice = fmt.Sprintf("Index entries and HOT updates are not counted: the database has %s tables, and reading "+
			"each one's counters every second would slow the server down", printable.Count(tables))
	}
	return s, err
}

func observed(withTables bool) []view {
	all := append(progress(), serverItself(), replication(), lag(), archiver(), slru(), evictions(), checkpointer(),
		bgwriter(), auroraDatabase(), database())
	if withTables {
		schemas := []string{allSchemas}
		indexed := entries(schemas)
		indexed.sign = rowsWritten
		all = append(all, indexed, tables(schemas))
	}
	return append(all, cluster(), statIO(), wal(), insertLSN(), writeLSN(), flushLSN())
}

// rowsWritten changes whenever rows are written in the database, including its catalogs, or counters are
// reset. A session reports rows for their tables before the database, and a reading asks for this first, so
// its tables are at least as recent.
const rowsWritten = `(select pg_catalog.concat_ws(' ', tup_inserted, tup_updated, tup_deleted, stats_reset)
	from pg_catalog.pg_stat_database where datname = pg_catalog.current_database())`

// primaryOnly rejects standbys; of several hosts the next one is tried.
func primaryOnly(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	validate := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if validate != nil {
			if err := validate(ctx, conn); err != nil {
				return err
			}
		}
		results, err := conn.Exec(ctx, postgres.SafeTransaction+"; select pg_catalog.pg_is_in_recovery()").ReadAll()
		if err != nil {
			return err
		}
		if len(results) == 2 && len(results[1].Rows) == 1 && string(results[1].Rows[0][0]) == "t" {
			return ErrStandby
		}
		return nil
	}
	return config
}

func countTables(ctx context.Context, config *pgx.ConnConfig) (tables int, err error) {
	config = config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was changed
	err = postgres.QueryRow(ctx, conn, mark+
		`select pg_catalog.count(*) from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
		where c.relkind in ('r', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`).Scan(&tables)
	return tables, err
}

// Queries returns how many queries a reading sends to the server.
func (s *Sampler) Queries(ctx context.Context) int {
	if s.turn.Take(ctx) != nil {
		return 0
	}
	defer s.turn.Release()
	if s.session == nil {
		return 0
	}
	asked := 1 // for the limits
	for _, ask := range s.session.statements {
		if !s.session.stands(ask) {
			asked++
		}
	}
	return asked
}
