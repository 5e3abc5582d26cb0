package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/server"
	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Server is a PostgreSQL that realiops started.
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

// Start starts a server and returns when it accepts connections. If ctx ends before that, everything is
// undone; later it has no effect.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := supervisor.Supported(); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
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

// bringUp makes what a server needs and starts it. Everything made is handed to the supervisor immediately.
func (s *Server) bringUp(ctx context.Context) (err error) {
	o := s.options
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
	defer lock.Close() // the server's processes keep it
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
		o.notify("creating a device of " + printable.Count(o.OwnDevice>>20) + " MB")
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

// Patience is how long a server may take to end its sessions and write what is in memory, before it is stopped
// without. Data that is thrown away needs no checkpoint; kept data gets more time.
func (o Options) Patience() time.Duration {
	if o.Keep {
		return 5 * time.Minute
	}
	return 5 * time.Second
}

// hold makes the supervisor responsible for stopping a server: it disconnects clients and checkpoints, and after a
// timeout ends without.
func (s *Server) hold(c *cluster) (drop func()) {
	patience := s.options.Patience()
	steps := []supervisor.Step{
		{Signal: syscall.SIGINT, Patience: patience},
		// The server kills its processes that ignore it for five seconds. Killed earlier, it would leave them.
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

// DSN returns a connection string for a superuser, by a Unix socket if there is one.
func (s *Server) DSN() string { return s.endpoint.dsn() }

// URL returns a TCP connection string for a superuser, in the form that psql and other programs take.
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

// Died is closed when the server has ended unexpectedly.
func (s *Server) Died() <-chan struct{} { return s.died }

// Cause returns why the server died, in one line.
func (s *Server) Cause() error {
	select {
	case <-s.died:
		return errors.New(s.cluster.whyEnded())
	default:
		return nil
	}
}

// Kept says, after Stop, what stays on the disk and how to use it; empty if nothing does.
func (s *Server) Kept() string { return s.kept }

// Stop ends the server and removes what was made for it, or returns what could not be removed. If ctx ends first, the
// supervisor continues alone. A second call does nothing.
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
	return fmt.Sprintf("kept %s; to start the server again at the same address, run%s: %s -D %s",
		c.dir, as, quoted(filepath.Join(c.bin, "postgres")), quoted(c.in(dataName)))
}

func quoted(path string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-"
	if strings.Trim(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

type endpoint struct {
	version   string // as PostgreSQL names it
	port      int
	password  string
	socketDir string // empty if its path is too long for a socket
	dataDir   string
}

// The same for every server here.
const (
	superuser = "postgres"
	database  = "postgres"
	loopback  = "127.0.0.1"
)

// url returns a TCP connection string in the form that every program takes.
func (e endpoint) url() string {
	return e.connect(net.JoinHostPort(loopback, strconv.Itoa(e.port)), url.Values{})
}

// dsn prefers the socket, which costs the clients least.
func (e endpoint) dsn() string {
	if e.socketDir == "" {
		return e.url()
	}
	return e.connect("", url.Values{"host": {e.socketDir}, "port": {strconv.Itoa(e.port)}})
}

func (e endpoint) connect(host string, parameters url.Values) string {
	parameters.Set("sslmode", "disable")
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, e.password), Host: host,
		// libpq does not read a plus as a space
		Path: "/" + database, RawQuery: strings.ReplaceAll(parameters.Encode(), "+", "%20"),
	}
	return u.String()
}

// programs returns the directory of the programs to run, and fetches them if necessary.
func (s *Server) programs(ctx context.Context) (string, error) {
	switch o := s.options; o.BinDir {
	case "":
		bin, err := s.fetched(ctx)
		if err != nil && ctx.Err() == nil {
			return "", fmt.Errorf("%w%s", err, binaries.Hint())
		}
		return bin, err
	case InstalledBin:
		return installed(o.Version)
	default:
		return named(o.BinDir)
	}
}

func (s *Server) fetched(ctx context.Context) (string, error) {
	o := s.options
	release, err := binaries.Find(o.Version)
	if err != nil {
		return "", err
	}
	if o.CacheDir == "" {
		if o.CacheDir, err = binaries.CacheDirectory(); err != nil {
			return "", err
		}
	}
	store := binaries.Store{
		Directory: o.CacheDir, Repository: o.Repository, Notify: o.notify,
		Hold: func(directory string) (drop func()) {
			return s.supervisor.Hold(supervisor.Item{Directory: &supervisor.Directory{Path: directory}})
		},
	}
	return store.Bin(ctx, release)
}

func installed(version string) (string, error) {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if version != "" && err != nil {
		return "", fmt.Errorf("%q is not a PostgreSQL version", version)
	}
	found, err := binaries.Installed(n)
	return found.Bin, err
}

func named(bin string) (string, error) {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
			return "", fmt.Errorf("no server in %s: %w", bin, err)
		}
	}
	return bin, nil
}

// oldest is the first version whose counters realiops knows.
const oldest = 13

// checkVersion returns an error if an installed server has another version than the one asked for.
func checkVersion(c *cluster, o Options) error {
	digits := strings.FieldsFunc(c.version, func(r rune) bool { return r < '0' || r > '9' })
	if n, err := strconv.Atoi(strings.Join(digits[:min(1, len(digits))], "")); err != nil || n < oldest {
		return fmt.Errorf("%s has PostgreSQL %s, but realiops needs %d or newer", c.bin, c.version, oldest)
	}
	if o.Version != "" && o.Version != c.version && o.Version != digits[0] {
		return fmt.Errorf("%s has PostgreSQL %s, not %s", c.bin, c.version, o.Version)
	}
	return nil
}
