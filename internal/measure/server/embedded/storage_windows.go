package embedded

import (
	"errors"
	"syscall"
)

// Not reached: no server is started on Windows.

func storageOf(string) (storage, error) { return storage{}, errors.ErrUnsupported }

func (a account) run(*syscall.SysProcAttr) {}
