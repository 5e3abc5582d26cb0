package block

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// unpack lays a machine out in a directory: the files of an archive, symbolic links where a name has an arrow, and
// $ROOT for that directory in their targets.
func unpack(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range archive.Files {
		path, target, isLink := strings.Cut(f.Name, " -> ")
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if isLink {
			err = os.Symlink(strings.ReplaceAll(target, "$ROOT", root), path)
		} else {
			err = os.WriteFile(path, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// machine is the host that an archive describes.
func machine(t *testing.T, name string) host {
	t.Helper()
	root := unpack(t, name)
	return host{proc: filepath.Join(root, "proc"), sys: filepath.Join(root, "sys"), look: listed(t, root)}
}

// listed stands for stat(2): it answers from the archive's st_dev.
func listed(t *testing.T, root string) func(string) (file, error) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(root, "st_dev"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]file{}
	for line := range strings.Lines(string(list)) {
		at := strings.LastIndex(line, " ")
		f := file{path: line[:at]}
		if _, err := fmt.Sscanf(line[at:], "%d:%d", &f.major, &f.minor); err != nil {
			t.Fatalf("st_dev: %q: %v", line, err)
		}
		files[f.path] = f
	}
	return func(path string) (file, error) {
		if f, ok := files[path]; ok {
			return f, nil
		}
		return file{}, &os.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
}
