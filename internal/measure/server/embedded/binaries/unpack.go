package binaries

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/ulikunitz/xz"
)

// checkPinned compares an archive's content with the pin, reading at most the pinned size.
func checkPinned(archive *zip.File, r Release) error {
	content, err := archive.Open()
	if err != nil {
		return fmt.Errorf("open the archive: %w", err)
	}
	defer content.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(content, r.pin.size+1)); err != nil {
		return fmt.Errorf("the archive of PostgreSQL %s is corrupt (%w); nothing was unpacked", r.Version(), err)
	}
	if found := hex.EncodeToString(sum.Sum(nil)); found != r.pin.sha256 {
		return fmt.Errorf("the archive of PostgreSQL %s has the wrong checksum (sha256 %s, want %s); nothing was "+
			"unpacked", r.Version(), found, r.pin.sha256)
	}
	return nil
}

// unpack extracts the archive into a directory that no entry can leave. Whatever the umask, all users may read the
// result: the server may run as another user.
func unpack(ctx context.Context, archive io.Reader, directory string) error {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer root.Close()
	text, err := xz.NewReader(bufio.NewReader(archive))
	if err != nil {
		return err
	}
	t := tree{root: root, made: map[string]bool{".": true}}
	for entries := tar.NewReader(text); ctx.Err() == nil; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.add(header, entries); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// tree is a directory being filled.
type tree struct {
	root *os.Root
	made map[string]bool // directories
}

func (t tree) add(h *tar.Header, content io.Reader) error {
	name := path.Clean(h.Name)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%s is outside the directory", h.Name)
	}
	if h.Typeflag == tar.TypeDir {
		return t.directory(name)
	}
	if err := t.directory(path.Dir(name)); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return t.file(name, h.FileInfo().Mode().Perm(), content)
	case tar.TypeSymlink:
		return t.root.Symlink(h.Linkname, name)
	default:
		return fmt.Errorf("%s has unexpected type %q", h.Name, h.Typeflag)
	}
}

func (t tree) directory(name string) error {
	if t.made[name] {
		return nil
	}
	if err := t.directory(path.Dir(name)); err != nil {
		return err
	}
	if err := t.root.Mkdir(name, 0o755); err != nil {
		return err
	}
	t.made[name] = true
	return t.root.Chmod(name, 0o755)
}

func (t tree) file(name string, mode os.FileMode, content io.Reader) error {
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Chmod(mode|0o444), f.Close())
}
