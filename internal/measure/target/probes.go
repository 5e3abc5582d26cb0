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

// Probes holds the readers of a server and of the disks under it.
type Probes struct {
	Samplers    []probe.Sampler
	Stats       *pgstat.Sampler
	Storage     runfile.Storage
	Directories []layout.Root // one on each file system that the server writes to; none where they are out of sight

	layout *layout.Layout // nil where the server's files are out of sight
	unseen error          // why they are

	Relations anatomy.Relations // tells which tables and indexes the WAL is about

	log      *anatomy.Sampler // nil where the WAL cannot be read
	requests *request.Sampler // nil where requests cannot be followed
	names    *naming          // nil likewise
}

// Metrics returns those of all probes.
func (p *Probes) Metrics() (all []runfile.Metric) {
	for _, sampler := range p.Samplers {
		all = append(all, sampler.Metrics()...)
	}
	return all
}

// Probes finds out what can be read of the server and its device. A device out of sight is not an error: its probe is
// absent, and the run file says why; so it is with the server's log. What takes an extension makes it in the schema,
// where one is named; on a server of our own it may anyway.
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
	p := t.withDevices(ctx, stats, facts)
	// of which only tables and indexes are asked for, now and then
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

// openLog sees to it that the server's log can be read: by the server, or from its files, where the program for that is
// installed here.
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

// openLogFiles finds the WAL of a server on this machine.
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

// WALUntold says why the WAL, although it can be read, is not told by tables and indexes; empty: it is.
func (p *Probes) WALUntold(ctx context.Context) string {
	if p.log == nil {
		return ""
	}
	return p.log.Untold(ctx)
}

// ReadWAL looks back at what a load put into the WAL, before a checkpoint lets the server recycle it.
func (p *Probes) ReadWAL(ctx context.Context) error {
	if p.log == nil {
		return nil
	}
	return p.log.ReadWAL(ctx)
}

// findDevices looks under everything that the server writes to, once it is sure whose server that is.
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

// Layout returns the places of the server's files, or nil if they are out of sight.
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

// noSuperuser is why the WAL is not read, without the advice to be a superuser where a service lets nobody be one.
func noSuperuser(facts postgres.Facts, err error) error {
	missing := probe.GapOf(err)
	if facts.Service == "" || missing.Reason != runfile.Permission && missing.Reason != runfile.Absent {
		return err
	}
	return &probe.Error{Reason: runfile.Unsupported, Err: fmt.Errorf("%s lets nobody read the WAL", facts.Service)}
}
