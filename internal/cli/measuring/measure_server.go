package measuring

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/measure/operation"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// measurement is an operation, its server, and its file.
type measurement struct {
	operation.Options
	server      target.Options
	operationOn func(*target.Target) operation.Operation
	path        string
	base        *cost.Compared // nil: none
	show        target.Notices
}

// countStatements makes a server of ours count each statement's writes, unless the user's
// settings preload something else.
func (m *measurement) countStatements() {
	const preload = "shared_preload_libraries="
	settings := m.server.Embedded.Settings
	if !slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, preload) }) {
		m.server.Embedded.Settings = append(slices.Clone(settings), preload+metric.StatStatements)
	}
}

// do opens a server for the measurement. recorded reports whether the file holds anything; if not, it leaves no file.
func (m measurement) do(ctx context.Context) (recorded bool, err error) {
	file, err := runfile.Create(m.path)
	if err != nil {
		return false, err
	}
	t, err := target.Open(ctx, m.server, m.show)
	if err != nil {
		return false, errors.Join(err, file.Discard())
	}
	file.Hide(t.Secrets(ctx)...)
	watched, cancel := t.Watch(ctx)
	defer cancel()
	recorded, err = m.on(watched, t, file)
	err = errors.Join(t.Because(watched, err), t.Close(ctx, m.show))
	if !recorded {
		return false, errors.Join(err, file.Discard())
	}
	return true, errors.Join(err, file.Close())
}

// on measures on a server that answers.
func (m measurement) on(ctx context.Context, t *target.Target, file *runfile.Writer) (recorded bool, err error) {
	session, err := t.Session(ctx)
	if err != nil {
		return false, err
	}
	defer session.Close(ctx)
	if err := t.Refuse(session.Facts); err != nil {
		return false, err
	}
	if m.base != nil {
		is := cost.Cost{Operation: *m.Head.Operation, Server: "PostgreSQL " + session.Facts.Version,
			Settings: session.Facts.Settings}
		is.Operation.Text = runfile.Scrub(is.Operation.Text, t.Secrets(ctx)...) // as recorded
		if err := m.base.Refuse(is); err != nil {
			return false, err
		}
	}
	if t.Own() {
		// If it cannot be created, the report says why statements are missing.
		_ = postgres.Exec(ctx, session.Control, "create extension if not exists "+metric.StatStatements+
			" schema public")
	}
	probes, err := t.Probes(ctx, session.Facts, "")
	if err != nil {
		return false, err
	}
	defer probes.Close(context.WithoutCancel(ctx))
	place := operation.Place{
		Control: session.Control, Facts: session.Facts, Target: t.Describe(session.Facts, probes.Storage),
		Samplers: probes.Samplers, ReadWAL: probes.ReadWAL, Relations: probes.Relations,
		Ranking: pgstat.NewRanking(t.Endpoint.Config()),
	}
	m.Operation, m.Tell = m.operationOn(t), m.show.Stage
	err = operation.Do(ctx, place, m.Options, func(r runfile.Record) error {
		err := file.Write(r)
		recorded = recorded || err == nil
		return err
	})
	return recorded, err
}
