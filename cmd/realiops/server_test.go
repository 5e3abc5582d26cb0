package main

import (
	"bufio"
	"bytes"
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
)

// held is a realiops server: the program as it is built, holding a PostgreSQL.
type held struct {
	command *exec.Cmd
	stderr  bytes.Buffer
	url     string
	place   string // where it makes its temporary files
}

// buildProgram builds realiops where every user can run it.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(openDirectory(t), "realiops")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// openDirectory is a directory that every user can use, which one of t.TempDir is not.
func openDirectory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "realiops-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

// holdServer starts the program, as the head of a process group like one that a shell started.
func holdServer(t *testing.T, program string, as *syscall.Credential, args ...string) *held {
	t.Helper()
	h := &held{command: exec.CommandContext(t.Context(), program, append([]string{"server"}, args...)...), place: openDirectory(t)}
	h.command.Env = append(os.Environ(), "TMPDIR="+h.place)
	h.command.Dir = h.place
	h.command.Stderr = &h.stderr
	h.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as}
	out, err := h.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v, %v\n%s", err, h.command.Wait(), &h.stderr)
	}
	h.url = strings.TrimSpace(line)
	return h
}

// serverPID is the server's process, which must be there.
func (h *held) serverPID(t *testing.T) int {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(h.place, "*", "data", "postmaster.pid"))
	if len(files) != 1 {
		t.Fatalf("servers in %s: %q, want one", h.place, files)
	}
	return postmaster(t, filepath.Dir(files[0]))
}

// postmaster is the process of the server that has a data directory, as it says there itself.
func postmaster(t *testing.T, directory string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
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

// However the program ends, neither a server nor a file of it stays.
func TestServerEndsWithItsProgram(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	check := func(name string, as *syscall.Credential, end func(pid int) error, code int, args ...string) {
		t.Run(name, func(t *testing.T) {
			h := holdServer(t, program, as, args...)
			conn, err := pgx.Connect(t.Context(), h.url)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.Background())
			server := h.serverPID(t)
			if err := end(h.command.Process.Pid); err != nil {
				t.Fatal(err)
			}
			_ = h.command.Wait()
			if got := h.command.ProcessState.ExitCode(); got != code {
				t.Errorf("exit code %d, want %d: %s", got, code, &h.stderr)
			}
			h.checkNothingLeft(t, server)
		})
	}
	interrupted := func(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) } // Ctrl-C goes to the whole group
	terminated := func(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }
	killed := func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }
	check("Ctrl-C", nil, interrupted, 0)
	check("SIGTERM", nil, terminated, 0)
	check("kill -9", nil, killed, -1)
	if nobody := ordinary(t); nobody != nil {
		check("kill -9 of an ordinary user's", nobody, killed, -1, "--pg-bin", "installed")
	}
}

// ordinary is a user who is not root; nil where we are none ourselves, or where no server is installed for it to run.
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
