package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/server"
	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/runfile"
)

// Server is a PostgreSQL of our own.
type Server struct {
	options    Options
	supervisor *supervisor.Supervisor
	place      place
	cluster    *cluster
	endpoint   endpoint
	died       chan struct{}

	stop     sync.Once
	stopping atomic.Bool
	left     error
	kept     string
}

var _ server.Server = (*Server)(nil)

// Start brings a server up and returns when it takes connections. When the context ends before that, everything is
// undone; afterwards it has no effect.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := supervisor.Supported(); err != nil {
		return nil, fmt.Errorf("start a PostgreSQL: %w", err)
	}
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	watcher, err := supervisor.Start()
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, supervisor: watcher, died: make(chan struct{})}
	if err := s.bringUp(ctx); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, errors.Join(err, s.release(context.WithoutCancel(ctx)))
	}
	go func() {
		if <-s.cluster.server.exited; !s.stopping.Load() {
			close(s.died)
		}
	}()
	return s, nil
}

// bringUp makes what a server needs and starts it. All that is made is handed to the supervisor at once.
func (s *Server) bringUp(ctx context.Context) error {
	o := s.options
	var err error
	if s.place, err = choosePlace(o); err != nil {
		return err
	}
	if s.place.made {
		s.supervisor.Hold(supervisor.Item{Empty: &supervisor.Empty{Path: s.place.directory}})
	}
	if err := o.checkRoom(s.place); err != nil {
		return err
	}
	d, lock, err := create(s.place, o.Keep)
	if err != nil {
		return err
	}
	defer lock.Close() // which leaves it to the processes of the server
	made := items(d, o.OwnDevice != 0)
	dropDirectory := s.supervisor.Hold(made[0])
	for _, item := range made[1:] {
		s.supervisor.Hold(item)
	}
	s.supervisor.Hold(supervisor.Item{Users: &supervisor.Users{Directory: d}})
	bin, err := s.programs(ctx)
	if err != nil {
		return err
	}
	c, err := newCluster(ctx, d, lock, bin, o.BinDir == "")
	if err != nil {
		return err
	}
	s.cluster = c
	if err := checkVersion(c, o); err != nil {
		return err
	}
	if err := c.makeDirectories(); err != nil {
		return err
	}
	if o.OwnDevice != 0 {
		o.notify(fmt.Sprintf("making a device of %d MB", o.OwnDevice>>20))
		if err := c.device(ctx, o.OwnDevice); err != nil {
			return err
		}
	}
	settings, err := o.settings()
	if err != nil {
		return err
	}
	o.notify("initializing PostgreSQL " + c.version)
	var arguments []string
	if o.Unsynced {
		arguments = []string{"--no-sync"}
	}
	if err := c.initialize(ctx, append(o.deviceSettings(), settings...), arguments...); err != nil {
		return err
	}
	o.notify("starting PostgreSQL " + c.version)
	if err := c.start(ctx, s.hold); err != nil {
		return err
	}
	if o.Keep {
		dropDirectory()
	}
	s.endpoint = c.endpoint()
	return nil
}

// release ends what was started and removes what was made.
func (s *Server) release(ctx context.Context) error {
	err := s.supervisor.Release(ctx)
	if s.cluster != nil {
		s.cluster.journal.close()
	}
	return err
}

// hold has the supervisor stop a server: its clients are cut off and a checkpoint is written; where that takes too
// long, it ends without. Data that is thrown away needs no checkpoint, and a large one of data that is kept takes its
// time.
func (s *Server) hold(c *cluster) (drop func()) {
	patience := 5 * time.Second
	if s.options.Keep {
		patience = 5 * time.Minute
	}
	steps := []supervisor.Step{
		{Signal: syscall.SIGINT, Patience: patience},
		// The server itself kills those of its processes that do not heed it for five seconds. Killed before, it leaves
		// them.
		{Signal: syscall.SIGQUIT, Patience: max(patience, 15*time.Second)},
		{Signal: syscall.SIGKILL, Patience: patience},
	}
	if s.options.Unsynced {
		steps = steps[1:]
	}
	return s.supervisor.Hold(supervisor.Item{Process: &supervisor.Process{
		Name: "the server in " + c.dir, ID: c.server.command.Process.Pid, Directory: c.dir, Steps: steps,
	}})
}

// DSN connects as superuser, by a Unix socket where there is one.
func (s *Server) DSN() string { return s.endpoint.dsn() }

// URL connects as superuser over TCP, in the form that every quantity and psql take.
func (s *Server) URL() string { return s.endpoint.url() }

// Target returns the facts about the server that are known without asking it.
func (s *Server) Target() runfile.Target {
	storage := runfile.Storage{Directory: s.endpoint.dataDir, FileSystem: s.place.fileSystem, RAM: s.place.ram}
	if s.options.OwnDevice != 0 {
		storage.Own, storage.FileSystem = true, deviceFileSystem
	}
	return runfile.Target{
		Kind: server.Embedded, Flavor: "postgres", Version: s.endpoint.version,
		Host: loopback, Port: s.endpoint.port, Database: database, User: superuser, Storage: storage,
	}
}

// Died is closed when the server has ended without being asked to.
func (s *Server) Died() <-chan struct{} { return s.died }

// Cause says why the server died, in one line.
func (s *Server) Cause() error {
	select {
	case <-s.died:
		return errors.New(s.cluster.whyEnded())
	default:
		return nil
	}
}

// Kept tells, after Stop, what stays on the disk and how to go on with it; empty where nothing does.
func (s *Server) Kept() string { return s.kept }

// Stop ends the server and removes what was made for it, or says what could not be removed. When the context ends
// first, the supervisor goes on with that by itself. A second call does nothing.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		s.stopping.Store(true)
		if s.left = s.release(ctx); s.options.Keep {
			s.kept = s.cluster.farewell()
		}
	})
	return s.left
}

// farewell returns the instructions for using a kept server.
func (c *cluster) farewell() string {
	as := ""
	if c.program.account.other() {
		as = " as user " + c.program.account.name
	}
	return fmt.Sprintf("kept %s; to start that server again at the same address, run%s: %s -D %s",
		c.dir, as, quoted(filepath.Join(c.bin, "postgres")), quoted(c.in(dataName)))
}

func quoted(path string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-"
	if strings.Trim(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
