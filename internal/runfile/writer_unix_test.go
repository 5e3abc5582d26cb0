//go:build unix

package runfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunFilesAreForTheirOwner(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		mode := func(want os.FileMode) {
			t.Helper()
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s is %v (%v), want %v", name, info.Mode().Perm(), err, want)
			}
		}
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		mode(0o600)
		if err := w.Write(Run{Schema: Schema, ID: "x"}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		// A mode set by the user stays, torn end or not.
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, whole[:len(whole)-3], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		w, err = Append(path)
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Logf("%s: %v", name, err)
		}
		mode(0o640)
	}
}

// TestMendingWithoutRoomKeepsTheFile: without space for the mended file, the torn one stays the same.
func TestMendingWithoutRoomKeepsTheFile(t *testing.T) {
	path := saveInBlocks(t, "run.jsonl.zst")
	torn := contentOf(t, path)
	torn = torn[:len(torn)-3]
	if err := os.WriteFile(path, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, out := child(t, "go on without room", path)
	if !out.Scan() || !strings.HasSuffix(out.Text(), " true") {
		t.Errorf("got %q, and no file that is too large", out.Text())
	}
	_ = cmd.Wait()
	if diff := cmp.Diff(torn, contentOf(t, path)); diff != "" {
		t.Errorf("the file has changed: %s", diff)
	}
	if _, err := os.Lstat(path + ".mended"); !os.IsNotExist(err) {
		t.Errorf("what was begun stays: %v", err)
	}
}
