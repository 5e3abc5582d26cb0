package embedded

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/realiops/realiops/internal/measure/server"
	"github.com/realiops/realiops/internal/runfile"
)

// Server is a PostgreSQL that a keeper holds for us.
type Server struct {
	options  Options
	keeper   *exec.Cmd
	order    io.WriteCloser // closing it ends the keeper
	says     io.Reader
	mutters  *journal
	ready    chan struct{}
	died     chan struct{}
	done     chan struct{} // the keeper has ended and everything is cleared up
	dismiss  func()
	endpoint endpoint // valid once ready is closed

	mu        sync.Mutex
	dismissed bool
	cause     error
	kept      string
	left      error

	// Of the keeper's goroutine.
	directory *directory
	process   int
	finished  bool
}

var _ server.Server = (*Server)(nil)

// Start brings a server up and returns when it takes connections. When the context ends before that, everything is
// undone; afterwards it has no effect.
func Start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	s, err := hire(o)
	if err != nil {
		return nil, fmt.Errorf("start the server's keeper: %w", err)
	}
	select {
	case <-s.ready:
		return s, nil
	case <-s.done:
		return nil, errors.Join(s.Cause(), s.left)
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), s.Stop(context.WithoutCancel(ctx)))
	}
}

// hire starts the keeper, in a session of its own so that neither the keys of our terminal nor its end reach it.
func hire(o Options) (*Server, error) {
	path, err := ownProgram()
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, keeper: exec.Command(path, KeeperCommand), mutters: &journal{},
		ready: make(chan struct{}), died: make(chan struct{}), done: make(chan struct{}),
	}
	s.keeper.Args[0] = os.Args[0]
	s.keeper.Stderr = s.mutters
	s.keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s.order, err = s.keeper.StdinPipe(); err != nil {
		return nil, err
	}
	if s.says, err = s.keeper.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := s.keeper.Start(); err != nil {
		return nil, err
	}
	s.dismiss = sync.OnceFunc(func() { s.order.Close() })
	go s.listen()
	// If the keeper is gone already, listen finds out why.
	_ = json.NewEncoder(s.order).Encode(order{Serve: &o})
	return s, nil
}

// listen follows the keeper to its end.
func (s *Server) listen() {
	defer close(s.done)
	for events := json.NewDecoder(s.says); ; {
		var e event
		if events.Decode(&e) != nil {
			break
		}
		s.take(e)
	}
	err := s.keeper.Wait()
	if s.finished {
		s.end(errors.New("the server's keeper was told to stop it"))
		return
	}
	s.end(fmt.Errorf("the server's keeper ended: %w", s.mutters.explain(cmp.Or(err, errGaveUp))))
	if s.directory != nil {
		s.leave(reclaim(*s.directory, s.process, s.options.Keep && s.isReady()))
	}
}

var errGaveUp = errors.New("it gave up")

func (s *Server) take(e event) {
	switch {
	case e.Stage != "" && s.options.Notify != nil:
		s.options.Notify(e.Stage)
	case e.Directory != nil:
		s.directory = e.Directory
	case e.Process != 0:
		s.process = e.Process
	case e.Ready != nil:
		s.endpoint = *e.Ready
		close(s.ready)
	case e.Failed != "":
		s.end(errors.New(e.Failed))
	case e.Died != "":
		s.end(errors.New(e.Died))
	case e.Kept != "":
		s.keep(e.Kept)
	case e.Left != "":
		s.leave(errors.New(e.Left))
	case e.Done:
		s.finished = true
	}
}

func (s *Server) isReady() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// end notes why there is no server any more. The first cause is the one; after Stop there is none.
func (s *Server) end(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dismissed || s.cause != nil {
		return
	}
	s.cause = cause
	close(s.died)
}

func (s *Server) keep(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = what
}

func (s *Server) leave(what error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = errors.Join(s.left, what)
}

// DSN connects as superuser, by a Unix socket where there is one.
func (s *Server) DSN() string { return s.endpoint.dsn() }

// URL connects as superuser over TCP, in the form that every driver and psql take.
func (s *Server) URL() string { return s.endpoint.url() }

// Target says what is known of the server without asking it.
func (s *Server) Target() runfile.Target {
	place := s.endpoint.Place
	storage := runfile.Storage{Directory: s.endpoint.DataDir, FileSystem: place.FileSystem, RAM: place.RAM}
	if s.options.OwnDevice != 0 {
		storage.Own, storage.FileSystem = true, deviceFileSystem
	}
	return runfile.Target{
		Kind: server.Embedded, Flavor: "postgres", Version: s.endpoint.Version,
		Host: loopback, Port: s.endpoint.Port, Database: database, User: superuser, Storage: storage,
	}
}

// Died is closed when the server has ended without being asked to.
func (s *Server) Died() <-chan struct{} { return s.died }

// Cause says why the server died, in one line.
func (s *Server) Cause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

// Kept tells, after Stop, what stays on the disk and how to go on with it; empty where nothing does.
func (s *Server) Kept() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// Stop ends the server and removes what was made for it, or says what could not be removed. When the context ends
// first, the keeper goes on with that by itself. A second call does nothing.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.dismissed = true
	s.mu.Unlock()
	s.dismiss()
	select {
	case <-s.done:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.left
	case <-ctx.Done():
		return fmt.Errorf("the server is still being stopped: %w", context.Cause(ctx))
	}
}
