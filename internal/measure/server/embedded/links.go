package embedded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// borrow links a tree of programs into another place, or copies it if the file system has no links, for a server
// whose user cannot enter the original.
func borrow(from, to string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return borrowOne(path, filepath.Join(to, below), entry)
	})
	if err != nil {
		return fmt.Errorf("make PostgreSQL's programs accessible to the server's user: %w", err)
	}
	return nil
}

func borrowOne(from, to string, entry fs.DirEntry) error {
	switch {
	case entry.IsDir():
		return errors.Join(os.Mkdir(to, 0o755), os.Chmod(to, 0o755))
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return copyFile(from, to)
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
}
