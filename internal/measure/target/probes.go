package target

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/runfile"
)

// Probes holds the probes on a server and on its disks.
type Probes struct {
	Samplers    []probe.Sampler
	Stats       *pgstat.Sampler
	Storage     runfile.Storage
	Directories []layout.Root // one on each file system that the server writes to; none if not visible

	layout *layout.Layout // nil if the server's files are not visible
	unseen error          // why they are not

	Relations anatomy.Relations // attributes WAL to tables and indexes

	log      *anatomy.Sampler // nil if the WAL cannot be read
	requests *request.Sampler // nil if requests cannot be followed
	names    *naming          // likewise
}

// Metrics returns the metrics of all probes.
func (p *Probes) Metrics() (all []runfile.Metric) {
	for _, sampler := range p.Samplers {
		all = append(all, sampler.Metrics()...)
	}
	return all
}

// Probes opens the probes on the server, its WAL and its device. A source that cannot be read is not an error: its
// probe is absent, and the run file says why. A probe that needs an extension creates it in schema, if given, or
// anywhere on our own server.
func (t *Target) Probes(ctx context.Context, facts postgres.Facts, schema string) (*Probes, error) {
	stats, err := pgstat.New(ctx, t.Endpoint.Config(), postgres.SchemaName)
	if err != nil {
		return nil, facts.ExplainRefusal(err)
	}
	p := t.withDevices(ctx, stats, facts)
	p.Samplers = append(p.Samplers, p.openLog(ctx, t, facts, schema))
	return p, nil
}

// Observe opens only probes that add nothing to a server with other users.
func (t *Target) Observe(ctx context.Context, facts postgres.Facts) (*Probes, error) {
	stats, err := pgstat.NewObserver(ctx, t.Endpoint.Config())
	if err != nil {
		return nil, facts.ExplainRefusal(err)
	}
	p := t.withDevices(ctx, stats, facts)
	// only tables and indexes are read, now and then
	wal, err := anatomy.New(ctx, t.Endpoint.Config(), "")
	if err != nil {
		p.Relations = anatomy.WithoutRelations(noSuperuser(facts, err))
		return p, nil
	}
	p.log, p.Relations = wal, wal
	return p, nil
}

func (t *Target) withDevices(ctx context.Context, stats *pgstat.Sampler, facts postgres.Facts) *Probes {
	p := &Probes{Stats: stats, Storage: t.known.Storage}
	p.layout, p.unseen = findLayout(ctx, t, facts)
	device, err := p.findDevices()
	if err != nil {
		device = block.Absent(err)
	}
	p.Samplers = []probe.Sampler{stats, device, p.openRequests(ctx, t)}
	return p
}

// openLog opens the server's WAL: through the server, or from its files if pg_waldump is installed here.
func (p *Probes) openLog(ctx context.Context, t *Target, facts postgres.Facts, schema string) probe.Sampler {
	if t.started != nil {
		schema = "public"
	}
	log, err := anatomy.New(ctx, t.Endpoint.Config(), schema)
	if err != nil {
		err = noSuperuser(facts, err)
		p.Relations = anatomy.WithoutRelations(err)
		var none error
		if log, none = p.openLogFiles(ctx, t, facts); none != nil {
			return probe.Absent(anatomy.Name, anatomy.Metrics(), err)
		}
	}
	p.log = log
	if p.Relations == nil {
		p.Relations = log
	}
	return log
}

// openLogFiles opens the WAL files of a server on this machine.
func (p *Probes) openLogFiles(ctx context.Context, t *Target, facts postgres.Facts) (*anatomy.Sampler, error) {
	if p.unseen != nil {
		return nil, p.unseen
	}
	wal := p.layout.Root(layout.WAL)
	if wal == nil || wal.Err != nil {
		return nil, errors.New("the server's WAL is not visible on this machine")
	}
	installed, err := binaries.Installed(facts.VersionNum / 10000)
	if err != nil {
		return nil, err
	}
	files := anatomy.Files{WAL: wal.Path, Program: filepath.Join(installed.Bin, "pg_waldump")}
	return anatomy.NewOfFiles(ctx, t.Endpoint.Config(), files)
}

// WALUntold says why readable WAL is not attributed to tables and indexes; empty: it is.
func (p *Probes) WALUntold(ctx context.Context) string {
	if p.log == nil {
		return ""
	}
	return p.log.Untold(ctx)
}

// ReadWAL reads the WAL since the last call, before a checkpoint lets the server recycle it.
func (p *Probes) ReadWAL(ctx context.Context) error {
	if p.log == nil {
		return nil
	}
	return p.log.ReadWAL(ctx)
}

// findDevices finds the devices under all files of the server, if it is certain which server's files they are.
func (p *Probes) findDevices() (probe.Sampler, error) {
	if p.unseen != nil {
		return nil, p.unseen
	}
	devices, err := block.New(p.layout.Roots)
	if err != nil {
		return nil, err
	}
	own := p.Storage.Own
	p.Directories = devices.Directories()
	p.Storage = devices.Storage()
	p.Storage.Own = own
	return devices, nil
}

// Layout returns the places of the server's files, or nil if they are not visible.
func (p *Probes) Layout() *layout.Layout { return p.layout }

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

// noSuperuser returns why the WAL is not read, without advice to be a superuser if the service has none.
func noSuperuser(facts postgres.Facts, err error) error {
	missing := probe.GapOf(err)
	if facts.Service == "" || missing.Reason != runfile.Permission && missing.Reason != runfile.Absent {
		return err
	}
	return &probe.Error{Reason: runfile.Unsupported, Err: fmt.Errorf("%s does not let users read the WAL",
		facts.Service)}
}
