//go:build unix

package embedded

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/scratch"
)

// Nothing stays, whatever realiops is doing when it is killed.
func TestKilledRealiopsLeavesNothing(t *testing.T) {
	check := func(doing string, o Options, stage string) {
		t.Run(doing, func(t *testing.T) {
			if o.Repository == "" {
				fetched(t, "")
			}
			o.DataDir = newDataDir(t)
			h := startHolder(t, o)
			h.until(t, stage)
			if err := h.command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			checkSoonGone(t, o.DataDir)
		})
	}
	cache := t.TempDir()
	check("downloading", Options{Repository: silentMirror(t), CacheDir: cache}, "downloading")
	if staging, _ := filepath.Glob(filepath.Join(cache, "realiops-fetch-*")); len(staging) > 0 {
		t.Errorf("left in the cache: %q", staging)
	}
	check("initializing", Options{}, "initializing")
	check("holding", Options{}, "supervisor")
}

// silentMirror accepts requests and never answers.
func silentMirror(t *testing.T) string {
	quiet := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-quiet:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(quiet); s.Close() })
	return s.URL
}

// When the supervisor is killed another one takes its place, and the server goes on.
func TestKilledSupervisorIsReplaced(t *testing.T) {
	fetched(t, "")
	dataDir := newDataDir(t)
	h := startHolder(t, Options{DataDir: dataDir})
	kill(t, pidIn(t, h.until(t, "supervisor")), syscall.SIGKILL)
	h.until(t, "supervisor") // another one, once it knows everything
	kill(t, strconv.Itoa(h.command.Process.Pid), syscall.SIGKILL)
	checkSoonGone(t, dataDir)
}

// pidIn returns the number at the end of a line.
func pidIn(t *testing.T, line string) string {
	t.Helper()
	fields := strings.Fields(line)
	return fields[len(fields)-1]
}

func waitForDeath(t *testing.T, s *Server, cause string) {
	t.Helper()
	select {
	case <-s.Died():
	case <-time.After(time.Minute):
		t.Fatal("the server's death was not noticed")
	}
	if s.Cause() == nil || s.Cause().Error() != cause {
		t.Errorf("cause %v, want %s", s.Cause(), cause)
	}
}

// When realiops and its supervisor are killed at once, only the server can end itself;
// the next start removes the rest.
func TestNextStartSweeps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a kernel that tells a child of its parent's death")
	}
	fetched(t, "")
	dataDir := newDataDir(t)
	if err := os.Mkdir(dataDir, 0o755); err != nil {
		t.Fatal(err)
	}
	h := startHolder(t, Options{DataDir: dataDir})
	watcher := pidIn(t, h.until(t, "supervisor"))
	servers, _ := filepath.Glob(filepath.Join(dataDir, runPrefix+"*", dataName, "postmaster.pid"))
	if len(servers) != 1 {
		t.Fatalf("servers %q, want one", servers)
	}
	server := firstLine(t, servers[0])
	checkHoldsLock(t, server)
	killBoth(t, h, watcher)
	stale, _ := filepath.Glob(filepath.Join(dataDir, runPrefix+"*"))
	if len(stale) != 1 {
		t.Fatalf("after the kill there is %q, want one directory", stale)
	}
	if !lockComesFree(t, stale[0]) {
		kill(t, server, syscall.SIGQUIT)
		t.Fatal("the server goes on without realiops")
	}
	s := start(t, Options{DataDir: dataDir})
	if _, err := os.Stat(stale[0]); err == nil {
		t.Errorf("%s is still there", stale[0])
	}
	sweep(dataDir) // must not touch a directory in use
	if got := ask(t, s.DSN(), "select 'alive'"); got != "alive" {
		t.Errorf("the server says %s", got)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	checkNothingIn(t, dataDir)
	if _, err := os.Stat(dataDir); err != nil {
		t.Errorf("a directory that was there before is gone: %v", err)
	}
}

// killBoth kills realiops and its supervisor. It stops realiops first, so that it starts no other supervisor.
func killBoth(t *testing.T, h *holder, watcher string) {
	t.Helper()
	parent := strconv.Itoa(h.command.Process.Pid)
	kill(t, parent, syscall.SIGSTOP)
	kill(t, watcher, syscall.SIGKILL)
	kill(t, parent, syscall.SIGKILL)
}

// checkHoldsLock checks that the server has the lock open, which keeps others from sweeping its directory.
func checkHoldsLock(t *testing.T, pid string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/" + pid + "/fd/*")
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil && filepath.Base(target) == scratch.LockName {
			return
		}
	}
	t.Errorf("the server %s does not hold the lock", pid)
}

// lockComesFree waits until the last process of a server has ended.
func lockComesFree(t *testing.T, directory string) bool {
	t.Helper()
	for range 1000 { // 20 seconds
		free, release, err := scratch.Free(directory)
		if err != nil {
			t.Fatal(err)
		}
		if free {
			release()
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

func TestCauseOfDeath(t *testing.T) {
	check := func(name string, o Options, kill func(*testing.T, *Server) (cause string)) {
		t.Run(name, func(t *testing.T) {
			o.DataDir = newDataDir(t)
			s := start(t, o)
			waitForDeath(t, s, kill(t, s))
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			checkGone(t, o.DataDir)
		})
	}
	signal := func(with syscall.Signal) func(*testing.T, *Server) string {
		return func(t *testing.T, s *Server) string {
			kill(t, firstLine(t, filepath.Join(s.Target().Storage.Directory, "postmaster.pid")), with)
			return map[syscall.Signal]string{
				syscall.SIGKILL: "its process exited (signal: killed)",
				syscall.SIGINT:  "received fast shutdown request",
			}[with]
		}
	}
	check("killed", Options{}, signal(syscall.SIGKILL))
	check("stopped by somebody", Options{}, signal(syscall.SIGINT))
	check("a session killed", Options{Version: "17"}, func(t *testing.T, s *Server) string {
		conn, err := pgx.Connect(t.Context(), s.DSN())
		if err != nil {
			t.Fatal(err)
		}
		pid := strconv.Itoa(int(conn.PgConn().PID()))
		kill(t, pid, syscall.SIGKILL)
		return "server process (PID " + pid + ") was terminated by signal 9: Killed"
	})
}

func kill(t *testing.T, pid string, with syscall.Signal) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, with); err != nil {
		t.Fatal(err)
	}
}

func firstLine(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
