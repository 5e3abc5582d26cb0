package cli

import (
	"context"
	"errors"

	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
)

// diagnoseStore says what the history in a store could conclude.
func diagnoseStore(ctx context.Context, env Env, o doctorOptions) error {
	server := o.target.aws
	if o.store.sigv4 {
		server.Account = account.Options{} // it is for both
	}
	if o.target.dsn.given || o.target.container.given || o.target.own || server.Given() {
		return errors.New("--prometheus asks a store, and no server: leave out --dsn, --container, --embedded, and what is for a server in AWS")
	}
	store, asked, q, err := o.store.open(ctx, env, o.target.aws.Account)
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
			Machine: s.Machine, Instances: s.Instances, Exporters: s.Exporters, Devices: s.Devices, Samples: s.Samples}, s.Metrics))
	}
	if len(servers) == 0 {
		env.tell("the store has no metric of PostgreSQL or of a disk that realiops knows, in that time")
		return errNoConclusion
	}
	err = env.answer(o.format.chosen, finding{what: "a diagnosis", value: d, words: d.Document})
	if err == nil && !d.Concludes() {
		return errNoConclusion
	}
	return err
}

// strayed refuses flags about a store where none is asked, as somebody would believe that they were heeded.
func (o storeOptions) strayed() error {
	if o.url == "" && o != (storeOptions{back: o.back}) {
		return errors.New("--token-file, --tenant, --sigv4, --until, --server, --host, --device and --name-label are about a store: name it with --prometheus")
	}
	return nil
}
