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
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
)

// family is a command and all processes that it starts. Each holds the end of a pipe, which shows when the last has
// ended. A daemon closes inherited files, but on Linux its environment shows a mark.
type family struct {
	read, held *os.File
	mark       string // NAME=value
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
	return &family{read, held, mark}, nil
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
	for f.daemons() {
		if time.Now().After(until) || experiment.Wait(ctx, askEvery) != nil {
			return false
		}
	}
	return true
}

// daemons reports whether a process has the mark; false without /proc.
func (f *family) daemons() bool {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
	for _, path := range environments {
		environment, err := os.ReadFile(path) //nolint:gosec // ours, or unreadable
		if err == nil && bytes.Contains(environment, []byte(f.mark)) {
			return true
		}
	}
	return false
}

func (f *family) close() {
	if f != nil {
		_, _ = f.read.Close(), f.held.Close() // nothing is in it
	}
}
