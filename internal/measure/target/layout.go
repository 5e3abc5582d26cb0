package target

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

func findLayout(ctx context.Context, t *Target, facts postgres.Facts) (*layout.Layout, error) {
	if t.started == nil && facts.Service != "" {
		return nil, &probe.Error{Reason: runfile.NotLocal,
			Err: fmt.Errorf("the server runs on %s, which does not expose its machine and disks", facts.Service)}
	}
	// A process of that number on this machine is not the server's.
	if t.started == nil && facts.Flavor != postgres.FlavorPostgres {
		return nil, &probe.Error{Reason: runfile.NotLocal,
			Err: errors.New("the server runs on AWS, which does not expose its machine and disks")}
	}
	s, err := layout.Locate(layout.Session{
		PID: facts.BackendPID, ClientPort: facts.ClientPort, Directory: facts.DataDirectory,
		System: facts.SystemIdentifier})
	switch {
	case err != nil && t.started == nil:
		return nil, err
	case err != nil: // we started it, so its directory is known
		s = layout.Server{Data: t.known.Storage.Directory}
	}
	if err := askForFiles(ctx, t, &s); err != nil {
		s.Unasked = err
	}
	return layout.Find(s)
}

const mostTablespaces = 1000

// askForFiles asks a server for its directories outside the data directory.
func askForFiles(ctx context.Context, t *Target, s *layout.Server) error {
	conn, err := t.Endpoint.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was changed
	var space layout.Tablespace
	err = postgres.ForEachRow(ctx, conn, []any{&space.OID, (*postgres.Name)(&space.Name), &space.Temp}, func() {
		s.Tablespaces = append(s.Tablespaces, space)
	}, `/* realiops */
		select oid, `+postgres.Named("spcname")+`, coalesce(spcname = any (select pg_catalog.btrim(n, ' "') from pg_catalog.unnest(
			pg_catalog.string_to_array(pg_catalog.current_setting('temp_tablespaces'), ',')) n), false)
		from pg_catalog.pg_tablespace where spcname not in ('pg_default', 'pg_global') order by oid limit $1`, mostTablespaces+1)
	if err != nil {
		return fmt.Errorf("list the tablespaces: %w", err)
	}
	if len(s.Tablespaces) > mostTablespaces {
		return fmt.Errorf("the server has more than %d tablespaces", mostTablespaces)
	}
	for i := range s.Tablespaces { // one by one: a broken link fails the whole statement
		space := &s.Tablespaces[i]
		space.Err = locate(ctx, conn, space)
	}
	return askForLog(ctx, conn, s)
}

func locate(ctx context.Context, conn *pgx.Conn, space *layout.Tablespace) error {
	err := postgres.QueryRow(ctx, conn, `/* realiops */ select coalesce(pg_catalog.pg_tablespace_location($1), '')`,
		space.OID).Scan(&space.Location)
	if err != nil {
		return fmt.Errorf("read the location of tablespace %d: %w", space.OID, err)
	}
	return nil
}

// askForLog asks for the log's directory, which only roles with pg_read_all_settings may see.
func askForLog(ctx context.Context, conn *pgx.Conn, s *layout.Server) error {
	settings := map[string]string{}
	var name, value string
	err := postgres.ForEachRow(ctx, conn, []any{&name, &value}, func() { settings[name] = value }, `/* realiops */
		select name, setting from pg_catalog.pg_settings where name in ('logging_collector', 'log_directory', 'log_filename')`)
	if err != nil {
		return fmt.Errorf("read the settings of the server's log: %w", err)
	}
	if settings["logging_collector"] == "on" {
		s.LogDir, s.LogName = settings["log_directory"], settings["log_filename"]
	}
	return nil
}
