package run_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The user's server survives loads that would fill its disk.
func TestTheLoadsFillNoDisk(t *testing.T) {
	dataDir, leave := servertest.SmallDisk(t)
	s := servertest.Start(t, embedded.Options{Version: "17", DataDir: dataDir, AllowRAM: true, Settings: []string{"max_wal_size=10GB"}})
	leave(500 << 20)
	wide := runfile.Load{Name: "wide", Method: load.InsertValues, RowsPerTx: 100, Width: 1024, Clients: 4}
	r := newTrialOf(t, s.DSN(), runfile.Plan{Name: "test", Loads: []runfile.Load{wide}, Repetitions: 1, LoadSeconds: 60, Seed: 1})
	recorded, err := run.Do(t.Context(), r.options)
	if !recorded || err == nil || !strings.Contains(err.Error(), "the disk with the server's data has only ") {
		t.Errorf("recorded %v, %v, told %q", recorded, err, r.show.messages)
	}
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	if left := servertest.Value[int](t, boss, "select count(*)::int from pg_namespace where nspname = 'realiops'"); left != 0 {
		t.Error("its schema is left")
	}
}
