// Package scratch makes directories of our own in places that others use too, and finds out when nobody works in one
// any more.
//
// [Make] makes a directory with a lock file in it and takes the lock. Programs that work in the directory inherit the
// open lock, so it is free only when the last of them has ended, however that came about; [Free] tells. [Sweep] goes
// through what earlier runs, which were killed with everything that was to clear up after them, have left in a place.
// How a directory is taken away is its owner's affair: something may be mounted in it.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked is the error of a lock that another process holds.
var ErrLocked = errors.New("somebody else has the lock")

// LockName is the lock file in each directory.
const LockName = "lock"

// Make makes a directory whose name begins with a prefix, that others may pass through, and takes its lock.
func Make(parent, prefix string) (path string, lock *os.File, err error) {
	const attempts = 5 // a sweep may take a directory before it is locked
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
	return "", nil, fmt.Errorf("every directory made in %s is swept away at once", parent)
}

// take makes a lock file and locks it, unless a sweep was faster.
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

// Free reports whether all that worked in a directory have ended, and keeps others from coming in until release is
// called. A directory without a lock file, which is fs.ErrNotExist, is not one of ours.
func Free(path string) (free bool, release func(), err error) {
	// Not blocking and following no link: in a directory for everyone, anyone may have put anything here.
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

// Sweep has the directories in a place removed that nobody works in any more. Those that cannot be removed are left:
// they are no reason to keep anybody from measuring.
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

// isOurs keeps a sweep, above all one by root, off what other users have put among the directories.
func isOurs(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && madeByUs(info)
}

func sweep(path string, remove func(path string) error) {
	free, release, err := Free(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_ = os.Remove(path) // only where it is empty: its maker was killed before it could lock
	case free:
		_ = remove(path)
		release()
	}
}
