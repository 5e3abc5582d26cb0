package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/realiops/realiops/internal/test/process"
)

// workshop keeps one build of the program for all tests, which every user can run.
type workshop struct{ m interface{ Run() int } }

var shared struct {
	directory string
	build     func() (string, error)
}

func (w workshop) Run() int {
	directory, err := os.MkdirTemp("", "realiops-built-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(directory)
	if err := os.Chmod(directory, 0o755); err != nil { //nolint:gosec // every user
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared.directory = directory
	shared.build = sync.OnceValues(func() (string, error) { return process.Build(directory) })
	return w.m.Run()
}

// built returns the program as users have it: without the race detector.
func built(t testing.TB) string {
	t.Helper()
	program, err := shared.build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// realiops prepares a command of the program.
func realiops(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), built(t), args...)
}

// raced prepares the same with the race detector, if the tests have it: this test binary under the program's name. It
// is several times slower, so only one test of each concurrent feature uses it.
func raced(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Args[0] = "realiops" // the name by which testscript.Main starts the program
	return c
}

// start starts a command.
func start(t testing.TB, c *exec.Cmd) *process.Process {
	t.Helper()
	p, err := process.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// must ends a test whose condition never held.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// postmaster returns the process of a data directory's server.
func postmaster(t testing.TB, directory string) int {
	t.Helper()
	pid, err := process.Postmaster(directory)
	must(t, err)
	return pid
}

// openDirectory returns a directory that every user can enter, unlike t.TempDir.
func openDirectory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "realiops-test-")
	must(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	must(t, os.Chmod(dir, 0o777|os.ModeSticky))
	return dir
}
