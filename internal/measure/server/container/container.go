// Package container runs a PostgreSQL in a container for one experiment, and leaves nothing behind.
//
// [Start] returns a server on a fresh volume with durability on. testcontainers-go does the work and finds the engine
// (Docker, or Podman with its socket). No other package may import it, because it weighs more than everything else. A
// local image is used as it is; an absent one is pulled. Any image works that follows the official one: PGDATA and
// POSTGRES_PASSWORD, and a command that is passed on to the server.
//
// The engine ends the container, see attachment.go: the container lives as long as this process holds a connection to
// it, and the engine removes it and its volume when it ends. So nothing stays even after kill -9, and no process of
// ours has to outlive us, as package supervisor does for other things. The library's own solution, a second container
// that watches, is turned off: it needs an image that not everybody can pull.
package container

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/realiops/realiops/internal/measure/server"
	"github.com/realiops/realiops/internal/measure/server/container/curtain"
	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

var _ = curtain.Lift() // testcontainers-go, which this package imports, is initialized by now

// DefaultImage is used when the user names none.
const DefaultImage = "postgres:17"

// Options say what to run. The zero value is the default image.
type Options struct {
	Image    string   // as docker run takes it; empty: DefaultImage
	Settings []string // name=value each, as in postgresql.conf; they override the durable ones
	Keep     bool     // leave the stopped container and its volume

	// Notify is called with each stage before the server is ready, from one goroutine. Nil is allowed.
	Notify func(stage string)
}

func (o Options) image() string { return cmp.Or(o.Image, DefaultImage) }

func (o Options) notify(stage string) {
	if o.Notify != nil {
		o.Notify(stage)
	}
}

// Server is a PostgreSQL in a container. It implements server.Server.
type Server struct {
	engine  *engine
	image   string
	keep    bool
	dsn     string
	storage runfile.Storage

	name       string // of the container
	id         string // empty before it is created
	attachment *attachment

	stop    sync.Once
	stopped error
}

var _ server.Server = (*Server)(nil)

// shutdownSeconds is how long a kept server may take for its last checkpoint.
const shutdownSeconds = 50

// removeWithin bounds the clean-up after a failed start, which continues after an interrupt.
const removeWithin = 30 * time.Second

// Start runs a server and returns when it accepts connections. If ctx ends before that, it removes what it made.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := supervisor.Supported(); err != nil {
		return nil, fmt.Errorf("start a container: %w", err)
	}
	return startAs(ctx, newName(), o)
}

func startAs(ctx context.Context, name string, o Options) (*Server, error) {
	command, err := o.command()
	if err != nil {
		return nil, err
	}
	engine, err := reach(ctx)
	if err != nil {
		return nil, err
	}
	engine.sweep(ctx, passing, time.Now().Add(-idle))
	image, err := engine.imageFor(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Server{engine: engine, image: o.image(), keep: o.Keep, name: name}
	o.notify(fmt.Sprintf("starting container %s from %s", name, o.image()))
	if err := s.start(ctx, image, command); err != nil {
		return nil, errors.Join(err, s.abandon(ctx))
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, image image, command []string) error {
	password := rand.Text() // new for each server, because the port may be reachable by others
	making, done := graceful(ctx)
	defer done()
	c, err := testcontainers.Run(making, image.name, s.request(image, command, password)...)
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner // without the library's wrapping
	}
	var directory string
	if err == nil {
		directory, err = s.await(ctx, c, password)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("start a container from %s: %w", s.image, err)
	}
	s.storage = s.engine.storageOf(ctx, s.id, directory)
	return nil
}

// makeWithin bounds, after an interrupt, the wait for the engine's answer to a request to create a container.
const makeWithin = 10 * time.Second

// graceful returns a context that ends makeWithin after ctx does. An engine whose client disconnects still creates
// the container, and we could not remove it without its name.
func graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(makeWithin):
			cancel()
		case <-lasting.Done():
		}
	})
	return lasting, func() {
		stop()
		cancel()
	}
}

// abandon removes what a failed start made, even with Options.Keep.
func (s *Server) abandon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	s.keep = false
	return s.Stop(ctx)
}

// DSN returns a connection string for a superuser.
func (s *Server) DSN() string { return s.dsn }

// Name returns the container's name.
func (s *Server) Name() string { return s.name }

// Target returns the facts about the server that are known without asking it. Storage is empty if the volume lies on
// another machine, even a virtual one, or this user may not see its directory.
func (s *Server) Target() runfile.Target {
	return runfile.Target{Kind: server.Container, Image: s.image, Storage: s.storage}
}

// Died is closed when the container has ended unexpectedly; Cause then says why.
func (s *Server) Died() <-chan struct{} { return s.attachment.died }

// Cause returns nil while the server lives.
func (s *Server) Cause() error {
	select {
	case <-s.attachment.died:
		return fmt.Errorf("container %s (%s) stopped unexpectedly: %w", s.name, s.image, s.attachment.outcome)
	default:
		return nil
	}
}

// Stop removes the container and its volume, or with Options.Keep shuts the server down cleanly and leaves both.
// A second call returns the same.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() { s.stopped = s.end(ctx) })
	return s.stopped
}

// Kept says, after Stop, what stays and how to use it; empty if nothing does.
func (s *Server) Kept() string {
	if !s.keep || s.id == "" {
		return ""
	}
	return fmt.Sprintf("kept container %s; to start it again, run: %s", s.name,
		shell.InText("docker start").File(s.name, "CONTAINER"))
}

func (s *Server) end(ctx context.Context) error {
	if s.id == "" {
		return nil
	}
	defer s.attachment.close()
	s.attachment.expected.Store(true) // we end the container
	if s.keep {
		_, err := s.engine.ContainerStop(ctx, s.id, client.ContainerStopOptions{Timeout: new(shutdownSeconds)})
		return s.told("stop", err, shell.InText("docker stop"))
	}
	_, err := s.engine.ContainerRemove(ctx, s.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if isGone(err) {
		err = s.attachment.wait(ctx)
	}
	return s.told("remove", err, shell.InText("docker rm --force --volumes"))
}

func (s *Server) told(verb string, err error, byHand shell.Command) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s the container: %w; to do it by hand, run: %s", verb, err, byHand.File(s.name, "CONTAINER"))
}

// request returns the request to the library.
func (s *Server) request(image image, command []string, password string) []testcontainers.ContainerCustomizer {
	owner := passing
	if s.keep {
		owner = kept
	}
	return []testcontainers.ContainerCustomizer{
		testcontainers.WithProvider(kind),
		testcontainers.WithLogger(silence()),
		testcontainers.WithName(s.name),
		testcontainers.WithLabels(map[string]string{label: owner}),
		testcontainers.WithEnv(map[string]string{
			"PGDATA": image.dataDirectory, "POSTGRES_USER": user, "POSTGRES_DB": database,
			"POSTGRES_PASSWORD": password,
		}),
		testcontainers.WithExposedPorts(serverPort.String()),
		testcontainers.WithEntrypoint(append([]string{"sh", "-c", script, "realiops"}, image.entrypoint...)...),
		testcontainers.WithCmd(command...),
		testcontainers.WithConfigModifier(holdStdin),
		testcontainers.WithHostConfigModifier(s.arrange(image)),
		testcontainers.WithLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostCreates: []testcontainers.ContainerHook{s.tie},
		}),
	}
}
