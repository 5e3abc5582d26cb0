package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/scratch"
)

// Item is something to clean up: plain data, so that another process can do it. One of the fields is set.
type Item struct {
	Process      *Process      `json:"process,omitempty"`
	Users        *Users        `json:"users,omitempty"`
	SharedMemory *SharedMemory `json:"shared_memory,omitempty"`
	Mount        *Mount        `json:"mount,omitempty"`
	Directory    *Directory    `json:"directory,omitempty"`
	Empty        *Empty        `json:"empty,omitempty"`
}

// CleanUp cleans up what should have been, the last item first. After one that cannot be cleaned up it stops: what lies
// below may still be in use.
func CleanUp(items ...Item) error {
	for _, i := range slices.Backward(items) {
		var err error
		switch {
		case i.Process != nil:
			err = i.Process.end()
		case i.Users != nil:
			err = i.Users.await()
		case i.SharedMemory != nil:
			err = i.SharedMemory.remove()
		case i.Mount != nil:
			err = i.Mount.detach()
		case i.Directory != nil:
			err = i.Directory.remove()
		case i.Empty != nil:
			err = i.Empty.remove()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Process is one that works in a directory of package scratch and holds its lock, as do all that it has started. It has
// ended when the last of them has, and the lock is free; that also keeps a number that was given to another process
// since from being sent a signal.
type Process struct {
	Name      string `json:"name"`      // for people, as in: NAME does not end
	ID        int    `json:"id"`        // negative: of a process group
	Directory string `json:"directory"` // with the lock
	Steps     []Step `json:"steps"`     // to be tried in turn
}

// Step is a way to end a process, and how long that may take.
type Step struct {
	Signal   syscall.Signal `json:"signal"`
	Patience time.Duration  `json:"patience"`
}

// often is the interval between two looks.
const often = 20 * time.Millisecond

func (p Process) end() error {
	for _, step := range p.Steps {
		for begun, signalled := time.Now(), false; time.Since(begun) < step.Patience; time.Sleep(often) {
			if inUse, err := inUse(p.Directory); err != nil || !inUse {
				return err
			}
			if !signalled {
				_ = Signal(p.ID, step.Signal) // whether it has ended is told by the lock
				signalled = true
			}
		}
	}
	return fmt.Errorf("%s does not end (process %d): end it by hand and remove %s", p.Name,
		max(p.ID, -p.ID), p.Directory)
}

// inUse reports whether a process works in a directory. A missing directory is not in use.
func inUse(directory string) (bool, error) {
	free, release, err := scratch.Free(directory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("see whether %s is in use: %w", directory, err)
	case free:
		release()
	}
	return !free, nil
}

// Users are the processes that work in a directory of package scratch. They end by themselves when realiops is gone.
// They include programs that realiops started, and was killed before it could report.
type Users struct {
	Directory string `json:"directory"`
}

func (u Users) await() error {
	const patience = 30 * time.Second
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(often) {
		if inUse, err := inUse(u.Directory); err != nil || !inUse {
			return err
		}
	}
	return fmt.Errorf("%s is still in use: remove it by hand", u.Directory)
}

// Directory is one of ours, to be removed with all that is in it.
type Directory struct {
	Path string `json:"path"`
}

// prefix begins the names of all our directories, so that nothing else is ever removed.
const prefix = "realiops-"

func (d Directory) remove() error {
	if !filepath.IsAbs(d.Path) || !strings.HasPrefix(filepath.Base(d.Path), prefix) {
		return fmt.Errorf("%s is not a directory of ours: nothing was removed", d.Path)
	}
	if err := os.RemoveAll(d.Path); err != nil {
		return fmt.Errorf("remove %s: %w", d.Path, err)
	}
	return nil
}

// Empty is a directory that we made under a user's name for it. It is removed unless it holds anything.
type Empty struct {
	Path string `json:"path"`
}

func (e Empty) remove() error {
	switch err := os.Remove(e.Path); {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, fs.ErrExist):
		return nil
	default:
		return err
	}
}

// SharedMemory is the System V segment of a PostgreSQL server, which the kernel keeps when the server is killed.
type SharedMemory struct {
	DataDirectory string `json:"data_directory"`
}

// Mount is a file system that we mounted. The kernel detaches the loop device below it.
type Mount struct {
	Path string `json:"path"`
}
