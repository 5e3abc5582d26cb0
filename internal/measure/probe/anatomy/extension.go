package anatomy

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// oldest is the first version with pg_walinspect.
const oldest = 150000

type found struct {
	number    int
	version   string
	home      *string // its schema; nil: not in this database
	available bool    // it can be created
	super     bool    // this user may create it
}

// findExtension returns the schema of pg_walinspect, creating it in ours if it is missing.
// The error says what prevents it.
func findExtension(ctx context.Context, conn *pgx.Conn, schema string) (pgx.Identifier, error) {
	switch f, err := ask(ctx, conn); {
	case err != nil:
		return nil, err
	case f.home != nil:
		home := pgx.Identifier{*f.home}
		return home, mayExecute(ctx, conn, home, always()...)
	case f.number < oldest:
		return nil, gap(runfile.Unsupported, notSupported, "PostgreSQL %s cannot read its own WAL, since pg_walinspect "+
			"came with 15", f.version)
	case !f.available:
		return nil, gap(runfile.Absent, undefinedFile, "pg_walinspect is not installed on the server's machine")
	case schema == "" && f.super:
		return nil, gap(runfile.Absent, undefinedObject, "pg_walinspect is not in this database; a run creates it, and "+
			"drops it at the end")
	case schema == "":
		return nil, gap(runfile.Permission, noPrivilege, "pg_walinspect is not in this database, and this user may not "+
			"create it")
	}
	home := pgx.Identifier{schema}
	if err := postgres.Exec(ctx, conn, "create extension pg_walinspect schema "+home.Sanitize()); err != nil {
		if refused, ok := isRefusal(err); ok && refused.Code == noPrivilege {
			return nil, gap(runfile.Permission, noPrivilege, "pg_walinspect is not in this database, and this user may not "+
				"create it")
		}
		return nil, fmt.Errorf("create extension pg_walinspect: %w", err)
	}
	if err := postgres.Exec(ctx, conn, report); err != nil { // or its rows would count as others', in a load
		return nil, err
	}
	return home, mayExecute(ctx, conn, home, always()...)
}

func ask(ctx context.Context, conn *pgx.Conn) (f found, err error) {
	err = postgres.QueryRow(ctx, conn, mark+`select pg_catalog.current_setting('server_version_num')::int,
		pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1),
		(select n.nspname::pg_catalog.text from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
		 where e.extname = 'pg_walinspect'),
		exists (select from pg_catalog.pg_available_extensions where name = 'pg_walinspect'),
		(select rolsuper from pg_catalog.pg_roles where rolname = current_user)`).Scan(
		&f.number, &f.version, &f.home, &f.available, &f.super)
	if err != nil {
		return f, fmt.Errorf("look for pg_walinspect: %w", err)
	}
	return f, nil
}

// Remedy returns one line of advice, for the server's operators, about a gap in this sampler's metrics. It is empty
// if there is none, and for gaps of other probes.
func Remedy(gap runfile.Gap) probe.Remedy {
	switch {
	case !strings.HasPrefix(gap.Metric, Name+"/"):
		return probe.Remedy{}
	case gap.Reason == runfile.Permission:
		return probe.Remedy{Grant: true, Text: "a superuser may: create extension pg_walinspect; grant " +
			"pg_read_server_files to the user of this connection;"}
	case gap.Code == undefinedFile && gap.Reason == runfile.Absent:
		return probe.Remedy{Machine: true, Text: "install PostgreSQL's contrib package on the server's machine"}
	default:
		return probe.Remedy{}
	}
}

// genuineFunction is an SQL condition: function $2 is the extension's own. It would run with our privileges.
var genuineFunction = "exists (select from pg_catalog.pg_proc p where p.oid = " +
	"pg_catalog.to_regprocedure($2::pg_catalog.text) and " +
	postgres.OfExtension("pg_proc", "p.oid", "p.proowner", "'pg_walinspect'") + ")"

// function is a function of the extension: its name and argument types.
type function struct{ name, takes string }

// always returns the functions that every reading needs.
func always() []function {
	const one, two = "(pg_catalog.pg_lsn)", "(pg_catalog.pg_lsn, pg_catalog.pg_lsn)"
	return []function{{recordInfo, one}, {recordsInfo, two},
		{walStats, "(pg_catalog.pg_lsn, pg_catalog.pg_lsn, boolean)"}}
}

// blockFunction lists the pages of records.
var blockFunction = function{blockInfo, "(pg_catalog.pg_lsn, pg_catalog.pg_lsn, boolean)"}

// mayExecute checks the privileges before anything is read.
func mayExecute(ctx context.Context, conn *pgx.Conn, home pgx.Identifier, functions ...function) error {
	for _, f := range functions {
		var genuine, may bool
		function := append(home, f.name).Sanitize() + f.takes
		err := postgres.QueryRow(ctx, conn, mark+"select "+genuineFunction+
			", pg_catalog.has_schema_privilege($1, 'usage') and pg_catalog.has_function_privilege($2, 'execute')",
			home[0], function).Scan(&genuine, &may)
		if err != nil {
			return fmt.Errorf("check the privileges to read the WAL: %w", err)
		}
		if !genuine {
			return gap(runfile.Unsupported, undefinedFunction, "%s may have been replaced: it is not part of pg_walinspect, "+
				"or its owner is not a superuser", function)
		}
		if !may {
			return gap(runfile.Permission, noPrivilege, "this user may not execute %s of pg_walinspect", f.name)
		}
	}
	return nil
}

// The functions of pg_walinspect used here.
const (
	recordInfo  = "pg_get_wal_record_info"
	recordsInfo = "pg_get_wal_records_info"
	walStats    = "pg_get_wal_stats"
	blockInfo   = "pg_get_wal_block_info"
)
