package cli

import (
	"context"

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
	device, err := s.findDevice(t, facts)
	if err != nil {
		device = probe.Absent(block.Name, block.Metrics(), err)
	}
	s.samplers = []probe.Sampler{stats, device}
	return s, nil
}

// findDevice looks under the data directory, once it is sure whose directory that is.
func (s *sources) findDevice(t *target, facts postgres.Facts) (probe.Sampler, error) {
	directory := t.known.Storage.Directory
	if t.started == nil {
		var err error
		if directory, err = block.LocalDataDirectory(facts.BackendPID, facts.DataDirectory); err != nil {
			return nil, err
		}
	}
	if storage, err := block.StorageOf(directory); err == nil {
		s.storage = storage
	}
	return block.ForDirectory(directory)
}

func (s *sources) close(ctx context.Context) { s.stats.Close(ctx) }
