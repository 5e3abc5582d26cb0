package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server"
	"github.com/realiops/realiops/internal/measure/server/container"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
)

// targetOptions are the flags that choose the server and what is allowed on it.
type targetOptions struct {
	dsn       optional
	container optional
	embedded  embeddedOptions
	aws       awsOptions

	yes, shared, allowPooler bool
}

// optional is a flag's text and whether it was given at all: --dsn "" means the PG* variables.
type optional struct {
	text  string
	given bool
}

func (o *optional) String() string     { return o.text }
func (o *optional) Type() string       { return "text" }
func (o *optional) Set(s string) error { o.text, o.given = s, true; return nil }

// groups are its flags, with further ones for servers in AWS.
func (o *targetOptions) groups(aws ...func(*pflag.FlagSet)) []flagGroup {
	return []flagGroup{
		group("A server of yours", o.addFlags),
		group("A server that is started for it", o.addOwnFlags),
		group("A server in AWS", append([]func(*pflag.FlagSet){o.aws.addFlags}, aws...)...),
	}
}

func (o *targetOptions) addFlags(f *pflag.FlagSet) {
	f.Var(&o.dsn, "dsn", "measure this server: a `URL`, keywords or a database name, completed from PG* variables as psql does")
	f.BoolVar(&o.yes, "yes", false, "do not ask before loading a server that is not on this machine")
	f.BoolVar(&o.shared, "shared", false, "go on although other sessions are at work on the server")
	f.BoolVar(&o.allowPooler, "allow-pooler", false, "go on although a connection pooler stands in between")
}

func (o *targetOptions) addOwnFlags(f *pflag.FlagSet) {
	o.embedded.addFlags(f)
	f.Var(&o.container, "container", "start it in a container of this `image`")
	f.Lookup("container").NoOptDefVal = container.DefaultImage
}

// target is the server of a run, whoever started it.
type target struct {
	kind     string
	known    runfile.Target // what is known without asking it
	endpoint *postgres.Endpoint
	started  server.Server // nil where it is the user's
	aws      awsTarget
}

// open starts the server asked for, or finds the user's.
func (o *targetOptions) open(ctx context.Context, env Env, show *progress.Display) (*target, error) {
	switch {
	case o.dsn.given && o.container.given:
		return nil, errors.New("--dsn and --container exclude each other")
	case o.embedded.device != 0 && (o.dsn.given || o.container.given):
		return nil, errors.New("--own-device is for a server that realiops starts itself: it does not go with --dsn or --container")
	case o.aws.given() && !o.dsn.given:
		return nil, errors.New("--profile, --region, --role, --instance, --cluster, --volume, --ec2-instance and --iam-auth are for a server in AWS: they go with --dsn")
	case o.dsn.given:
		return o.yours(ctx)
	case o.container.given:
		return own(container.Start(ctx, container.Options{
			Image: o.container.text, Settings: o.embedded.settings, Keep: o.embedded.keep, Notify: show.Stage}))
	default:
		options := o.embedded.options(env)
		options.Notify = show.Stage
		return own(embedded.Start(ctx, options))
	}
}

// yours is the user's server, and AWS where it is one of AWS's.
func (o *targetOptions) yours(ctx context.Context) (*target, error) {
	endpoint, err := postgres.Parse(o.dsn.text)
	if err != nil {
		return nil, err
	}
	aws, err := o.aws.open(ctx, endpoint)
	return &target{kind: server.Yours, endpoint: endpoint, aws: aws}, err
}

func own[S server.Server](s S, err error) (*target, error) {
	if err != nil {
		return nil, err
	}
	endpoint, err := postgres.Parse(s.DSN())
	if err != nil {
		return nil, errors.Join(err, s.Stop(context.Background()))
	}
	known := s.Target()
	return &target{kind: known.Kind, known: known, endpoint: endpoint, started: s}, nil
}

var errServerDied = errors.New("the server died")

