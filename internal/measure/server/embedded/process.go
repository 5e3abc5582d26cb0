package embedded

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/supervisor"
)

// program starts a cluster's programs: as its account, in a directory that the account can enter, with the lock of
// the run directory. The lock is free once all of them and their children have ended.
type program struct {
	account account
	dir     string
	lock    *os.File
	output  *journal
}

// command prepares a program. The end of ctx interrupts it.
func (p program) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, path, args...)
	c.Dir = p.dir
	c.Env = environment(os.Environ())
	c.Stdout, c.Stderr = p.output, p.output
	c.ExtraFiles = []*os.File{p.lock}
	c.SysProcAttr = supervisor.Attributes(syscall.SIGINT)
	p.account.run(c.SysProcAttr)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	return c
}

// environment returns the part of our environment that the server's programs get: how to find programs and libraries,
// and the time zone, but no secrets or PostgreSQL settings. It sets the language that journal.go can read.
func environment(ours []string) []string {
	minimal := []string{"LC_ALL=C"}
	for _, variable := range ours {
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "PATH", "TZ", "TZDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH":
			minimal = append(minimal, variable)
		}
	}
	return minimal
}

type process struct {
	command *exec.Cmd
	exited  chan struct{}
	err     error // valid once exited is closed
}

// launch starts a command and waits for it on a dedicated thread: Linux signals a parent's death to the child when
// the thread that started it ends.
func launch(c *exec.Cmd) (*process, error) {
	p := &process{command: c, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends with this function
		err := c.Start()
		started <- err
		if err == nil {
			p.err = c.Wait()
			close(p.exited)
		}
	}()
	return p, <-started
}

func run(c *exec.Cmd) error {
	p, err := launch(c)
	if err != nil {
		return err
	}
	<-p.exited
	return p.err
}
