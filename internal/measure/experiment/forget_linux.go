package experiment

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// forget asks the kernel to keep nothing of these files in memory. What is not written yet would stay, and so is written first where that is
// asked for, which costs a flush of the device for each file.
func forget(directory string, files []string, write bool) error {
	err := ofEach(directory, files, func(path string) error { return forgetFile(path, write) })
	if err != nil {
		return fmt.Errorf("ask the kernel to forget a table: %w", err)
	}
	return nil
}

func forgetFile(path string, write bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if write {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("posix_fadvise %s: %w", path, err)
	}
	return nil
}
