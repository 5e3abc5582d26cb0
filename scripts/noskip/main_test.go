package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// source is a package with tests of every outcome; the real go test runs it.
const source = `package some

import "testing"

func TestPasses(t *testing.T)  {}
func TestSkipped(t *testing.T) { t.Log("a note"); t.Skip("no engine answers") }
func TestMute(t *testing.T)    { t.SkipNow() }
func TestParent(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad one", func(t *testing.T) { t.Skip("no disk") })
}
func TestParents(t *testing.T) {}
`

func TestNoSkip(t *testing.T) {
	work := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("go.mod", "module "+strings.TrimSuffix(module, "/")+"\n")
	write("internal/some/some_test.go", source)
	run := exec.Command("go", "test", "-json", "./...")
	run.Dir = work
	run.Env = append(os.Environ(), "GOFLAGS=")
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	events := write("events.json", string(out))

	verdict := func(list string, want ...string) {
		t.Helper()
		got, err := check(write("list", list), events)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", list, diff)
		}
	}
	verdict("# nothing\n\n")
	verdict("internal/some TestPasses # always\n internal/some TestParents\n")
	verdict("internal/some TestSkipped", "internal/some TestSkipped was skipped: some_test.go:6: no engine answers")
	verdict("internal/some TestMute", "internal/some TestMute was skipped: ")
	verdict("internal/some TestParent", "internal/some TestParent/bad_one was skipped: some_test.go:10: no disk")
	verdict("internal/some TestRenamed\ninternal/gone\ninternal/gone TestPasses",
		"internal/some TestRenamed did not run", "internal/gone did not run", "internal/gone TestPasses did not run")
	verdict("internal/some", "internal/some TestSkipped was skipped: some_test.go:6: no engine answers",
		"internal/some TestMute was skipped: ", "internal/some TestParent/bad_one was skipped: some_test.go:10: no disk")

	if _, err := check(write("list", "internal/some TestPasses for sure"), events); err == nil {
		t.Error("a line of too many words was taken")
	}
	if _, err := check(write("list", ""), write("events.json", "{}\nPASS\n")); err == nil {
		t.Error("what is no event was taken")
	}
	if _, err := check(filepath.Join(work, "none"), events); err == nil {
		t.Error("a list that is not there was taken")
	}
}
