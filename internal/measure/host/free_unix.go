//go:build unix

package host

import "golang.org/x/sys/unix"

// Free returns how many bytes we may use in the file system of a directory.
func Free(path string) (int64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(path, &s)
	return int64(s.Bavail) * int64(s.Bsize), err //nolint:unconvert // widths differ by system
}
