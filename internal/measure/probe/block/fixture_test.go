package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/realiops/realiops/internal/measure/layout"
)

// unpack creates the files of an archive in a directory. A name with an arrow is a symbolic link; $ROOT
// in its target is that directory.
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

// machine returns the host that an archive describes.
func machine(t testing.TB, name string) host {
	t.Helper()
	root := unpack(t, name)
	files := listed(t, root)
	return host{
		proc: filepath.Join(root, "proc"), sys: filepath.Join(root, "sys"),
		look: func(path string) (layout.Root, error) {
			if f, ok := files[path]; ok {
				return f, nil
			}
			return layout.Root{}, &os.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
		},
	}
}

// rootsOf returns the roots of a server in an archive, with tablespace 16400 for temporary files if asked for.
func rootsOf(h host, data string, temp ...uint32) []layout.Root {
	root := func(role layout.Role, oid uint32, path string) layout.Root {
		r, err := h.look(path)
		r.Role, r.OID, r.Temp, r.Err = role, oid, slices.Contains(temp, oid), err
		if err != nil {
			r.Path = path
		}
		if oid > 0 {
			r.Name = fmt.Sprint("space", oid)
		}
		return r
	}
	all := []layout.Root{root(layout.Data, 0, data)}
	for _, r := range []layout.Root{
		root(layout.WAL, 0, filepath.Join(data, "pg_wal")),
		root(layout.Tablespaces, 16400, filepath.Join(data, "pg_tblspc/16400")),
		root(layout.Tablespaces, 16401, filepath.Join(data, "pg_tblspc/16401")),
	} {
		if !errors.Is(r.Err, fs.ErrNotExist) {
			all = append(all, r)
		}
	}
	return all
}

// listed returns the archive's files with their device numbers, from its st_dev.
func listed(t testing.TB, root string) map[string]layout.Root {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(root, "st_dev"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]layout.Root{}
	for line := range strings.Lines(string(list)) {
		at := strings.LastIndex(line, " ")
		f := layout.Root{Path: line[:at]}
		if _, err := fmt.Sscanf(line[at:], "%d:%d", &f.Major, &f.Minor); err != nil {
			t.Fatalf("st_dev: %q: %v", line, err)
		}
		files[f.Path] = f
	}
	return files
}

// realRoots returns a server's roots on this machine.
func realRoots(t *testing.T, server layout.Server) []layout.Root {
	t.Helper()
	l, err := layout.Find(server)
	if err != nil {
		t.Fatal(err)
	}
	return l.Roots
}
