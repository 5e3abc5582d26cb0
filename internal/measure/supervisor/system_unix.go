//go:build unix

package supervisor

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Supported returns an error where nothing can be cleaned up after realiops was killed, so that nothing is to be
// started that would have to be.
func Supported() error { return nil }

// Signal sends a signal to a process, or by a negative number to a group.
func Signal(id int, signal syscall.Signal) error { return unix.Kill(id, signal) }
