package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// process lays a process out as /proc shows it.
func process(t *testing.T, proc string, pid int, title, known, works string) {
	t.Helper()
	directory := filepath.Join(proc, fmt.Sprint(pid))
	status := fmt.Sprintf("Name:\tpostgres\nTgid:\t%d\nPid:\t%d\nUid:\t104\t104\t104\t104\nGid:\t104\t104\t104\t104\nNSpid:\t%s\n", pid, pid, known)
	if err := os.MkdirAll(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"cmdline": title, "status": status} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if works == "" {
		return
	}
	if err := os.Symlink(works, filepath.Join(directory, "cwd")); err != nil {
		t.Fatal(err)
	}
}

func TestDataDirectory(t *testing.T) {
	proc, data, other := t.TempDir(), t.TempDir(), t.TempDir()
	backend := "postgres: me shop [local] idle"
	process(t, proc, 100, backend, "100", data)
	process(t, proc, 101, backend, "101", "") // another user's: its directory is hidden
	process(t, proc, 102, "nginx: worker process", "102", data)
	process(t, proc, 103, backend, "103\t42", data)                      // in a container
	process(t, proc, 104, backend, "104", "/not/in/our/mount/namespace") // in another mount namespace
	found := func(pid int, configured, want string) {
		t.Helper()
		got, err := dataDirectory(proc, pid, configured)
		if err != nil || !Same(got, want) {
			t.Errorf("process %d, configured %q: %q, %v", pid, configured, got, err)
		}
	}
	refused := func(pid int, configured string, reason runfile.Reason, words string) {
		t.Helper()
		got, err := dataDirectory(proc, pid, configured)
		if err == nil || probe.GapOf(err).Reason != reason || !strings.Contains(err.Error(), words) {
			t.Errorf("process %d, configured %q: %q, %v", pid, configured, got, err)
		}
	}
	found(100, data, data)
	found(101, data, data) // by the setting alone
	refused(100, other, runfile.NotLocal, "says that it serves "+other)
	refused(101, "", runfile.Permission, "grant pg_read_all_settings")
	refused(101, "/not/here", runfile.NotLocal, "/not/here is not to be seen")
	refused(102, data, runfile.NotLocal, "process 102 is not PostgreSQL here")
	refused(103, data, runfile.NotLocal, "in a container")
	refused(42, data, runfile.NotLocal, "process 42 is not PostgreSQL here")
	refused(104, data, runfile.NotLocal, "sees other file systems")
}
