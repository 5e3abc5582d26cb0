package binaries

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncTree syncs a tree, so that a power cut leaves no empty programs in the cache and the kernel does not write them
// during a measurement. One call for the file system is many times faster than one for each file.
func syncTree(tree string) error {
	f, err := os.Open(tree)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}
