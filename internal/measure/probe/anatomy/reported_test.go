package anatomy

import (
	"testing"

	"github.com/realiops/realiops/internal/test/servertest"
)

// Reported detects that an open session holds back its writes, and that it has reported them.
func TestReported(t *testing.T) {
	for _, version := range []string{"15", "18"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := servertest.Alone(t, version)
			pool := servertest.Connect(t, server)
			servertest.Exec(t, pool, "create extension pg_walinspect")
			servertest.Exec(t, pool, "create table t (id int generated always as identity primary key, n int)")
			s, err := New(t.Context(), server.Config(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(t.Context())
			reported := func(since Mark) bool {
				all, err := s.Reported(t.Context(), since)
				if err != nil {
					t.Fatal(err)
				}
				return all
			}
			const flush = "select pg_stat_force_next_flush()"
			kept := false
			for range 20 { // a machine that stands still for a second lets it report
				servertest.Exec(t, pool, flush)
				since, err := s.Mark(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					servertest.Exec(t, pool, "insert into t (n) values (1)")
				}
				if kept = !reported(since); !kept {
					continue
				}
				servertest.Exec(t, pool, flush)
				// the background writer adds a record every fifteen seconds
				for !reported(since) {
					servertest.Exec(t, pool, flush)
				}
				break
			}
			if !kept {
				t.Error("it was never known to keep anything to itself")
			}
			if reported(Mark{}) {
				t.Error("all was reported since nobody knows when")
			}
		})
	}
}
