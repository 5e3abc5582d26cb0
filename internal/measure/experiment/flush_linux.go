package experiment

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
)

// FlushDirectories gives what brings the file systems under directories to their devices, of those that we may look
// into, or nil: a server syncs its own files at a checkpoint, and what is left then is the file systems' own journals.
// No two of them should be on one file system, since each flush may be one of the device.
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
