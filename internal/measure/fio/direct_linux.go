package fio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// takesDirect reports whether files in a directory can be opened with O_DIRECT.
func takesDirect(path string) (bool, error) {
	name := filepath.Join(path, fmt.Sprintf(".%s%d", prefix, os.Getpid()))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, fmt.Errorf("create a file in %s: %w", path, err)
	}
	again, err := os.OpenFile(name, os.O_RDWR|unix.O_DIRECT, 0)
	if err == nil {
		again.Close()
	}
	return err == nil, errors.Join(f.Close(), os.Remove(name))
}
