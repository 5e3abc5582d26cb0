// Package process starts realiops as people do, as a process, and waits for what it prints and does.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds how long a condition is waited for. A busy machine takes its time.
const patience = 2 * time.Minute

const module = "github.com/realiops/realiops"

// Root returns the directory of the repository.
func Root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	return strings.TrimSpace(string(out)), err
}

// Build builds realiops in a directory and returns its path.
func Build(directory string) (program string, err error) {
	build := exec.Command("go", "build", "-o", directory+string(filepath.Separator), module+"/cmd/realiops")
	if build.Dir, err = Root(); err != nil {
		return "", err
	}
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build realiops: %w: %s", err, out)
	}
	return filepath.Join(directory, "realiops"), nil
}

// Output keeps what a process prints, and may be read while it prints more.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Process is a command that was started. Out and Err hold what it prints, unless its command names another place.
type Process struct {
	*exec.Cmd
	Out, Err *Output
	ended    chan struct{}
}

// Start starts a command.
func Start(c *exec.Cmd) (*Process, error) {
	p := &Process{Cmd: c, Out: &Output{}, Err: &Output{}, ended: make(chan struct{})}
	if c.Stdout == nil {
		c.Stdout = p.Out
	}
	if c.Stderr == nil {
		c.Stderr = p.Err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		_ = c.Wait() // the status tells
	}()
	return p, nil
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Wait waits for the end and returns the exit status, -1 after a death by signal.
func (p *Process) Wait() (status int) {
	<-p.ended
	return p.ProcessState.ExitCode()
}

// Printed returns all that the process has printed by now.
func (p *Process) Printed() string { return p.Out.String() + p.Err.String() }

// Await returns once a condition holds, or says what never came about.
func (p *Process) Await(what string, holds func() bool) error {
	for begun := time.Now(); !holds(); {
		select {
		case <-p.ended:
			if holds() {
				return nil
			}
			return fmt.Errorf("the command ended before %s: %v\n%s", what, p.ProcessState, p.Printed())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Since(begun) > patience {
			return fmt.Errorf("%v and %s never came about\n%s", patience, what, p.Printed())
		}
	}
	return nil
}

// AwaitText returns once the process has printed a text.
func (p *Process) AwaitText(text string) error {
	return p.Await(strconv.Quote(text), func() bool { return strings.Contains(p.Printed(), text) })
}

// AwaitInFile returns once a file, which the process writes, holds a text.
func (p *Process) AwaitInFile(file, text string) error {
	return p.Await(strconv.Quote(text)+" in "+file, func() bool {
		has, err := os.ReadFile(file)
		return err == nil && bytes.Contains(has, []byte(text))
	})
}

// Undo undoes at the end of a test what was done to a disk. Whoever looks at every new disk keeps it busy for a moment.
func Undo(t testing.TB, name string, args ...string) {
	t.Helper()
	t.Cleanup(func() {
		var out []byte
		err := errors.New("not tried")
		for begun := time.Now(); err != nil && time.Since(begun) < patience; time.Sleep(20 * time.Millisecond) {
			out, err = exec.Command(name, args...).CombinedOutput()
		}
		if err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	})
}

// Children returns the processes that one has started, on Linux.
func Children(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// Descendants returns the processes that one has started, and theirs.
func Descendants(pid int) (all []int) {
	for _, child := range Children(pid) {
		all = append(append(all, child), Descendants(child)...)
	}
	return all
}

// Postmaster returns the process of the server that has a data directory, as that says.
func Postmaster(data string) (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	first, _, _ := strings.Cut(string(text), "\n")
	pid, malformed := strconv.Atoi(first)
	return pid, errors.Join(err, malformed)
}
