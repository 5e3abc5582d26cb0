package experiment

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
)

// forget asks the kernel to evict these files from memory. Dirty pages would stay; if write is set, they are written
// first, which costs a device flush for each file.
func forget(where *layout.Layout, files []string, write bool) error {
	err := ofEach(where, files, func(f *os.File) error { return forgetFile(f, write) })
	if err != nil {
		return fmt.Errorf("drop a table from the page cache: %w", err)
	}
	return nil
}

func forgetFile(f *os.File, write bool) error {
	if write {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("posix_fadvise %s: %w", f.Name(), err)
	}
	return nil
}
