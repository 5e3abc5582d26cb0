package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/runfile"
)

// sources are the probes of a run, and what lies under the server.
type sources struct {
	samplers    []probe.Sampler
	storage     runfile.Storage
	directories []string // one on each file system that the server writes to; none where they are out of sight
	stats       *pgstat.Sampler
	log         *anatomy.Sampler // nil where the log cannot be read
}

func (s *sources) metrics() (all []runfile.Metric) {
	for _, sampler := range s.samplers {
		all = append(all, sampler.Metrics()...)
	}
	return all
}

// openSources finds out what can be read of the server and its device. A device out of sight is not an error: its
// probe is absent, and the run file says why; so it is with the server's log. What takes an extension makes it in the
// schema, where one is named; on a server of our own it may anyway.
func openSources(ctx context.Context, t *target, facts postgres.Facts, schema string) (*sources, error) {
	stats, err := pgstat.New(ctx, t.endpoint.Config(), postgres.SchemaName)
	if err != nil {
		return nil, err
	}
	s := &sources{stats: stats, storage: t.known.Storage}
	device, err := s.findDevices(ctx, t, facts)
	if err != nil {
		device = block.Absent(err)
	}
	s.samplers = []probe.Sampler{stats, device, s.openLog(ctx, t, facts, schema)}
	return s, nil
}

// openLog sees to it that the server's log can be read: by the server, or from its files, where the program for that is
// installed here.
func (s *sources) openLog(ctx context.Context, t *target, facts postgres.Facts, schema string) probe.Sampler {
	if t.started != nil {
		schema = "public"
	}
	log, err := anatomy.New(ctx, t.endpoint.Config(), schema)
	if err != nil {
		var none error
		if log, none = s.openLogFiles(ctx, t, facts); none != nil {
			return probe.Absent(anatomy.Name, anatomy.Metrics(), err)
		}
	}
	s.log = log
	return log
}

// openLogFiles finds the log of a server on this machine.
func (s *sources) openLogFiles(ctx context.Context, t *target, facts postgres.Facts) (*anatomy.Sampler, error) {
	directory, err := dataDirectory(t, facts)
	if err != nil {
		return nil, err
	}
	installed, err := binaries.Installed(facts.VersionNum / 10000)
	if err != nil {
		return nil, err
	}
	files := anatomy.Files{Directory: directory, Program: filepath.Join(installed.Bin, "pg_waldump")}
	return anatomy.NewOfFiles(ctx, t.endpoint.Config(), files)
}

// dataDirectory is where the server's data are, if that is on this machine.
func dataDirectory(t *target, facts postgres.Facts) (string, error) {
	if t.started != nil {
		return t.known.Storage.Directory, nil
	}
	if facts.Flavor != postgres.FlavorPostgres { // whatever process of this machine has the same number is another's
		return "", &probe.Error{Reason: runfile.NotLocal, Err: errors.New("the server is AWS's, and so are the machine and the disks under it")}
	}
	return block.LocalDataDirectory(facts.BackendPID, facts.DataDirectory)
}

// survey looks back at what an arm put into the log, before a checkpoint lets go of it.
func (s *sources) survey(ctx context.Context) error {
	if s.log == nil {
		return nil
	}
	return s.log.Survey(ctx)
}

// findDevices looks under everything that the server writes to, once it is sure whose server that is.
func (s *sources) findDevices(ctx context.Context, t *target, facts postgres.Facts) (probe.Sampler, error) {
	directory, err := dataDirectory(t, facts)
	if err != nil {
		return nil, err
	}
	temp, err := temporaryTablespaces(ctx, t)
	if err != nil {
		temp = nil // they are counted among the tablespaces, only not apart
	}
	devices, err := block.New(block.Layout{Data: directory, Temp: temp})
	if err != nil {
		return nil, err
	}
	own := s.storage.Own
	s.directories = devices.Directories()
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

func (s *sources) close(ctx context.Context) {
	s.stats.Close(ctx)
	if s.log != nil {
		s.log.Close(ctx)
	}
}
