package block

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

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

// The server is told to write a known number of bytes where they reach no disk. When the session that did so has ended,
// they are on the postmaster's account.
func TestProcessesOfARealServer(t *testing.T) {
	dsn := servertest.Database(t, "17")
	session := servertest.Connect(t, dsn)
	s, err := New(Layout{Data: servertest.Value[string](t, session, "show data_directory")})
	if err != nil {
		t.Fatal(err)
	}
	written := func() float64 {
		t.Helper()
		sample, err := s.Sample(t.Context())
		bytes, read := sample.Values["block.process/wchar"]
		if err != nil || !read {
			t.Fatalf("%v, %v, %+v", err, read, sample.Gaps)
		}
		return bytes
	}
	const rows, row = 4096, 8192
	grew := func(when string, from float64) {
		t.Helper()
		if grown := written() - from; grown < rows*row || grown > rows*row*1.1 {
			t.Errorf("%s: grew by %v bytes, want %d and a little for the server's own", when, grown, rows*row)
		}
	}
	before := written()
	const statement = "copy (select repeat('x', 8191) from generate_series(1, 4096)) to '/dev/null'"
	if _, err := session.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	grew("while the session lives", before)
	pid := servertest.Value[int](t, session, "select pg_backend_pid()")
	if err := session.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 500 { // until the postmaster has taken note, at most 5 seconds
		if !exists("/proc/" + strconv.Itoa(pid)) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	grew("after its end", before)
}
