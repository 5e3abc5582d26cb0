//go:build unix

package runfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRunsOfOthers: runs are not written to a directory that somebody has planted, nor is one there the last run.
func TestRunsOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	t.Chdir(t.TempDir())
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	id := NewID(time.Now())
	const other = 4242
	refused := func(what string, says ...string) {
		t.Helper()
		_, err := Create(DefaultPath(id))
		for _, part := range append(says, "-o") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: a run is kept there: %v, want %s", what, err, part)
			}
		}
		if _, err := os.Lstat(DefaultPath(id)); err == nil {
			t.Errorf("%s: the run file was made", what)
		}
		if path, err := Resolve(Latest); err == nil || !strings.Contains(err.Error(), "name the file instead of LAST") {
			t.Errorf("%s: LAST is %s, %v", what, path, err)
		}
	}
	try(os.Chmod(".", 0o1777))
	try(os.Mkdir(Directory, 0o755))
	try(os.WriteFile(filepath.Join(Directory, "planted.jsonl"), nil, 0o644))
	try(os.Chown(Directory, other, other))
	refused("a directory of somebody else's", "user 4242")
	try(os.Chown(Directory, 0, 0))
	try(os.Chmod(Directory, 0o777))
	refused("a directory for everybody", "mode 0777")
	try(os.Chmod(Directory, 0o755))
	try(os.Chown(filepath.Join(Directory, "planted.jsonl"), other, other))
	if path, err := Resolve(Latest); err == nil ||
		!strings.Contains(err.Error(), "planted.jsonl is owned by the user 4242") {
		t.Errorf("a file of somebody else's: LAST is %s, %v", path, err)
	}
	try(os.RemoveAll(Directory))
	try(os.Mkdir("theirs", 0o755))
	try(os.Chown("theirs", other, other))
	try(os.WriteFile(filepath.Join("theirs", "planted.jsonl"), nil, 0o644))
	try(os.Symlink("theirs", Directory))
	refused("a link to a directory of somebody else's", "user 4242")
	try(os.Lchown(Directory, other, other))
	refused("a link of somebody else's", "a link owned by the user 4242")

	t.Setenv("SUDO_UID", "4242")
	w, err := Create(DefaultPath(id))
	try(err)
	try(w.Close())
	if path, err := Resolve(Latest); err != nil {
		t.Errorf("under sudo of its owner: LAST is %s, %v", path, err)
	}
}
