//go:build unix

package cli

import (
	"slices"

	"golang.org/x/sys/unix"
)

// outputBroken reports whether one of the outputs has lost its reader. The signal alone does not show that: it also
// comes for connections, such as one to a server that restarts.
func outputBroken(outputs ...uintptr) bool {
	var polled []unix.PollFd
	for _, fd := range outputs {
		polled = append(polled, unix.PollFd{Fd: int32(fd)}) //nolint:gosec // a file descriptor is small
	}
	if _, err := unix.Poll(polled, 0); err != nil {
		return false
	}
	return slices.ContainsFunc(polled, func(p unix.PollFd) bool { return p.Revents&(unix.POLLERR|unix.POLLHUP) != 0 })
}
