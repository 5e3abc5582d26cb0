//go:build !linux && !darwin

package supervisor

import (
	"errors"
	"syscall"
)

// Supported returns an error: on Windows and the BSDs nothing can be cleaned up after realiops was killed, so
// nothing that needs it may be started.
func Supported() error {
	return errors.New("only supported on Linux and macOS; measure your own server with --dsn")
}

// Attributes returns nil: nothing is started.
func Attributes(syscall.Signal) *syscall.SysProcAttr { return nil }

// Signal is not reached.
func Signal(int, syscall.Signal) error { return errors.ErrUnsupported }

func (m Mount) detach() error { return nil }

func (m SharedMemory) remove() error { return nil }
