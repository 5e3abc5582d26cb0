package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ofEach does something with each file of a table, and with its parts beyond a gigabyte.
func ofEach(directory string, files []string, do func(path string) error) error {
	for _, file := range files {
		if !filepath.IsLocal(file) { // the server says where they are
			return fmt.Errorf("the server names %q for a table's file, which lies outside of its data directory", file)
		}
		path := filepath.Join(directory, file)
		if err := do(path); err != nil {
			return err
		}
		for part := 1; ; part++ {
			err := do(fmt.Sprintf("%s.%d", path, part))
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

// remember has the kernel keep these files in memory: what the server has in its own buffers it does not read, and the device would have
// to later, when it has given the buffer to another page.
func remember(directory string, files []string) error {
	return ofEach(directory, files, func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(io.Discard, f)
		return err
	})
}
