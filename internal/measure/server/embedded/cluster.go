package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

const (
	dataName     = "data"
	socketName   = "socket"
	logName      = "server.log"
	programsName = "postgres"
	passwordName = "password"
)

// cluster is a server and its data, in a run directory.
type cluster struct {
	dir      string // the run directory
	bin      string // the directory of the programs
	program  program
	journal  *journal
	version  string
	port     int
	password string
	server   *process
}

// newCluster checks that the server's user can run the programs in the run directory. If not, and if mayBorrow is
// set, it links or copies them there.
func newCluster(ctx context.Context, directory string, lock *os.File, bin string, mayBorrow bool) (*cluster, error) {
	user, err := serverAccount(os.Geteuid(), os.Getenv)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(directory, logName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the server's log: %w", err)
	}
	j := &journal{file: log}
	c := &cluster{
		dir: directory, bin: bin, journal: j, password: rand.Text(),
		program: program{account: user, dir: directory, lock: lock, output: j},
	}
	if err := c.reach(ctx, mayBorrow); err != nil {
		j.close()
		return nil, err
	}
	return c, nil
}

// in returns a path in the run directory.
func (c *cluster) in(name string) string { return filepath.Join(c.dir, name) }

// reach tries the programs as the server's user, which is more reliable than reading permissions.
func (c *cluster) reach(ctx context.Context, mayBorrow bool) error {
	err := c.askVersion(ctx, c.dir)
	if !errors.Is(err, fs.ErrPermission) || !c.program.account.other() {
		return err
	}
	if c.askVersion(ctx, "/") == nil {
		return c.unreachable(filepath.Dir(c.dir), "--data-dir")
	}
	if !mayBorrow {
		return c.unreachable(c.bin, "--pg-bin")
	}
	if err := borrow(filepath.Dir(c.bin), c.in(programsName)); err != nil {
		return err
	}
	c.bin = c.in(filepath.Join(programsName, filepath.Base(c.bin)))
	if err = c.askVersion(ctx, c.dir); errors.Is(err, fs.ErrPermission) {
		return c.unreachable(filepath.Dir(c.dir), "--data-dir")
	}
	return err
}

func (c *cluster) unreachable(path, flag string) error {
	return fmt.Errorf("PostgreSQL refuses to run as root, and user %s cannot enter or run programs in %s; choose "+
		"another directory with %s", c.program.account.name, path, flag)
}

func (c *cluster) askVersion(ctx context.Context, directory string) error {
	p := c.program
	p.dir, p.output = directory, &journal{}
	if err := run(p.command(ctx, filepath.Join(c.bin, "postgres"), "--version")); err != nil {
		return fmt.Errorf("run %s: %w", filepath.Join(c.bin, "postgres"), p.output.explain(err))
	}
	version, err := versionOf(strings.Join(p.output.lines(), " "))
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", c.bin, err)
	}
	c.version = version
	return nil
}

// makeDirectories creates the directories that the server writes to, for its user alone.
func (c *cluster) makeDirectories() error {
	for _, name := range []string{dataName, socketName} {
		if err := os.Mkdir(c.in(name), 0o700); err != nil {
			return fmt.Errorf("create the server's directory: %w", err)
		}
		if err := c.give(name); err != nil {
			return err
		}
	}
	return nil
}

// device puts the data directory on its own device.
func (c *cluster) device(ctx context.Context, size int64) error {
	err := c.mountDevice(ctx, size)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("create the data device: %w", err)
	}
	return c.give(dataName)
}

// initialize runs initdb, which syncs the cluster unless an argument prevents it.
func (c *cluster) initialize(ctx context.Context, settings []setting, arguments ...string) error {
	if err := c.initdb(ctx, arguments...); err != nil {
		return err
	}
	return c.configure(append(defaults(), settings...))
}

// give makes the server's user the owner of a path in the run directory.
func (c *cluster) give(name string) error {
	if !c.program.account.other() {
		return nil
	}
	return os.Lchown(c.in(name), c.program.account.uid, c.program.account.gid)
}

