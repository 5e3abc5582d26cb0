package block

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// unpack lays a machine out in a directory: the files of an archive, symbolic links where a name has an arrow, and
// $ROOT for that directory in their targets.
func unpack(t testing.TB, name string) string {
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
func machine(t testing.TB, name string) host {
	t.Helper()
	root := unpack(t, name)
	files := listed(t, root)
	return host{
		proc: filepath.Join(root, "proc"), sys: filepath.Join(root, "sys"),
		look: func(path string) (file, error) {
			if f, ok := files[path]; ok {
				return f, nil
			}
			return file{}, &os.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
		},
		list: func(directory string) ([]string, error) {
			var names []string
			for path := range files {
				if filepath.Dir(path) == directory {
					names = append(names, filepath.Base(path))
				}
			}
			slices.Sort(names)
			return names, nil
		},
	}
}

// listed are the archive's files, by its st_dev, which stands for what stat(2) says of each.
func listed(t testing.TB, root string) map[string]file {
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
	return files
}
