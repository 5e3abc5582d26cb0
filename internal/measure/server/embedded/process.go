package embedded

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// program starts programs for a cluster: as its account, in a directory that account can enter, with the lock of the
// run directory, which is free only when the last of them and of their children has ended.
type program struct {
	account account
	dir     string
	lock    *os.File
	output  *journal
}

// command prepares a program. An end of the context interrupts it.
func (p program) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, path, args...)
	c.Dir = p.dir
	c.Env = environment(os.Environ())
	c.Stdout, c.Stderr = p.output, p.output
	c.ExtraFiles = []*os.File{p.lock}
	c.SysProcAttr = attributes(p.account, syscall.SIGINT)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	return c
}

// credential is nil for our own account.
func (a account) credential() *syscall.Credential {
	if !a.other() {
		return nil
	}
	return &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
}

// environment is ours without what would change a server, and with messages that journal.go can read.
func environment(ours []string) []string {
	clean := []string{"LC_ALL=C"}
	for _, variable := range ours {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "PG") && !strings.HasPrefix(name, "LC_") && name != "LANG" && name != "LANGUAGE" {
			clean = append(clean, variable)
		}
	}
	return clean
}

// process is a program that was started.
type process struct {
	command *exec.Cmd
	exited  chan struct{}
	err     error // valid once exited is closed
}

// launch starts a command and waits for it on a thread that lives as long: Linux tells a child of its parent's death
// when the thread ends that started it.
func launch(c *exec.Cmd) (*process, error) {
	p := &process{command: c, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, so that the thread ends with this function
		err := c.Start()
		started <- err
		if err == nil {
			p.err = c.Wait()
			close(p.exited)
		}
	}()
	return p, <-started
}

// run is launch and wait.
func run(c *exec.Cmd) error {
	p, err := launch(c)
	if err != nil {
		return err
	}
	<-p.exited
	return p.err
}

func (p *process) signal(s os.Signal) { _ = p.command.Process.Signal(s) }

// end stops the process, more and more firmly, each step having that long to work.
func (p *process) end(patience time.Duration, signals ...os.Signal) error {
	for _, s := range signals {
		p.signal(s)
		select {
		case <-p.exited:
			return nil
		case <-time.After(patience):
		}
	}
	return errors.New("the server does not end")
}
