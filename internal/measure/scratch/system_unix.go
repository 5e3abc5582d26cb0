//go:build unix

package scratch

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// warily opens a file that another user may have put there, without blocking or following a link.
const warily = unix.O_NONBLOCK | unix.O_NOFOLLOW

// TryLock locks a file; child processes inherit the lock with it. It returns [ErrLocked] if another process holds it.
func TryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return ErrLocked
	}
	return err
}

// Writable returns an error if this user may not create files in a directory.
func Writable(path string) error { return unix.Access(path, unix.W_OK|unix.X_OK) }

func madeByUs(info fs.FileInfo) bool {
	stat, known := info.Sys().(*syscall.Stat_t)
	return known && int(stat.Uid) == os.Geteuid()
}
