package supervisor

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// detach unmounts. If the mount stays busy for two seconds, the file system goes with its last user.
func (m Mount) detach() error {
	err := unix.Unmount(m.Path, unix.UMOUNT_NOFOLLOW)
	for begun := time.Now(); errors.Is(err, unix.EBUSY) && time.Since(begun) < 2*time.Second; time.Sleep(often) {
		err = unix.Unmount(m.Path, unix.UMOUNT_NOFOLLOW)
	}
	if errors.Is(err, unix.EBUSY) {
		err = unix.Unmount(m.Path, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH)
	}
	if err == nil || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) { // nothing is mounted there
		return nil
	}
	return fmt.Errorf("unmount %s: %w", m.Path, err)
}
