package servertest

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// SmallDisk mounts a file system of 1.1 GB for a server, until the test ends. It returns its directory and a function
// that leaves that many bytes free. It skips the test if mounting is impossible.
func SmallDisk(t *testing.T) (directory string, leave func(free int64)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting takes root")
	}
	directory, err := os.MkdirTemp("", "realiops-test-") // the server's user may enter it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(directory) })
	if err := unix.Mount("tmpfs", directory, "tmpfs", 0, "size=1100m,mode=755"); err != nil {
		t.Skip("mount a small file system:", err)
	}
	t.Cleanup(func() { // after the server
		if err := unix.Unmount(directory, 0); err != nil {
			t.Error(err)
		}
	})
	return directory, func(free int64) {
		t.Helper()
		var is unix.Statfs_t
		if err := unix.Statfs(directory, &is); err != nil {
			t.Fatal(err)
		}
		used := int64(is.Blocks-is.Bfree) * int64(is.Bsize) //nolint:unconvert // widths differ by system
		if err := unix.Mount("tmpfs", directory, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%d", used+free)); err != nil {
			t.Fatal(err)
		}
	}
}