// initdb sets the superuser's password, and the locale that every system has and that compares fastest.
func (c *cluster) initdb(ctx context.Context, arguments ...string) error {
	if err := os.WriteFile(c.in(passwordName), []byte(c.password), 0o600); err != nil {
		return fmt.Errorf("write the password file: %w", err)
	}
	defer os.Remove(c.in(passwordName))
	if err := c.give(passwordName); err != nil {
		return fmt.Errorf("write the password file: %w", err)
	}
	err := run(c.program.command(ctx, filepath.Join(c.bin, "initdb"), append(arguments, "--pgdata="+c.in(dataName),
		"--username="+superuser, "--pwfile="+c.in(passwordName), "--auth=scram-sha-256", "--locale=C",
		"--encoding=UTF8")...))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("initialize the database: %w", c.journal.explain(err))
	}
	return nil
}

// configure appends to the server's configuration file. The last of several values counts. The server's user owns the
// file, so its path must not lead out of the directory.
func (c *cluster) configure(settings []setting) error {
	root, err := os.OpenRoot(c.in(dataName))
	if err != nil {
		return fmt.Errorf("configure the server: %w", err)
	}
	defer root.Close()
	f, err := root.OpenFile("postgresql.conf", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("configure the server: %w", err)
	}
	for _, s := range settings {
		if _, err := f.WriteString(s.line()); err != nil {
			return errors.Join(fmt.Errorf("configure the server: %w", err), f.Close())
		}
	}
	return errors.Join(f.Sync(), f.Close())
}

// start starts the server on a free port and passes it to hold. It tries again if another
// program takes the port first.
func (c *cluster) start(ctx context.Context, hold func(*cluster) (drop func())) error {
	const attempts = 10
	for attempt := 1; ; attempt++ {
		if err := c.startOnce(ctx, hold); err == nil || attempt == attempts || !c.portWasTaken() {
			return err
		}
	}
}

func (c *cluster) portWasTaken() bool {
	return strings.Contains(strings.Join(c.journal.lines(), "\n"), "could not bind IPv4 address")
}

func (c *cluster) startOnce(ctx context.Context, hold func(*cluster) (drop func())) (err error) {
	if c.port, err = freePort(); err != nil {
		return fmt.Errorf("find a free port: %w", err)
	}
	if err := c.configure([]setting{
		{"listen_addresses", loopback}, {"port", fmt.Sprint(c.port)}, {"unix_socket_directories", c.socketDir()},
	}); err != nil {
		return err
	}
	c.journal.forget()
	// An interrupt of ctx must not kill the server, which is stopped properly instead.
	command := c.program.command(context.WithoutCancel(ctx), filepath.Join(c.bin, "postgres"), "-D", c.in(dataName))
	if c.server, err = launch(command); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	drop := hold(c)
	if err := c.await(ctx); err != nil {
		select {
		case <-c.server.exited:
			drop()
		default:
		}
		return err
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp4", loopback+":0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// longestSocket is the longest socket path, in bytes, that all systems allow: sun_path less the final zero.
const longestSocket = 103

// socketDir returns the directory of the server's socket, or "" if its path is too long or contains a separator.
func (c *cluster) socketDir() string {
	directory := c.in(socketName)
	if len(directory)+len("/.s.PGSQL.65535") > longestSocket || strings.Contains(directory, ",") {
		return ""
	}
	return directory
}

// await waits until the server accepts connections.
func (c *cluster) await(ctx context.Context) error {
	const limit = time.Minute
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the server is not ready after %s", printable.Duration(limit)))
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !c.ready() {
		select {
		case <-c.server.exited:
			return fmt.Errorf("start the server: %s", c.whyEnded())
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return nil
}

// ready reads the state that the server writes for pg_ctl, in the eighth line of postmaster.pid.
func (c *cluster) ready() bool {
	root, err := os.OpenRoot(c.in(dataName))
	if err != nil {
		return false
	}
	defer root.Close()
	text, err := root.ReadFile("postmaster.pid")
	lines := strings.Split(string(text), "\n")
	return err == nil && len(lines) >= 8 && strings.TrimSpace(lines[7]) == "ready"
}

func (c *cluster) whyEnded() string {
	if complaint := complaint(c.journal.lines()); complaint != "" {
		return complaint
	}
	if c.server.err != nil {
		return fmt.Sprintf("its process exited (%v)", c.server.err)
	}
	return "it exited without an error message"
}

func (c *cluster) endpoint() endpoint {
	return endpoint{
		version: c.version, port: c.port, password: c.password, socketDir: c.socketDir(), dataDir: c.in(dataName),
	}
}
