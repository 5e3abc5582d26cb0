package binaries

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncTree brings a tree to the disk, so that neither a power cut leaves empty programs in the cache nor the kernel
// writes them out while somebody measures. One call for the file system is many times faster than one a file.
func syncTree(tree string) error {
	f, err := os.Open(tree)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}
