package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Names of run directories. Those to be kept are never swept.
const (
	runPrefix  = "realiops-server-"
	keptPrefix = "realiops-kept-"
)

const lockName = "lock"

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
	const attempts = 5 // a sweep may take a directory before it is locked
	for range attempts {
		path, err := os.MkdirTemp(p.Directory, prefix+"*")
		if err != nil {
			return d, nil, fmt.Errorf("make a directory for the server: %w", err)
		}
		d.Path = path
		lock, err := takeLock(d.in(lockName))
		if err == nil {
			return d, lock, os.Chmod(path, 0o711)
		}
		if !errors.Is(err, errTaken) {
			return d, nil, errors.Join(err, d.remove())
		}
	}
	return d, nil, fmt.Errorf("make a directory for the server in %s: every one is swept away at once", p.Directory)
}

var errTaken = errors.New("somebody else has the lock")

// takeLock makes a lock file and locks it, unless a sweep was faster.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errTaken
	}
	if err != nil {
		return nil, fmt.Errorf("lock the server's directory: %w", err)
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		if _, err := os.Lstat(path); err == nil {
			return f, nil
		}
	}
	f.Close()
	return nil, errTaken
}

// lockIsFree tells whether all processes of a run directory have ended, and keeps others from coming in until release
// is called. A directory without a lock file is not one of ours.
func lockIsFree(d directory) (free bool, release func(), err error) {
	// Not blocking and following no link: in a directory for everyone, anyone may have put anything here.
	f, err := os.OpenFile(d.in(lockName), os.O_RDWR|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false, nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return false, nil, nil
	}
	return true, func() { f.Close() }, nil
}

// sweep removes the run directories below a place that nobody lives in any more. Those that cannot be removed are
// left: they are no reason to keep anybody from measuring.
func sweep(place string) {
	entries, err := os.ReadDir(place)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), runPrefix) && isOurs(e) {
			sweepOne(directory{Path: filepath.Join(place, e.Name())})
		}
	}
}

// isOurs keeps a sweep, above all one by root, off what other users have put among the run directories.
func isOurs(e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	return known && int(stat.Uid) == os.Geteuid()
}

func sweepOne(d directory) {
	free, release, err := lockIsFree(d)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_ = os.Remove(d.Path) // only where it is empty: its maker was killed before it could lock
	case free:
		_ = d.remove()
		release()
	}
}

// reclaim removes a run directory when the last process of its server has ended, which a server whose keeper was
// killed is urged to do; 0 is no server. To keep the directory is to do no more than see the end.
func reclaim(d directory, server int, keep bool) error {
	ended := false
	for tries := range 300 { // 30 seconds
		free, release, err := lockIsFree(d)
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
