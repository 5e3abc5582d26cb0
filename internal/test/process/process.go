// Package process starts realiops as users do, as a process, and waits for its output and effects.
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

// patience bounds the wait for a condition. A busy machine is slow.
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

// Output keeps a process's output, and may be read meanwhile.
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

// Process is a started command. Out and Err hold its output, unless the command has other writers.
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

// Printed returns all output so far.
func (p *Process) Printed() string { return p.Out.String() + p.Err.String() }

// Await waits until a condition holds, or returns an error that names it.
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

// AwaitText waits until the process has printed a text.
func (p *Process) AwaitText(text string) error {
	return p.Await(strconv.Quote(text), func() bool { return strings.Contains(p.Printed(), text) })
}

// AwaitInFile waits until a file that the process writes contains a text.
func (p *Process) AwaitInFile(file, text string) error {
	return p.Await(strconv.Quote(text)+" in "+file, func() bool {
		has, err := os.ReadFile(file)
		return err == nil && bytes.Contains(has, []byte(text))
	})
}

// Undo runs a command that undoes a test's change to a disk, again if the disk is busy: other
// programs examine every new disk.
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

// Children returns the child processes of a process, on Linux.
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

// Descendants returns the child processes of a process, and theirs.
func Descendants(pid int) (all []int) {
	for _, child := range Children(pid) {
		all = append(append(all, child), Descendants(child)...)
	}
	return all
}

// Postmaster returns the process of a data directory's server, from postmaster.pid.
func Postmaster(data string) (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	first, _, _ := strings.Cut(string(text), "\n")
	pid, malformed := strconv.Atoi(first)
	return pid, errors.Join(err, malformed)
}
