// Package scratch makes directories of our own in shared places, and finds out when they are no longer in use.
//
// [Make] makes a directory with a lock file and takes the lock. Programs that work in the directory inherit the open
// lock, so it is free only when the last of them has ended, for whatever reason; [Free] checks it. [Sweep] removes
// the directories of earlier runs that were killed together with their supervisor. The owner of a directory decides
// how to remove it: something may be mounted in it.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked says that another process holds the lock.
var ErrLocked = errors.New("another process has the lock")

// LockName is the name of the lock file in each directory.
const LockName = "lock"

// Make makes a directory with a name prefix that other users may enter, and takes its lock.
func Make(parent, prefix string) (path string, lock *os.File, err error) {
	const attempts = 5 // a sweep may remove a directory before it is locked
	for range attempts {
		if path, err = os.MkdirTemp(parent, prefix+"*"); err != nil {
			return "", nil, err
		}
		lock, err = take(filepath.Join(path, LockName))
		if err == nil {
			return path, lock, os.Chmod(path, 0o711)
		}
		if !errors.Is(err, ErrLocked) {
			return "", nil, errors.Join(err, os.RemoveAll(path))
		}
	}
	return "", nil, fmt.Errorf("every directory created in %s is removed at once", parent)
}

// take creates and locks a lock file, unless a sweep was faster.
func take(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("lock a directory: %w", err)
	}
	if TryLock(f) == nil {
		if _, err := os.Lstat(path); err == nil {
			return f, nil
		}
	}
	f.Close()
	return nil, ErrLocked
}

// Free reports whether a directory is unused, and if so keeps others out until release is called. A directory without
// a lock file, fs.ErrNotExist, is not ours.
func Free(path string) (free bool, release func(), err error) {
	// Do not block or follow a link: in a shared directory, any user may have put anything here.
	f, err := os.OpenFile(filepath.Join(path, LockName), os.O_RDWR|warily, 0)
	if err != nil {
		return false, nil, err
	}
	if err := TryLock(f); err != nil {
		f.Close()
		return false, nil, nil
	}
	return true, func() { f.Close() }, nil
}

// Sweep removes the unused directories in a place. It ignores failures, which should not prevent a measurement.
func Sweep(place, prefix string, remove func(path string) error) {
	entries, err := os.ReadDir(place)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) && isOurs(e) {
			sweep(filepath.Join(place, e.Name()), remove)
		}
	}
}

// isOurs keeps a sweep, above all root's, away from other users' directories.
func isOurs(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && madeByUs(info)
}

func sweep(path string, remove func(path string) error) {
	switch free, release, err := Free(path); {
	case errors.Is(err, fs.ErrNotExist):
		_ = os.Remove(path) // only if empty: its maker was killed before it could lock
	case free:
		_ = remove(path)
		release()
	}
}
