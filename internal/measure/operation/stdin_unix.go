//go:build unix

package operation

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// ended reports whether a pipe has no writer, and nothing left to read.
func ended(pipe *os.File) bool {
	polled := []unix.PollFd{{Fd: int32(pipe.Fd())}} //nolint:gosec // a file descriptor is small
	if _, err := unix.Poll(polled, 0); err != nil || polled[0].Revents&unix.POLLHUP == 0 {
		return false
	}
	unread := uint(0x4004667f) // FIONREAD, which x/sys does not name
	if runtime.GOOS == "linux" {
		unread = 0x541b
	}
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unread) //nolint:gosec // a file descriptor is small
	return err == nil && n == 0
}
