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

// Item is a thing to clean up, as plain data for another process. One field is set.
type Item struct {
	Process      *Process      `json:"process,omitempty"`
	Users        *Users        `json:"users,omitempty"`
	SharedMemory *SharedMemory `json:"shared_memory,omitempty"`
	Mount        *Mount        `json:"mount,omitempty"`
	Directory    *Directory    `json:"directory,omitempty"`
	Empty        *Empty        `json:"empty,omitempty"`
}

// CleanUp cleans up the items, the last one first. It stops at one that cannot be cleaned up, which
// may still use the earlier ones.
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

// Process works in a directory of package scratch and holds its lock, as do all its children. The free lock shows
// that all have ended; it also protects another process that has reused the PID.
type Process struct {
	Name      string `json:"name"`      // for messages, as in: NAME does not end
	ID        int    `json:"id"`        // negative: a process group
	Directory string `json:"directory"` // with the lock
	Steps     []Step `json:"steps"`     // tried in turn
}

// Step is a way to end a process, and how long it may take.
type Step struct {
	Signal   syscall.Signal `json:"signal"`
	Patience time.Duration  `json:"patience"`
}

// often is the interval between two checks.
const often = 20 * time.Millisecond

func (p Process) end() error {
	for _, step := range p.Steps {
		for begun, signalled := time.Now(), false; time.Since(begun) < step.Patience; time.Sleep(often) {
			if inUse, err := inUse(p.Directory); err != nil || !inUse {
				return err
			}
			if !signalled {
				_ = Signal(p.ID, step.Signal) // the lock shows whether it has ended
				signalled = true
			}
		}
	}
	return fmt.Errorf("%s does not exit (process %d); kill it and remove %s", p.Name, max(p.ID, -p.ID), p.Directory)
}

// inUse reports whether a process works in a directory. A missing one is unused.
func inUse(directory string) (bool, error) {
	free, release, err := scratch.Free(directory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("check whether %s is in use: %w", directory, err)
	case free:
		release()
	}
	return !free, nil
}

// Users are the processes that work in a directory of package scratch, and end by themselves when realiops is gone.
// They include programs that realiops started but was killed before it could report.
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
	return fmt.Errorf("%s is still in use; remove it by hand", u.Directory)
}

// Directory is one of our directories, to be removed with its content.
type Directory struct {
	Path string `json:"path"`
}

// prefix is the prefix of all our directories. Nothing else is ever removed.
const prefix = "realiops-"

func (d Directory) remove() error {
	if !filepath.IsAbs(d.Path) || !strings.HasPrefix(filepath.Base(d.Path), prefix) {
		return fmt.Errorf("%s is not a directory of realiops; nothing was removed", d.Path)
	}
	if err := os.RemoveAll(d.Path); err != nil {
		return fmt.Errorf("remove %s: %w", d.Path, err)
	}
	return nil
}

// Empty is a directory that we created under the user's name for it. It is removed only if empty.
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

// SharedMemory is the System V segment of a PostgreSQL server, which survives a killed server.
type SharedMemory struct {
	DataDirectory string `json:"data_directory"`
}

// Mount is a file system that we mounted. The kernel detaches its loop device.
type Mount struct {
	Path string `json:"path"`
}
