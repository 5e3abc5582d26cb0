package embedded

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// PostgreSQL's last messages, as versions 13 to 18 and initdb wrote them in these situations.
func TestComplaint(t *testing.T) {
	check := func(name, log, want string) {
		t.Run(name, func(t *testing.T) {
			if got := complaint(strings.Split(strings.TrimSpace(log), "\n")); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	check("full disk", `
2026-11-20 06:40:11.040 UTC [28021] LOG:  database system is ready to accept connections
2026-11-20 06:41:02.761 UTC [28023] PANIC:  could not write to file "pg_wal/xlogtemp.28023": No space left on device
2026-11-20 06:41:02.761 UTC [28023] STATEMENT:  create table u as select 1
2026-11-20 06:41:03.101 UTC [28010] LOG:  server process (PID 28023) was terminated by signal 6: Aborted
2026-11-20 06:41:03.101 UTC [28010] LOG:  terminating any other active server processes
2026-11-20 06:41:03.110 UTC [28010] LOG:  shutting down because "restart_after_crash" is off
`, `could not write to file "pg_wal/xlogtemp.28023": No space left on device`)
	check("a session killed", `
2026-11-20 06:41:02.000 UTC [3] FATAL:  password authentication failed for user "postgres"
2026-11-20 06:41:03.101 UTC [1] LOG:  server process (PID 2) was terminated by signal 9: Killed
2026-11-20 06:41:03.101 UTC [1] LOG:  terminating any other active server processes
2026-11-20 06:41:03.110 UTC [1] LOG:  shutting down because "restart_after_crash" is off
`, "server process (PID 2) was terminated by signal 9: Killed")
	check("stopped by somebody", `
2026-11-20 06:41:03.101 UTC [1] LOG:  received fast shutdown request
2026-11-20 06:41:03.101 UTC [9] FATAL:  terminating connection due to administrator command
2026-11-20 06:41:03.110 UTC [1] LOG:  database system is shut down
`, "received fast shutdown request")
	check("a setting that is not", `
2026-11-20 06:35:01.000 UTC [7] LOG:  unrecognized configuration parameter "nonsense" in file "/tmp/x/data/postgresql.conf" line 837
2026-11-20 06:35:01.000 UTC [7] FATAL:  configuration file "/tmp/x/data/postgresql.conf" contains errors
`, `unrecognized configuration parameter "nonsense"`)
	check("no memory", `
2026-11-20 06:35:01.000 UTC [7] FATAL:  could not map anonymous shared memory: Cannot allocate memory
2026-11-20 06:35:01.000 UTC [7] HINT:  This error usually means that PostgreSQL's request for a shared memory segment exceeded
2026-11-20 06:35:01.000 UTC [7] LOG:  database system is shut down
`, "could not map anonymous shared memory: Cannot allocate memory")
	check("settings that do not fit each other, said before there is a log", `
postgres: superuser_reserved_connections (3) plus reserved_connections (0) must be less than max_connections (1)
`, "superuser_reserved_connections (3) plus reserved_connections (0) must be less than max_connections (1)")
	check("initdb", `
running bootstrap script ... initdb: error: could not look up effective user ID 4242: user does not exist
`, "could not look up effective user ID 4242: user does not exist")
	check("nothing wrong", `
2026-11-20 06:40:11.040 UTC [28021] LOG:  database system is ready to accept connections
`, "")
}

func TestJournalKeepsTheEnd(t *testing.T) {
	j := &journal{file: fullDisk{}}
	for range 3 * journalSize / 100 {
		if n, err := j.Write([]byte(strings.Repeat("x", 99) + "\n")); n != 100 || err != nil {
			t.Fatalf("%d, %v, want 100 and no error", n, err)
		}
	}
	_, _ = j.Write([]byte("the last words\n"))
	if len(j.tail) > journalSize {
		t.Errorf("%d bytes in memory, want at most %d", len(j.tail), journalSize)
	}
	failed := exec.CommandContext(t.Context(), "false").Run()
	if got := j.explain(failed); got.Error() != "the last words" {
		t.Errorf("explained as %q", got)
	}
	j.forget()
	if got := j.explain(failed); got != failed {
		t.Errorf("after forgetting explained as %q, want %q", got, failed)
	}
}

// fullDisk fails every write.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func (fullDisk) Close() error { return nil }
