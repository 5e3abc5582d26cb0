package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
)

// KeeperCommand is the argument that makes this program a keeper.
const KeeperCommand = "keeper"

// IsKeeper tells whether a process with those arguments, the program's name first, is to call [Keep] and nothing else.
func IsKeeper(args []string) bool { return len(args) == 2 && args[1] == KeeperCommand }

// Keep is the life of a keeper: it takes an order from in, does it, and tells what happens on out. It returns when the
// order is done, or undone after the end of in or SIGTERM. An error means that there was no order.
func Keep(in io.Reader, out io.Writer) error {
	orders := json.NewDecoder(in)
	var o order
	if err := orders.Decode(&o); err != nil || (o.Serve == nil) == (o.Fetch == nil) {
		return fmt.Errorf("%s is for realiops itself: people use realiops server", KeeperCommand)
	}
	ctx, stop := watch(in)
	defer stop()
	k := keeper{teller: newTeller(out)}
	if o.Fetch != nil {
		k.fail(binaries.Download(*o.Fetch))
	} else {
		k.serve(ctx, *o.Serve)
	}
	k.tell(event{Done: true})
	return nil
}

// watch gives a context that ends with in, or on SIGTERM. The other signals by which a terminal or a broken pipe ends
// a program are taken and dropped: they are meant for realiops, whose end is told by in.
func watch(in io.Reader) (context.Context, func()) {
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	ctx, abandon := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		abandon(errors.New("realiops has gone"))
	}()
	return ctx, stop
}

// keeper does one order.
type keeper struct{ *teller }

func (k keeper) fail(err error) {
	if err != nil {
		k.tell(event{Failed: err.Error()})
	}
}

// serve runs a server until the context ends or the server dies.
func (k keeper) serve(ctx context.Context, o Options) {
	p, err := choosePlace(o)
	if err != nil {
		k.fail(err)
		return
	}
	if err := o.checkRoom(p); err != nil {
		k.fail(err)
		return
	}
	d, lock, err := create(p, o.Keep)
	if err != nil {
		k.fail(err)
		return
	}
	k.tell(event{Directory: &d})
	keep := k.live(ctx, o, p, d, lock)
	lock.Close() // which leaves it to the processes of the server, should some not have ended yet
	if err := reclaim(d, 0, keep); err != nil {
		k.tell(event{Left: err.Error()})
	}
}

// live is the time in which there is a run directory. It tells whether that is to be kept.
func (k keeper) live(ctx context.Context, o Options, p place, d directory, lock *os.File) (keep bool) {
	c, err := k.bringUp(ctx, o, d, lock)
	if err != nil {
		k.fail(err)
		return false
	}
	ready := c.endpoint(p)
	k.tell(event{Process: c.server.command.Process.Pid})
	k.tell(event{Ready: &ready})
	select {
	case <-ctx.Done():
		if err := c.stop(stopPatience(o.Keep)); err != nil {
			k.tell(event{Left: err.Error()})
		}
	case <-c.server.exited:
		k.tell(event{Died: c.obituary()})
	}
	if o.Keep {
		k.tell(event{Kept: c.farewell()})
	}
	return o.Keep
}

// stopPatience is how long a server may take for its last checkpoint before it is ended without. Data that is thrown
// away needs none.
func stopPatience(keep bool) time.Duration {
	if keep {
		return 5 * time.Minute
	}
	return 5 * time.Second
}

