// Package owner refuses directories and files that another user may have planted where realiops looks by default: in a
// directory that everybody may write to, or that belongs to somebody else.
//
// Ours are those of this process's user, of root, and under sudo of the user who called it. On Windows all are.
package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Make makes a directory that only its owner may write to, unless it exists, and refuses one that is not ours.
func Make(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return Directory(path)
}

// Directory refuses a directory that is not ours, that others may write to, or that somebody else's link leads to.
func Directory(path string) error {
	if err := File(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", path)
	}
	if err := refuse(path, info); err != nil {
		return err
	}
	return refuseShared(path, info)
}

// File refuses a file or a link that is not ours. It does not follow links.
func File(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return refuse(path, info)
}
