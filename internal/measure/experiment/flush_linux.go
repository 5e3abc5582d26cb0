package experiment

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
)

// FlushDirectories returns a function that flushes the file systems under directories, or nil if we may open none. A
// server syncs its own files at a checkpoint; the flush adds the file systems' journals. No two directories should
// share a file system, since each flush may flush the device.
func FlushDirectories(directories []layout.Root) func() error {
	var ours []layout.Root
	for _, directory := range directories {
		if f, err := directory.Open(); err == nil {
			f.Close()
			ours = append(ours, directory)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return func() error {
		for _, directory := range ours {
			if err := flush(directory); err != nil {
				return err
			}
		}
		return nil
	}
}

func flush(directory layout.Root) error {
	f, err := directory.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("syncfs %s: %w", directory.Path, err)
	}
	return nil
}
