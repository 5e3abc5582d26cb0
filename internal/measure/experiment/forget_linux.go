package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// forget asks the kernel to keep nothing of these files in memory: of a table's, and of its parts beyond a gigabyte. What is not
// written yet would stay, and so is written first where that is asked for, which costs a flush of the device for each file.
func forget(directory string, files []string, write bool) error {
	for _, file := range files {
		if !filepath.IsLocal(file) { // the server says where they are
			return fmt.Errorf("the server names %q for a table's file, which lies outside of its data directory", file)
		}
		path := filepath.Join(directory, file)
		if err := forgetFile(path, write); err != nil {
			return fmt.Errorf("ask the kernel to forget a table: %w", err)
		}
		for part := 1; ; part++ {
			err := forgetFile(fmt.Sprintf("%s.%d", path, part), write)
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return fmt.Errorf("ask the kernel to forget a table: %w", err)
			}
		}
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
