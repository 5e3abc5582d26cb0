package run

import (
	"context"
	"fmt"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// admit decides whether the load may begin: it refuses what the server's state forbids and asks the
// server's owner about the rest.
func (m *measurement) admit(ctx context.Context) error {
	if err := m.target.Refuse(m.session.Facts); err != nil {
		return err
	}
	if err := m.session.Facts.RefuseClients(mostClients(m.Program.Plan)); err != nil {
		return err
	}
	if err := m.nameReplication(ctx); err != nil {
		return err
	}
	if m.target.Own() || m.target.Endpoint.Local() {
		return nil
	}
	return m.Agree(
		fmt.Sprintf("%s is not on this machine. For about %s, %s will write as fast as they can into the "+
			"schema %s, which is dropped at the end.%s", m.target.Endpoint, printable.About(m.Program.Duration()),
			printable.Counted(mostClients(m.Program.Plan), "client"), postgres.SchemaName, m.bill()))
}

// nameReplication names what keeps the WAL that the loads will write, who may be lost by it, whose queries it may
// cancel, and the subscribers that receive its rows.
func (m *measurement) nameReplication(ctx context.Context) error {
	keepers, err := postgres.WALKeepers(ctx, m.session.Control)
	m.say(postgres.KeepsWAL(keepers))
	if err != nil {
		return err
	}
	followers, err := postgres.Followers(ctx, m.session.Control, postgres.UnderLoad)
	if err != nil {
		return err
	}
	m.say(postgres.Followed(followers))
	if err := RefuseFollowers(followers); err != nil {
		return err
	}
	queries, err := postgres.StandbyQueries(ctx, m.session.Control, "A run")
	if err != nil {
		return err
	}
	m.say(queries)
	readers, err := postgres.LogicalReaders(ctx, m.session.Control)
	m.say(postgres.ReadLogically(readers))
	return err
}

// nameTriggers names the event triggers that the run fires. Only superusers can create event triggers.
func (m *measurement) nameTriggers(ctx context.Context) error {
	all, err := postgres.EventTriggers(ctx, m.session.Control)
	ddl, login := postgres.Fired(all)
	m.say(ddl)
	m.say(login)
	return err
}

func mostClients(plan runfile.Plan) (most int) {
	for _, load := range plan.Loads {
		most = max(most, load.Clients)
	}
	return most
}

// bill returns a sentence about the likely cost of the run, or "" if the server has no known bill.
func (m *measurement) bill() string {
	if m.target.AWS.Cloud == nil {
		return ""
	}
	return m.Bill(*m.target.AWS.Cloud, m.Program.Plan)
}
