package runfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock keeps other writers out until the file is closed. Locks also exclude readers here, so it locks a byte beyond the
// end of any run file.
func lock(file *os.File) error {
	beyond := &windows.Overlapped{OffsetHigh: 1 << 30}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, beyond)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return nil
}
