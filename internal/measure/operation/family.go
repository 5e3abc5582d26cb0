package operation

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
)

// family is a command and all processes that it starts. Each holds the end of a pipe, which shows when the last has
// ended. A daemon closes inherited files, but on Linux its environment shows a mark.
type family struct {
	read, held *os.File
	mark       string // NAME=value
	first      atomic.Pointer[os.Process]
}

// markedBy is the environment variable with the mark.
const markedBy = "REALIOPS_MEASURED"

func newFamily(c *exec.Cmd) (*family, error) {
	if runtime.GOOS == "windows" { // files are not inherited like this
		return nil, nil
	}
	read, held, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("create a pipe for the command: %w", err)
	}
	c.ExtraFiles = []*os.File{held}
	mark := markedBy + "=" + rand.Text()
	c.Env = append(c.Environ(), mark)
	return &family{read: read, held: held, mark: mark}, nil
}

// run runs the command to its end. Once it has started, only its family holds the pipe.
func (f *family) run(c *exec.Cmd) error {
	err := c.Start()
	if f != nil {
		_ = f.held.Close() // nothing was written
	}
	if err != nil {
		return err
	}
	if f != nil {
		f.first.Store(c.Process)
	}
	return c.Wait()
}

// ended waits until all have ended, and reports whether they have.
func (f *family) ended(ctx context.Context, within time.Duration) bool {
	if f == nil {
		return true
	}
	until := time.Now().Add(within)
	if f.read.SetReadDeadline(until) != nil {
		return true // unknown
	}
	stop := context.AfterFunc(ctx, func() { _ = f.read.SetReadDeadline(time.Now()) })
	defer stop()
	if _, err := io.Copy(io.Discard, f.read); err != nil {
		return false
	}
	for len(f.members()) > 0 {
		if time.Now().After(until) || experiment.Wait(ctx, askEvery) != nil {
			return false
		}
	}
	return true
}

// members returns the directories in /proc of the processes with the mark; nil without /proc.
func (f *family) members() (all []string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
	for _, path := range environments {
		environment, err := os.ReadFile(path) //nolint:gosec // ours, or unreadable
		if err == nil && bytes.Contains(environment, []byte(f.mark)) {
			all = append(all, filepath.Dir(path))
		}
	}
	return all
}

// foreground returns the members of the family that a terminal interrupts with this process, which daemons are not.
func (f *family) foreground() (all []*os.Process) {
	if f == nil {
		return nil
	}
	for _, directory := range f.members() {
		pid, err := strconv.Atoi(filepath.Base(directory))
		if group := groupOf(directory); err != nil || group == "" || group != groupOf("/proc/self") {
			continue
		}
		if process, err := os.FindProcess(pid); err == nil {
			all = append(all, process)
		}
	}
	return all
}

// groupOf returns the process group of a process in /proc; empty: it has ended.
func groupOf(directory string) string {
	stat, _ := os.ReadFile(filepath.Join(directory, "stat"))                  //nolint:gosec // of a process
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // a name may hold anything
	const group = 2
	if len(fields) <= group || fields[0] == "Z" {
		return ""
	}
	return fields[group]
}

// end waits until the members in the foreground have ended, and then kills those that have not.
func (f *family) end(within time.Duration) {
	for until := time.Now().Add(within); len(f.foreground()) > 0 && time.Now().Before(until); {
		time.Sleep(askEvery)
	}
	f.kill()
}

// kill kills the command and, where /proc shows them, the others in the foreground.
func (f *family) kill() {
	if f == nil {
		return
	}
	if first := f.first.Load(); first != nil {
		_ = first.Kill() // or it has ended
	}
	for _, process := range f.foreground() {
		_ = process.Kill()
	}
}

func (f *family) close() {
	if f != nil {
		_, _ = f.read.Close(), f.held.Close() // nothing is in it
	}
}
