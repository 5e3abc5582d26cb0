package command

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteTo writes a result to a file, which appears when complete, or to standard output if there is no name. An
// existing device or pipe is written to directly.
func WriteTo(name string, out io.Writer, write func(io.Writer) error) error {
	if name == "" || name == StandardInput {
		return write(out)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // the file replaces its target, not the link
	}
	existing, err := os.Stat(name)
	switch {
	case err == nil && existing.IsDir():
		err = errors.New("it is a directory; name a file in it")
	case err == nil && !existing.Mode().IsRegular():
		err = writeInto(name, write)
	default:
		err = replace(name, existing, write)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func writeInto(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return plainly(err)
	}
	return plainly(errors.Join(write(file), file.Close()))
}

// replace writes a temporary file next to the named one, and renames it when complete. Its mode follows the
// umask, or the file it replaces.
func replace(name string, existing fs.FileInfo, write func(io.Writer) error) error {
	part, err := os.OpenFile(filepath.Join(filepath.Dir(name), ".realiops-"+rand.Text()),
		os.O_WRONLY|os.O_CREATE|os.O_EXCL, modeOf(existing))
	if err != nil {
		return plainly(err)
	}
	if existing != nil {
		err = part.Chmod(modeOf(existing))
	}
	err = errors.Join(err, write(part), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), name)
	}
	if err != nil {
		return errors.Join(plainly(err), os.Remove(part.Name()))
	}
	return nil
}

func modeOf(existing fs.FileInfo) fs.FileMode {
	if existing == nil {
		return 0o666 // less the umask
	}
	return existing.Mode().Perm()
}

// plainly reduces a file error to its reason, if the user did not choose the file's name.
func plainly(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// SameFile reports whether two names lead to the same existing file.
func SameFile(a, b string) bool {
	first, errFirst := os.Stat(a)
	second, errSecond := os.Stat(b)
	return errFirst == nil && errSecond == nil && os.SameFile(first, second)
}
