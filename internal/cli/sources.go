package cli

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

// sources are the probes of a run, and what lies under the server.
type sources struct {
	samplers []probe.Sampler
	storage  runfile.Storage
	stats    *pgstat.Sampler
}

// openSources finds out what can be read of the server and its device. A device out of sight is not an error: its
// probe is absent, and the run file says why.
func openSources(ctx context.Context, t *target, facts postgres.Facts) (*sources, error) {
	stats, err := pgstat.New(ctx, t.endpoint.Config(), postgres.SchemaName)
	if err != nil {
		return nil, err
	}
	s := &sources{stats: stats, storage: t.known.Storage}
	device, err := s.findDevices(ctx, t, facts)
	if err != nil {
		device = block.Absent(err)
	}
	s.samplers = []probe.Sampler{stats, device}
	return s, nil
}

// findDevices looks under everything that the server writes to, once it is sure whose server that is.
func (s *sources) findDevices(ctx context.Context, t *target, facts postgres.Facts) (probe.Sampler, error) {
	directory := t.known.Storage.Directory
	if t.started == nil {
		var err error
		if directory, err = block.LocalDataDirectory(facts.BackendPID, facts.DataDirectory); err != nil {
			return nil, err
		}
	}
	temp, err := temporaryTablespaces(ctx, t)
	if err != nil {
		return nil, err
	}
	devices, err := block.New(block.Layout{Data: directory, Temp: temp})
	if err != nil {
		return nil, err
	}
	own := s.storage.Own
	s.storage = devices.Storage()
	s.storage.Own = own
	return devices, nil
}

// temporaryTablespaces are those that the server puts temporary files into, as it names them on the disk.
func temporaryTablespaces(ctx context.Context, t *target) ([]string, error) {
	conn, err := t.endpoint.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was changed
	rows, err := conn.Query(ctx, `/* realiops */
		select oid::text from pg_tablespace
		where spcname = any (select trim(both ' "' from n) from unnest(string_to_array(current_setting('temp_tablespaces'), ',')) n)`)
	if err != nil {
		return nil, fmt.Errorf("ask for the tablespaces of temporary files: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (s *sources) close(ctx context.Context) { s.stats.Close(ctx) }
