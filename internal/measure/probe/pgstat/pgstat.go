// Package pgstat reads PostgreSQL's own counters: the statistics views and the positions in the WAL.
//
// Each view has its own file here, with the history of its columns. A [Sampler] asks the server which views and
// columns it has, so that it reads what is left in versions newer than any known here. A view that the server
// lacks or refuses (Aurora does, and a privilege may be missing) is a gap with the reason, and costs the others
// nothing. It is not asked for again in the same session, which would fill the server's log. A counter that a
// setting switches off is a gap, whatever its number. [Remedy] gives advice about a gap; internal/metric has
// the requirements of each metric.
//
// A [Sampler] has its own session. It changes none of its settings and leaves nothing on the server. A reading is
// one round trip and one transaction, which xact_commit counts like any other. Our tables are found by an index,
// however many others there are.
//
// The counters lag: a transaction is counted when it ends, and a session reports once a second (13 and 14: through a
// collector, half a second later still) and when it disconnects. [Sampler.WaitForCounters] waits for that. On 13 and
// 14 a reading more than half a second after the last waits at least 10 ms for the collector to write its file.
package pgstat

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// applicationName is the application_name of all our sessions except the load's.
const applicationName = "realiops"

// Sampler reads the statistics of its database. Its methods may be called from several
// goroutines, and wait for each other.
type Sampler struct {
	config *pgx.ConnConfig
	views  []view
	notice string // of New's server

	turn    probe.Turn // held while using the session
	session *session   // nil while there is no connection
}

// New connects, inspects the server, and reads it once. The tables of the given schemas are read as well.
func New(ctx context.Context, config *pgx.ConnConfig, schemas ...string) (*Sampler, error) {
	return open(ctx, config, views(schemas))
}

func open(ctx context.Context, config *pgx.ConnConfig, views []view) (*Sampler, error) {
	config = config.Copy()
	config.RuntimeParams["application_name"] = applicationName
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // a pooler may stand in between; see session.prepare
	s := &Sampler{config: config, views: views, turn: probe.NewTurn()}
	first, server, err := s.sample(ctx, everything)
	if err != nil {
		s.Close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("read the server's statistics: %w", err)
	}
	s.views = slices.DeleteFunc(views, func(v view) bool { return v.missed(server) })
	s.notice = notice(server, len(first.Gaps), len(s.Metrics()))
	return s, nil
}

// views returns all views in the order of the reading: the fastest-changing are read last, close to each other.
func views(schemas []string) []view {
	all := append(progress(), waits(), replication(), lag(), archiver(), slru(), evictions(), statements(),
		checkpointer(), bgwriter(), auroraCache(), auroraWaits(), auroraWALCache(), auroraDatabase(), database())
	if len(schemas) > 0 {
		all = append(all, indexes(schemas), indexBlocks(schemas), tableBlocks(schemas), entries(schemas), tables(schemas))
	}
	return append(all, cluster(), statIO(), wal(), insertLSN(), writeLSN(), flushLSN())
}

// known returns the views of all samplers.
func known() []view { return append(views([]string{allSchemas}), serverItself()) }

// Metrics lists the metrics of all servers and schemas.
func Metrics() []runfile.Metric { return metricsOf(known()) }

// Name is pgstat.
func (s *Sampler) Name() string { return Name }

// Metrics lists this sampler's metrics, including those that its server lacks.
func (s *Sampler) Metrics() []runfile.Metric { return metricsOf(s.views) }

func metricsOf(views []view) (metrics []runfile.Metric) {
	for _, v := range views {
		for _, f := range v.fields {
			metrics = append(metrics, v.metric(f).Announced())
		}
	}
	return metrics
}

// Sample reads all views. It reconnects if the session was lost.
func (s *Sampler) Sample(ctx context.Context) (probe.Sample, error) {
	sample, _, err := s.sample(ctx, everything)
	return sample, err
}

func everything(statement) bool { return true }

// sample runs only the wanted statements, and returns the server's catalog as well.
func (s *Sampler) sample(ctx context.Context, wanted func(statement) bool) (probe.Sample, catalog, error) {
	if err := s.turn.Take(ctx); err != nil {
		return probe.Sample{}, catalog{}, err
	}
	defer s.turn.Release()
	if s.session == nil {
		session, err := connect(ctx, s.config, s.views)
		if err != nil {
			return probe.Sample{}, catalog{}, asError(err)
		}
		s.session = session
	}
	server := s.session.server
	sample, err := s.session.read(ctx, wanted)
	if err != nil {
		s.hangUp(ctx)
		return probe.Sample{}, catalog{}, asLoss(err)
	}
	return sample, server, nil
}

// Close ends the session. A later use of the sampler reconnects.
func (s *Sampler) Close(ctx context.Context) {
	if s.turn.Take(ctx) == nil {
		defer s.turn.Release()
		s.hangUp(ctx)
	}
}

// hangUp closes the session, ignoring errors: it is useless anyway.
func (s *Sampler) hangUp(ctx context.Context) {
	if s.session != nil {
		_ = s.session.conn.Close(ctx)
		s.session = nil
	}
}
