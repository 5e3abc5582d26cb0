package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteTo(t *testing.T) {
	dir := t.TempDir()
	text := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	holds := func(name, want string) {
		t.Helper()
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
		}
	}
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}

	// A failure leaves the old file, and nothing beside it.
	if err := WriteTo(file, nil, func(io.Writer) error {
		return syscall.ENOSPC
	}); err == nil || !strings.HasSuffix(err.Error(), "file: no space left on device") {
		t.Errorf("%v", err)
	}
	holds(file, "old")
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}

	// A link stays a link.
	if err := WriteTo(link, nil, text); err != nil {
		t.Error(err)
	}
	holds(file, "new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v now (%v)", info.Mode(), err)
	}

	if err := WriteTo(dir, nil, text); err == nil ||
		!strings.HasSuffix(err.Error(), "it is a directory; name a file in it") {
		t.Errorf("%v", err)
	}
	if err := WriteTo(filepath.Join(dir, "no", "file"), nil, text); err == nil ||
		!strings.HasSuffix(err.Error(), "file: no such file or directory") {
		t.Errorf("%v", err)
	}
}
