package run_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// A server of the user's lives on, whose disk the loads would fill.
func TestTheLoadsFillNoDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting takes root")
	}
	dataDir, err := os.MkdirTemp("", "realiops-test-") // where the server's user may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dataDir) })
	if err := unix.Mount("tmpfs", dataDir, "tmpfs", 0, "size=1100m,mode=755"); err != nil {
		t.Skip("mount a small file system:", err)
	}
	t.Cleanup(func() { // after the server
		if err := unix.Unmount(dataDir, 0); err != nil {
			t.Error(err)
		}
	})
	s := servertest.Start(t, embedded.Options{Version: "17", DataDir: dataDir, AllowRAM: true, Settings: []string{"max_wal_size=10GB"}})
	var is unix.Statfs_t
	if err := unix.Statfs(dataDir, &is); err != nil {
		t.Fatal(err)
	}
	used := int64(is.Blocks-is.Bfree) * int64(is.Bsize) //nolint:unconvert // widths differ by system
	if err := unix.Mount("tmpfs", dataDir, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%d", used+500<<20)); err != nil {
		t.Fatal(err)
	}
	wide := runfile.Load{Name: "wide", Method: load.InsertValues, RowsPerTx: 100, Width: 1024, Clients: 4}
	r := newTrialOf(t, s.DSN(), runfile.Plan{Name: "test", Loads: []runfile.Load{wide}, Repetitions: 1, LoadSeconds: 60, Seed: 1})
	recorded, err := run.Do(t.Context(), r.options)
	if !recorded || err == nil || !strings.Contains(err.Error(), "the disk under the server's data has only ") {
		t.Errorf("recorded %v, %v, told %q", recorded, err, r.show.messages)
	}
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	if left := servertest.Value[int](t, boss, "select count(*)::int from pg_namespace where nspname = 'realiops'"); left != 0 {
		t.Error("its schema is left")
	}
}
