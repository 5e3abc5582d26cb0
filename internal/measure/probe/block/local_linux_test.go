package block

import (
	"os"
	"testing"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/server/servertest"
	"github.com/realiops/realiops/internal/runfile"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

func TestDataDirectoryOfARealServer(t *testing.T) {
	session := servertest.Connect(t, servertest.Database(t, "17"))
	pid := servertest.Value[int](t, session, "select pg_backend_pid()")
	configured := servertest.Value[string](t, session, "show data_directory")
	for _, setting := range []string{configured, ""} {
		if got, err := LocalDataDirectory(pid, setting); err != nil || !same(got, configured) {
			t.Errorf("with the setting %q: %q, %v", setting, got, err)
		}
	}
	refused := func(pid int, setting string) {
		t.Helper()
		if got, err := LocalDataDirectory(pid, setting); err == nil || probe.GapOf(err).Reason != runfile.NotLocal {
			t.Errorf("process %d and the setting %q: %q, %v", pid, setting, got, err)
		}
	}
	refused(os.Getpid(), configured) // this is no PostgreSQL
	refused(pid, t.TempDir())
}
