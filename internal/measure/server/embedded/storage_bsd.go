//go:build darwin || freebsd

package embedded

import "golang.org/x/sys/unix"

func storageOf(path string) (storage, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return storage{}, err
	}
	name := unix.ByteSliceToString(s.Fstypename[:])
	return storage{name: name, ram: name == "tmpfs", free: int64(s.Bavail) * int64(s.Bsize)}, nil
}
