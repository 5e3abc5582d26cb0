package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
)

// TestForgetStaysAmongRelations: no file outside the data directory, link or pipe is opened, whatever the server or
// its user puts in place of its files.
func TestForgetStaysAmongRelations(t *testing.T) {
	top := t.TempDir()
	data := filepath.Join(top, "data")
	for _, file := range []string{filepath.Join(data, "base/5/1"), filepath.Join(top, "1")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("rows"), 0o600)); err !=
			nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		os.Symlink(filepath.Join(top, "1"), filepath.Join(data, "base/5/2")),
		unix.Mkfifo(filepath.Join(data, "base/5/3"), 0o600),
		os.Symlink(top, filepath.Join(data, "base/6")),
		os.Symlink(filepath.Join(top, "1"), filepath.Join(data, "base/5/1.1")),
		os.Symlink("/dev/zero", filepath.Join(data, "base/5/4")), // endless
	); err != nil {
		t.Fatal(err)
	}
	where, err := layout.Find(layout.Server{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	for _, outside := range []string{"base/5/2", "base/5/3", "base/5/4", "base/6/1", "base/5/1", "../1",
		filepath.Join(top, "1"), "", "base/5/PG_VERSION", "base/5/../5/1"} {
		for name, err := range map[string]error{"forget": forget(where, []string{outside}, true),
			"remember": remember(where, []string{outside})} {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s %q: %v", name, outside, err)
			}
		}
	}
	if err := os.Remove(filepath.Join(data, "base/5/1.1")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(forget(where, []string{"base/5/1"}, true), remember(where, []string{"base/5/1"})); err !=
		nil {
		t.Error(err)
	}
	// A directory swapped in for the data directory is not used.
	if err := errors.Join(os.Rename(data, data+".old"), os.MkdirAll(filepath.Join(data, "base/5"), 0o700),
		os.WriteFile(filepath.Join(data, "base/5/1"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := forget(where, []string{"base/5/1"}, true); err == nil ||
		!strings.Contains(err.Error(), "it was replaced") {
		t.Errorf("another directory of that name: %v", err)
	}
}
