package input

import (
	"errors"
	"syscall"
)

// OutOfFiles returns err as a message with its remedy if files or sockets cannot be opened because too many are open.
// Otherwise it returns nil.
func OutOfFiles(err error) error {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return errors.New("too many open files; raise the limit of this process (ulimit -n)")
	case errors.Is(err, syscall.ENFILE):
		return errors.New("too many open files on this machine; raise its limit (fs.file-max)")
	}
	return nil
}
