package operation

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// family is a command and all that it starts. Each of them holds the end of a pipe, so that it is known when the last is gone. One that
// closes what it has inherited, as services do that mean to stay, is not waited for.
type family struct{ read, held *os.File }

func newFamily(c *exec.Cmd) (*family, error) {
	if runtime.GOOS == "windows" { // where files are not handed on like this
		return nil, nil
	}
	read, held, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the command: %w", err)
	}
	c.ExtraFiles = []*os.File{held}
	return &family{read, held}, nil
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

// ended waits until all have ended, and tells whether they have.
func (f *family) ended(ctx context.Context, within time.Duration) bool {
	if f == nil {
		return true
	}
	if f.read.SetReadDeadline(time.Now().Add(within)) != nil {
		return true // it cannot be known
	}
	stop := context.AfterFunc(ctx, func() { _ = f.read.SetReadDeadline(time.Now()) })
	defer stop()
	_, err := io.Copy(io.Discard, f.read)
	return err == nil
}

func (f *family) close() {
	if f != nil {
		_, _ = f.read.Close(), f.held.Close() // nothing is in it
	}
}
