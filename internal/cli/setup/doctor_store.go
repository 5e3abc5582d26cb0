package setup

import (
	"context"
	"errors"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
)

// diagnoseStore reports what the history in a store could conclude.
func diagnoseStore(ctx context.Context, env command.Env, o doctorOptions) error {
	server := o.target.AWS
	if o.store.SigV4 {
		server.Account = account.Options{} // shared by both
	}
	if o.target.DSN.Given || o.target.Container.Given || o.target.Own || server.Given() {
		return errors.New("--prometheus checks a store, not a server; leave out --dsn, --container, --embedded and the " +
			"flags for AWS")
	}
	store, asked, q, err := o.store.Open(ctx, env, o.target.AWS.Account)
	if err != nil {
		return err
	}
	servers, err := store.Survey(ctx, q)
	if err != nil {
		return errors.New(runfile.Scrub(err.Error(), asked.Secrets()...))
	}
	d := diagnosis.Store{Schema: diagnosis.StoreSchema}
	for _, s := range servers {
		d.Servers = append(d.Servers, diagnosis.NewStored(diagnosis.Stored{
			Machine: s.Machine, Instances: s.Instances, Exporters: s.Exporters, Devices: s.Devices, Samples: s.Samples},
			s.Metrics))
	}
	if len(servers) == 0 {
		env.Tell("the store has no metric of PostgreSQL or of a disk that realiops knows, in that time")
		return command.ErrNoConclusion
	}
	err = env.Answer(o.format.Chosen, command.Finding{What: "a diagnosis", Value: d, Words: d.Document})
	if err == nil && !d.Concludes() {
		return command.ErrNoConclusion
	}
	return err
}
