//go:build linux || darwin

package supervisor

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Supported returns an error if nothing can be cleaned up after realiops was killed. Then
// nothing that needs it may be started.
func Supported() error { return nil }

// Signal sends a signal to a process, or to a group if id is negative.
func Signal(id int, signal syscall.Signal) error { return unix.Kill(id, signal) }
