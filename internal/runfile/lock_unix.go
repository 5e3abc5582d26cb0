//go:build unix

package runfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other writers out until the file is closed. On a file system without locks it has no effect.
func lock(file *os.File) error {
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return nil
}
