package experiment

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// FlushDirectory gives what brings the file system under a directory to its device, or nil where we may not look into
// the directory: a server syncs its own files at a checkpoint, and what is left then is the file system's own journal.
func FlushDirectory(dir string) func() error {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	f.Close()
	return func() error {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := unix.Syncfs(int(f.Fd())); err != nil {
			return fmt.Errorf("syncfs %s: %w", dir, err)
		}
		return nil
	}
}
