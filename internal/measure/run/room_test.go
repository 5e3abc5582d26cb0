package run

import (
	"testing"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The size of the table of the loads that read follows the server's settings, with huge pages or without. The load
// that sorts it runs only if temp_file_limit allows files as large.
func TestTheTableGoesByTheServersSettings(t *testing.T) {
	const mebibyte = 1 << 20
	server := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"shared_buffers=24MB",
		"huge_pages=try", "temp_file_limit=30MB", "track_io_timing=off"}})
	conn := servertest.Connect(t, servertest.Endpoint(t, server.DSN()))
	m := &measurement{session: &target.Session{Control: conn}}
	for limit, sorts := range map[string]bool{"30MB": false, "-1": true} {
		servertest.Exec(t, conn, "set temp_file_limit = '"+limit+"'")
		room, err := m.room(t.Context(), &experiment.Experiment{
			Layout: &layout.Layout{Roots: []layout.Root{{Path: t.TempDir()}}}})
		if err != nil || room.Buffers != 24*mebibyte || room.Free <= 0 || room.Temp >= 0 == sorts || room.Temp >= 0 &&
			room.Temp != 30*mebibyte {
			t.Errorf("temp_file_limit %s: %+v, %v", limit, room, err)
		}
		plan, _ := experiment.FitTable(runfile.Plan{Loads: load.ReadLoads()}, room)
		sorted := false
		for _, l := range plan.Loads {
			sorted = sorted || l.Method == load.Sort
			if l.TableRows != load.RowsIn(2*24*mebibyte) {
				t.Errorf("%s has a table of %d rows", l.Name, l.TableRows)
			}
		}
		if sorted != sorts {
			t.Errorf("temp_file_limit %s: it sorts: %t", limit, sorted)
		}
	}
}
