package supervisor

import (
	"errors"
	"syscall"
)

// Supported returns an error here: nothing can be cleaned up after realiops was killed, so nothing is started that
// would have to be.
func Supported() error {
	return errors.New("realiops does that on Linux and macOS; on Windows it measures servers of yours (--dsn)")
}

// Attributes are none: nothing is started.
func Attributes(syscall.Signal) *syscall.SysProcAttr { return nil }

// Signal is never reached.
func Signal(int, syscall.Signal) error { return errors.ErrUnsupported }

func (m Mount) detach() error { return nil }

func (m SharedMemory) remove() error { return nil }