// watch gives a context that ends, with the reason, when a server of ours dies.
func (t *target) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	if t.started != nil {
		go func() {
			select {
			case <-ctx.Done():
			case <-t.started.Died():
				end(fmt.Errorf("%w: %w", errServerDied, t.started.Cause()))
			}
		}()
	}
	return ctx, func() { end(nil) }
}

// obituary is how long the news that a server of ours died may be behind the errors that follow from it.
const obituary = time.Second

// because is what ended the context, where something did: the errors that follow from it would only hide it.
func (t *target) because(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if t.started != nil {
		select {
		case <-ctx.Done():
		case <-time.After(obituary):
		}
	}
	return cmp.Or(context.Cause(ctx), err)
}

// stopWithin bounds the stop of a server of ours. One that is kept writes a last checkpoint first.
const stopWithin = 6 * time.Minute

// close ends a server of ours and says what stays of it.
func (t *target) close(ctx context.Context, show *progress.Display) error {
	if t.started == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	err := t.started.Stop(ctx)
	if kept := t.started.Kept(); kept != "" {
		show.Message(kept)
	}
	return err
}

// inspect opens the session that arranges things, asks in it what the server is, and then AWS what it is to that.
func (t *target) inspect(ctx context.Context, o targetOptions) (*pgx.Conn, postgres.Facts, error) {
	control, err := t.endpoint.Connect(ctx)
	if err != nil {
		return nil, postgres.Facts{}, errors.Join(err, t.aws.silence(ctx, o.aws))
	}
	facts, err := postgres.Inspect(ctx, control)
	if err != nil {
		return nil, facts, errors.Join(err, control.Close(context.WithoutCancel(ctx)))
	}
	t.aws.ask(ctx, o.aws, facts)
	return control, facts, nil
}

func (o *targetOptions) permissions() postgres.Permissions {
	return postgres.Permissions{Shared: o.shared, Pooler: o.allowPooler}
}

// refuse says why the server may not be put under load, or nil.
func (t *target) refuse(o targetOptions, facts postgres.Facts) error {
	return cmp.Or(t.aws.refuse(o.permissions()), facts.Refuse(o.permissions()))
}

// secrets are what must not be written down.
func (t *target) secrets(ctx context.Context) []string {
	return append(t.aws.secrets(ctx), t.endpoint.Password())
}

// admit decides whether the load may begin: what the server's state forbids, and what its owner must agree to.
func (t *target) admit(env Env, o targetOptions, facts postgres.Facts, p *program) error {
	if err := t.refuse(o, facts); err != nil {
		return err
	}
	if t.started != nil || t.endpoint.Local() || o.yes {
		return nil
	}
	question := fmt.Sprintf("%s is not on this machine. For about %s, %d clients will write as fast as they can into the "+
		"schema %s, which is dropped at the end.%s", t.endpoint, minutes(p.duration()), mostClients(p.plan), postgres.SchemaName, toll(t.aws.cloud, p))
	if !env.InTerminal {
		return errors.New(question + " Agree with --yes")
	}
	return confirm(env, question)
}

func confirm(env Env, question string) error {
	fmt.Fprintf(env.Err, "%s\nGo on? Type yes: ", question)
	answer, err := bufio.NewReader(env.In).ReadString('\n')
	if strings.TrimSpace(answer) != "yes" {
		return errors.Join(errors.New("not agreed to: nothing was written"), err)
	}
	return nil
}

func mostClients(plan runfile.Plan) int {
	most := 0
	for _, arm := range plan.Arms {
		most = max(most, arm.Clients)
	}
	return most
}

// describe joins what was known of the server, what it says of itself, and what lies under it.
func (t *target) describe(facts postgres.Facts, storage runfile.Storage) runfile.Target {
	d := t.known
	d.Kind, d.Flavor, d.Version, d.Settings = t.kind, t.aws.flavor(facts), facts.Version, facts.Settings
	d.Host, d.Port, d.Database, d.User = t.endpoint.Host(), t.endpoint.Port(), facts.Database, facts.User
	d.Pooler = facts.Pooler
	d.Storage = storage
	d.Cloud = t.aws.cloud
	return d
}
