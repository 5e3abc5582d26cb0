// Package target is the PostgreSQL that a command measures, whoever started it.
//
// [Open] starts a server of our own or finds the user's, and asks AWS about it if it is one of AWS's.
// [Target.Session] asks the server itself; [Session.Claim] creates a schema there; [Target.Probes] opens the probes
// on it and its disks. The package decides nothing about the load.
package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server"
	"github.com/realiops/realiops/internal/measure/server/container"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/stopping"
	"github.com/realiops/realiops/internal/runfile"
)

// Options choose a server, and what is allowed on it.
type Options struct {
	Yours    bool   // connect to the user's server
	DSN      string // its connection string; empty: the PG* variables
	Password string // typed by the user; empty: from DSN and the PG* variables
	AWS      AWSOptions

	Contained bool             // start one in a container
	Image     string           // of this image
	Embedded  embedded.Options // otherwise embedded; a container uses its Settings and Keep

	Allowed postgres.Permissions
}

// Notices show the user what happens, and what stays.
type Notices interface {
	Stage(text string)
	Message(text string)
}

// Target is a server to be measured.
type Target struct {
	Endpoint *postgres.Endpoint
	AWS      AWS

	options Options
	kind    string
	known   runfile.Target // known without asking it
	started server.Server  // nil for the user's server
}

// Open starts the server asked for, or finds the user's. The caller must close it.
func Open(ctx context.Context, o Options, tell Notices) (*Target, error) {
	if o.Yours {
		endpoint, err := postgres.Parse(o.DSN)
		if err != nil {
			return nil, err
		}
		if w := endpoint.Warning(); w != "" {
			tell.Message(w)
		}
		if o.Password != "" {
			endpoint.UsePassword(o.Password)
		}
		aws, err := o.AWS.Open(ctx, endpoint)
		return &Target{kind: server.Yours, options: o, Endpoint: endpoint, AWS: aws}, err
	}
	if err := postgres.IgnoreEnvironment(); err != nil {
		return nil, err
	}
	if o.Contained {
		s, err := container.Start(ctx, container.Options{
			Image: o.Image, Settings: o.Embedded.Settings, Keep: o.Embedded.Keep, Notify: tell.Stage})
		return own(o, s, err)
	}
	o.Embedded.Notify = tell.Stage
	s, err := embedded.Start(ctx, o.Embedded)
	return own(o, s, err)
}

func own(o Options, s server.Server, err error) (*Target, error) {
	if err != nil {
		return nil, err
	}
	endpoint, err := postgres.ParseOwn(s.DSN())
	if err != nil {
		return nil, errors.Join(err, s.Stop(context.Background()))
	}
	known := s.Target()
	return &Target{kind: known.Kind, options: o, known: known, Endpoint: endpoint, started: s}, nil
}

// Own reports whether the server was started for us and goes with us.
func (t *Target) Own() bool { return t.started != nil }

// HostForAll returns a host by which any program reaches the server. Our own server listens on the loopback address
// and on a socket, which some programs cannot use.
func (t *Target) HostForAll() string {
	if t.Own() && strings.HasPrefix(t.Endpoint.Host(), "/") {
		return "127.0.0.1"
	}
	return t.Endpoint.Host()
}

// ErrDied is the cause when a context of [Target.Watch] ends.
var ErrDied = errors.New("the server died")

// Watch returns a context that ends, with the reason, when our server dies.
func (t *Target) Watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	if t.started != nil {
		go func() {
			select {
			case <-ctx.Done():
			case <-t.started.Died():
				end(fmt.Errorf("%w: %w", ErrDied, t.started.Cause()))
			}
		}()
	}
	return ctx, func() { end(nil) }
}

// newsWithin bounds how long our server's death may become known after the errors that it causes.
const newsWithin = time.Second

// Because returns the cause of ctx if it ended, since err would only follow from it.
func (t *Target) Because(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if t.started != nil {
		select {
		case <-ctx.Done():
		case <-time.After(newsWithin):
		}
	}
	return cmp.Or(context.Cause(ctx), postgres.Lost(err))
}

// stopWithin bounds the stop of our server. A kept one writes a last checkpoint first.
const stopWithin = 6 * time.Minute

// Close stops our server and says what stays.
func (t *Target) Close(ctx context.Context, tell Notices) error {
	if t.started == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	defer stopping.For(ctx, "our server to stop", 0)()
	err := t.started.Stop(ctx)
	if remains := t.started.Kept(); remains != "" {
		tell.Message(remains)
	}
	return err
}

// Refuse returns the first of [Target.Refusals], or nil.
func (t *Target) Refuse(facts postgres.Facts) error { return cmp.Or(t.Refusals(facts)...) }

// Refusals returns all reasons why the server may not be put under load.
func (t *Target) Refusals(facts postgres.Facts) []error {
	refusals := facts.Refusals(t.options.Allowed)
	if err := t.AWS.refuse(t.options.Allowed); err != nil {
		return append([]error{err}, refusals...)
	}
	return refusals
}

// Secrets returns what must not be stored.
func (t *Target) Secrets(ctx context.Context) (all []string) {
	if t.AWS.Account != nil {
		all = t.AWS.Account.Secrets(ctx)
	}
	return append(all, t.Endpoint.Password())
}

// Describe combines what is known of the server, its own facts, and its storage.
func (t *Target) Describe(facts postgres.Facts, storage runfile.Storage) runfile.Target {
	d := t.known
	d.Kind, d.Flavor, d.Version, d.Settings = t.kind, t.AWS.flavor(facts), facts.Version, facts.Settings
	d.Host, d.Port, d.Database, d.User = t.Endpoint.Host(), t.Endpoint.Port(), facts.Database, facts.User
	d.Pooler, d.SystemIdentifier = facts.Pooler, facts.SystemIdentifier
	d.Storage = storage
	d.Cloud = t.AWS.Cloud
	return d
}
