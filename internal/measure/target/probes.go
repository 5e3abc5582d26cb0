package target

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/runfile"
)

// Probes are what can be read of a server and of the disks under it.
type Probes struct {
	Samplers    []probe.Sampler
	Stats       *pgstat.Sampler
	Storage     runfile.Storage
	Directories []string // one on each file system that the server writes to; none where they are out of sight

	log      *anatomy.Sampler // nil where the WAL cannot be read
	requests *request.Sampler // nil where requests cannot be followed
	names    *naming          // nil likewise
}

// Metrics are those of all probes.
func (p *Probes) Metrics() (all []runfile.Metric) {
	for _, sampler := range p.Samplers {
		all = append(all, sampler.Metrics()...)
	}
	return all
}

// Probes finds out what can be read of the server and its device. A device out of sight is not an error: its probe is
// absent, and the run file says why; so it is with the server's log. What takes an extension makes it in the schema, where
// one is named; on a server of our own it may anyway.
func (t *Target) Probes(ctx context.Context, facts postgres.Facts, schema string) (*Probes, error) {
	stats, err := pgstat.New(ctx, t.Endpoint.Config(), postgres.SchemaName)
	if err != nil {
		return nil, err
	}
	p := t.withDevices(ctx, stats, facts)
	p.Samplers = append(p.Samplers, p.openLog(ctx, t, facts, schema))
	return p, nil
}

// Observe has the probes that add nothing to a server which others use.
func (t *Target) Observe(ctx context.Context, facts postgres.Facts) (*Probes, error) {
	stats, err := pgstat.NewObserver(ctx, t.Endpoint.Config())
	if err != nil {
		return nil, err
	}
	return t.withDevices(ctx, stats, facts), nil
}

func (t *Target) withDevices(ctx context.Context, stats *pgstat.Sampler, facts postgres.Facts) *Probes {
	p := &Probes{Stats: stats, Storage: t.known.Storage}
	device, err := p.findDevices(ctx, t, facts)
	if err != nil {
		device = block.Absent(err)
	}
	p.Samplers = []probe.Sampler{stats, device, p.openRequests(ctx, t, facts)}
	return p
}

// openLog sees to it that the server's log can be read: by the server, or from its files, where the program for that is
// installed here.
func (p *Probes) openLog(ctx context.Context, t *Target, facts postgres.Facts, schema string) probe.Sampler {
	if t.started != nil {
		schema = "public"
	}
	log, err := anatomy.New(ctx, t.Endpoint.Config(), schema)
	if err != nil {
		var none error
		if log, none = p.openLogFiles(ctx, t, facts); none != nil {
			return probe.Absent(anatomy.Name, anatomy.Metrics(), err)
		}
	}
	p.log = log
	return log
}

// openLogFiles finds the WAL of a server on this machine.
func (p *Probes) openLogFiles(ctx context.Context, t *Target, facts postgres.Facts) (*anatomy.Sampler, error) {
	directory, err := dataDirectory(t, facts)
	if err != nil {
		return nil, err
	}
	installed, err := binaries.Installed(facts.VersionNum / 10000)
	if err != nil {
		return nil, err
	}
	files := anatomy.Files{Directory: directory, Program: filepath.Join(installed.Bin, "pg_waldump")}
	return anatomy.NewOfFiles(ctx, t.Endpoint.Config(), files)
}

// dataDirectory is where the server's data are, if that is on this machine.
func dataDirectory(t *Target, facts postgres.Facts) (string, error) {
	if t.started != nil {
		return t.known.Storage.Directory, nil
	}
	if facts.Flavor != postgres.FlavorPostgres { // whatever process of this machine has the same number is another's
		return "", &probe.Error{Reason: runfile.NotLocal, Err: errors.New("the server is AWS's, and so are the machine and the disks under it")}
	}
	return block.LocalDataDirectory(facts.BackendPID, facts.DataDirectory)
}

// ReadWAL looks back at what a load put into the WAL, before a checkpoint lets the server recycle it.
func (p *Probes) ReadWAL(ctx context.Context) error {
	if p.log == nil {
		return nil
	}
	return p.log.ReadWAL(ctx)
}

// findDevices looks under everything that the server writes to, once it is sure whose server that is.
func (p *Probes) findDevices(ctx context.Context, t *Target, facts postgres.Facts) (probe.Sampler, error) {
	directory, err := dataDirectory(t, facts)
	if err != nil {
		return nil, err
	}
	temp, _ := temporaryTablespaces(ctx, t) // without their names they are counted among the tablespaces, only not apart
	devices, err := block.New(block.Layout{Data: directory, Temp: temp})
	if err != nil {
		return nil, err
	}
	own := p.Storage.Own
	p.Directories = devices.Directories()
	p.Storage = devices.Storage()
	p.Storage.Own = own
	return devices, nil
}

// temporaryTablespaces are those that the server puts temporary files into, as it names them on the disk.
func temporaryTablespaces(ctx context.Context, t *Target) ([]string, error) {
	conn, err := t.Endpoint.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was changed
	var oid string
	var oids []string
	err = postgres.ForEachRow(ctx, conn, []any{&oid}, func() error {
		oids = append(oids, oid)
		return nil
	}, `/* realiops */
		select oid::pg_catalog.text from pg_catalog.pg_tablespace
		where spcname = any (select pg_catalog.btrim(n, ' "') from pg_catalog.unnest(
			pg_catalog.string_to_array(pg_catalog.current_setting('temp_tablespaces'), ',')) n)`)
	if err != nil {
		return nil, fmt.Errorf("ask for the tablespaces of temporary files: %w", err)
	}
	return oids, nil
}

// Close ends the sessions of the probes.
func (p *Probes) Close(ctx context.Context) {
	p.Stats.Close(ctx)
	if p.log != nil {
		p.log.Close(ctx)
	}
	if p.requests != nil {
		p.requests.Close()
	}
	p.names.Close()
}
