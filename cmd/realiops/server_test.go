//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/test/process"
)

// held is a realiops server process with its PostgreSQL.
type held struct {
	*process.Process
	url   string
	place string // for its temporary files
}

// holdServer starts a command that holds a server, with its temporary files in place.
func holdServer(t *testing.T, c *exec.Cmd, place string) *held {
	t.Helper()
	c.Env = append(os.Environ(), "TMPDIR="+place)
	c.Dir = place
	h := &held{Process: start(t, c), place: place}
	must(t, h.Await("an address", func() bool { return strings.HasSuffix(h.Out.String(), "\n") }))
	h.url = strings.TrimSpace(h.Out.String())
	return h
}

// serverPID returns the server's process, which must exist.
func (h *held) serverPID(t *testing.T) int {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(h.place, "*", "data", "postmaster.pid"))
	if len(files) != 1 {
		t.Fatalf("servers in %s: %q, want one", h.place, files)
	}
	return postmaster(t, filepath.Dir(files[0]))
}

func (h *held) checkNothingLeft(t *testing.T, server int) {
	t.Helper()
	var left []string
	for range 1200 { // a minute
		left, _ = filepath.Glob(filepath.Join(h.place, "*"))
		if len(left) == 0 && syscall.Kill(server, 0) == syscall.ESRCH {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("after a minute there is still the server %d or something in its place: %q", server, left)
}

// However the program ends, neither a server nor its files stay.
func TestServerEndsWithItsProgram(t *testing.T) {
	t.Parallel()
	check := func(name string, as *syscall.Credential, end func(pid int) error, code int, args ...string) {
		t.Run(name, func(t *testing.T) {
			command := realiops(t, append([]string{"server"}, args...)...)
			command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as} // as from a shell
			h := holdServer(t, command, openDirectory(t))
			conn, err := pgx.Connect(t.Context(), h.url)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.Background())
			server := h.serverPID(t)
			must(t, end(h.Process.Process.Pid))
			if got := h.Wait(); got != code {
				t.Errorf("exit code %d, want %d: %s", got, code, h.Err)
			}
			h.checkNothingLeft(t, server)
		})
	}
	interrupted := func(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) } // Ctrl-C reaches the whole group
	terminated := func(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }
	killed := func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }
	check("Ctrl-C", nil, interrupted, 0)
	check("SIGTERM", nil, terminated, 0)
	check("kill -9", nil, killed, -1)
	if nobody := ordinary(t); nobody != nil {
		check("kill -9 of an ordinary user's", nobody, killed, -1, "--pg-bin", "installed")
	}
}

// ordinary returns an ordinary user for root; nil for other users, or if no server is installed that it could run.
func ordinary(t *testing.T) *syscall.Credential {
	t.Helper()
	servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	nobody, err := user.Lookup("nobody")
	if os.Geteuid() != 0 || len(servers) == 0 || err != nil {
		t.Logf("without root, nobody and an installed server (%q) there is no other user to try", servers)
		return nil
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
