package block

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

func TestLocalDataDirectory(t *testing.T) {
	root := unpack(t, "processes")
	h := host{proc: filepath.Join(root, "proc")}
	data, other := filepath.Join(root, "host/data"), filepath.Join(root, "host/other")
	found := func(pid int, configured, want string) {
		t.Helper()
		got, err := h.dataDirectory(pid, configured)
		if err != nil || !same(got, want) {
			t.Errorf("process %d, configured %q: %q, %v", pid, configured, got, err)
		}
	}
	refused := func(pid int, configured string, reason runfile.Reason, words string) {
		t.Helper()
		got, err := h.dataDirectory(pid, configured)
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