func (k keeper) bringUp(ctx context.Context, o Options, d directory, lock *os.File) (*cluster, error) {
	settings := make([]setting, len(o.Settings))
	for i, text := range o.Settings {
		var err error
		if settings[i], err = parseSetting(text); err != nil {
			return nil, err
		}
	}
	bin, err := k.programs(ctx, o)
	if err != nil {
		return nil, err
	}
	c, err := newCluster(ctx, d, lock, bin, o.BinDir == "")
	if err != nil {
		return nil, err
	}
	if err := checkVersion(c, o); err != nil {
		return nil, err
	}
	if err := c.makeDirectories(); err != nil {
		return nil, err
	}
	if o.OwnDevice != 0 {
		k.stage(fmt.Sprintf("making a device of %d MB", o.OwnDevice>>20))
		if err := c.device(ctx, o.OwnDevice); err != nil {
			return nil, err
		}
	}
	k.stage("initializing PostgreSQL " + c.version)
	if err := c.initialize(ctx, append(o.deviceSettings(), settings...)); err != nil {
		return nil, err
	}
	k.stage("starting PostgreSQL " + c.version)
	return c, c.start(ctx)
}

// oldest is the first version that realiops knows the counters of.
const oldest = 13

// checkVersion holds an installed server against the version that was asked for.
func checkVersion(c *cluster, o Options) error {
	digits := strings.FieldsFunc(c.version, func(r rune) bool { return r < '0' || r > '9' })
	if n, err := strconv.Atoi(strings.Join(digits[:min(1, len(digits))], "")); err != nil || n < oldest {
		return fmt.Errorf("%s holds PostgreSQL %s, and realiops needs %d or newer", c.bin, c.version, oldest)
	}
	if o.Version != "" && o.Version != c.version && o.Version != digits[0] {
		return fmt.Errorf("%s holds PostgreSQL %s, not %s", c.bin, c.version, o.Version)
	}
	return nil
}

// farewell tells how to go on with what was kept.
func (c *cluster) farewell() string {
	as := ""
	if c.program.account.other() {
		as = " as user " + c.program.account.name
	}
	return fmt.Sprintf("kept %s; to start that server again at the same address, run%s: %s -D %s",
		c.dir.Path, as, filepath.Join(c.bin, "postgres"), c.dir.in(dataName))
}

// programs is the directory of the programs to run, fetched where they are neither named nor there.
func (k keeper) programs(ctx context.Context, o Options) (string, error) {
	switch o.BinDir {
	case "":
		bin, err := k.fetched(ctx, o)
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

func installed(version string) (string, error) {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if version != "" && err != nil {
		return "", fmt.Errorf("%q is not a version of PostgreSQL", version)
	}
	found, err := binaries.Installed(n)
	return found.Bin, err
}

func named(bin string) (string, error) {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
			return "", fmt.Errorf("%s holds no server: %w", bin, err)
		}
	}
	return bin, nil
}

func (k keeper) fetched(ctx context.Context, o Options) (string, error) {
	release, err := binaries.Find(o.Version)
	if err != nil {
		return "", err
	}
	if o.CacheDir == "" {
		if o.CacheDir, err = binaries.CacheDirectory(); err != nil {
			return "", err
		}
	}
	store := binaries.Store{Directory: o.CacheDir, Repository: o.Repository, Download: downloadApart, Notify: k.stage}
	return store.Bin(ctx, release)
}

// downloadApart downloads in a process of its own, which can be killed at any time, as a download cannot.
func downloadApart(ctx context.Context, o binaries.Order) error {
	path, err := ownProgram()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	text, err := json.Marshal(order{Fetch: &o})
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, path, KeeperCommand)
	c.Args[0] = os.Args[0]
	c.Env = append(os.Environ(), "TMPDIR="+o.Directory)
	c.Stdin = bytes.NewReader(text)
	c.SysProcAttr = attributes(account{}, syscall.SIGKILL)
	var told bytes.Buffer
	var mutters journal
	c.Stdout, c.Stderr = &told, &mutters
	if err := run(c); err != nil {
		return mutters.explain(err)
	}
	return failureIn(&told)
}

// failureIn is what a keeper told about an order that failed.
func failureIn(told io.Reader) error {
	for events := json.NewDecoder(told); ; {
		var e event
		switch err := events.Decode(&e); {
		case err != nil:
			return fmt.Errorf("the download ended early: %w", err)
		case e.Failed != "":
			return errors.New(e.Failed)
		case e.Done:
			return nil
		}
	}
}
