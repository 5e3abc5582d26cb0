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

// family is a command and all that it starts. Each of them holds the end of a pipe, so that it is known when the last
// is gone. A daemon closes what it has inherited, but its environment has a mark, by which Linux shows it.
type family struct {
	read, held *os.File
	mark       string // NAME=value
}

// markedBy is the name of the environment variable that holds the mark.
const markedBy = "REALIOPS_MEASURED"

func newFamily(c *exec.Cmd) (*family, error) {
	if runtime.GOOS == "windows" { // where files are not handed on like this
		return nil, nil
	}
	read, held, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the command: %w", err)
	}
	c.ExtraFiles = []*os.File{held}
	mark := markedBy + "=" + rand.Text()
	c.Env = append(c.Environ(), mark)
	return &family{read, held, mark}, nil
}

// run runs the command to its end. From when it has started, it alone and what it starts hold the pipe.
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
		return true // it cannot be known
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

// daemons reports whether a process has the mark; false where there is no /proc.
func (f *family) daemons() bool {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
	for _, path := range environments {
		environment, err := os.ReadFile(path) //nolint:gosec // of a process that is ours, or not readable
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
