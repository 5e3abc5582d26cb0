package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/scratch"
)

// Names of run directories. Those to be kept are never swept.
const (
	runPrefix  = "realiops-server-"
	keptPrefix = "realiops-kept-"
)

// directory is a place of our own on the disk, and what has to go when the server has gone.
type directory struct {
	Path   string `json:"path"`
	Parent string `json:"parent,omitempty"` // made by us and to be removed as well; empty: was there before
}

func (d directory) in(name string) string { return filepath.Join(d.Path, name) }

// remove takes the directory away with what is mounted in it, and the one around it if that is ours too.
func (d directory) remove() error {
	if err := d.unmountDevice(); err != nil {
		return err
	}
	if err := os.RemoveAll(d.Path); err != nil {
		return fmt.Errorf("remove %s: %w", d.Path, err)
	}
	if d.Parent != "" {
		_ = os.Remove(d.Parent) // somebody else may have put something there
	}
	return nil
}

// create makes a run directory that others may pass through, and takes its lock.
func create(p place, keep bool) (directory, *os.File, error) {
	var d directory
	if p.Made {
		d.Parent = p.Directory
	}
	prefix := runPrefix
	if keep {
		prefix = keptPrefix
	}
	path, lock, err := scratch.Make(p.Directory, prefix)
	if err != nil {
		return d, nil, fmt.Errorf("make a directory for the server: %w", err)
	}
	d.Path = path
	return d, lock, nil
}

// sweep removes the run directories below a place that nobody lives in any more.
func sweep(place string) {
	scratch.Sweep(place, runPrefix, func(path string) error { return directory{Path: path}.remove() })
}

// reclaim removes a run directory when the last process of its server has ended, which a server whose keeper was
// killed is urged to do; 0 is no server. To keep the directory is to do no more than see the end.
func reclaim(d directory, server int, keep bool) error {
	ended := false
	for tries := range 300 { // 30 seconds
		free, release, err := scratch.Free(d.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return d.remove() // someone was faster
		}
		if err != nil {
			return fmt.Errorf("clear up %s: %w", d.Path, err)
		}
		if ended = free; ended {
			release()
			break
		}
		urge(server, tries)
		time.Sleep(100 * time.Millisecond)
	}
	if !ended {
		return fmt.Errorf("the server in %s does not end (process %d)", d.Path, server)
	}
	if keep {
		return nil
	}
	return d.remove()
}

// urge asks a server to end, more firmly after 10 and after 20 seconds.
func urge(server, tries int) {
	firmness := map[int]unix.Signal{0: unix.SIGINT, 100: unix.SIGQUIT, 200: unix.SIGKILL}
	if s, due := firmness[tries]; due && server > 0 {
		_ = unix.Kill(server, s)
	}
}
