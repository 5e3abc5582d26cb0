package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/realiops/realiops/internal/measure/layout"
)

// ofEach calls do with each file of a table, including its segments beyond a gigabyte.
func ofEach(where *layout.Layout, files []string, do func(*os.File) error) error {
	for _, file := range files {
		if err := withFile(where, file, do); err != nil {
			return err
		}
		for part := 1; ; part++ {
			err := withFile(where, fmt.Sprintf("%s.%d", file, part), do)
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func withFile(where *layout.Layout, name string, do func(*os.File) error) error {
	f, err := where.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// remember makes the kernel cache these files. The server does not read pages that are in its own buffers, so the
// kernel may lack them when the server evicts them.
func remember(where *layout.Layout, files []string) error {
	return ofEach(where, files, func(f *os.File) error {
		_, err := io.Copy(io.Discard, f)
		return err
	})
}
