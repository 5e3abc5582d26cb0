//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/servertest"
)

// stopped is a realiops in the middle of a run, with its server's data in its own place.
type stopped struct {
	*process.Process
	file, data string
}

// startRun starts a run and returns when its first load has begun.
func startRun(t *testing.T, args ...string) *stopped {
	t.Helper()
	data, err := os.MkdirTemp("", "realiops-stop-") // the server's user can enter it, unlike t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &stopped{file: filepath.Join(t.TempDir(), "run.jsonl"), data: filepath.Join(data, "data")}
	s.Process = start(t, raced(t, append([]string{"run", "-o", s.file, "--data-dir", s.data, "--plan", bulkAlone(t)},
		args...)...))
	must(t, s.AwaitInFile(s.file, `"kind":"work"`))
	return s
}

// serverPID returns the server's process from its data directory, which the record names.
func (s *stopped) serverPID(t *testing.T) int {
	t.Helper()
	records, file, err := runfile.Open(s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for record := range records {
		if run, ok := record.(runfile.Run); ok {
			s.data = run.Target.Storage.Directory
			break
		}
	}
	return postmaster(t, s.data)
}

// checkNothingLeft waits until the server's process and its data are gone.
func (s *stopped) checkNothingLeft(t *testing.T, pid int) {
	t.Helper()
	for range 1200 { // a minute
		_, err := os.Stat(s.data)
		if errors.Is(err, os.ErrNotExist) && syscall.Kill(pid, 0) == syscall.ESRCH {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("after a minute there is still the server %d or its data in %s", pid, s.data)
}

// ends returns the file's end line, and whether its last line was torn.
func (s *stopped) ends(t *testing.T) (end runfile.Ended, torn bool) {
	t.Helper()
	records, file, err := runfile.Open(s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for record, err := range records {
		if _, torn = errors.AsType[*runfile.TornError](err); torn {
			return end, true
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := record.(runfile.Ended); ok {
			end = e
		}
	}
	return end, false
}

func TestSignalsEndARunInOrder(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			s := startRun(t)
			pid := s.serverPID(t)
			if err := s.Process.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if code := s.Wait(); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			s.checkNothingLeft(t, pid)
			if end, torn := s.ends(t); end.Status != runfile.Interrupted || torn {
				t.Errorf("the file ends with %+v, torn: %v", end, torn)
			}
			if !strings.Contains(s.Out.String(), "The run was interrupted") ||
				!strings.Contains(s.Err.String(), "kept in "+s.file) {
				t.Errorf("it printed\n%s%s", s.Out, s.Err)
			}
		})
	}
}

func TestKillLeavesTheRecordAndNoServer(t *testing.T) {
	t.Parallel()
	s := startRun(t)
	pid := s.serverPID(t)
	if err := s.Process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if code := s.Wait(); code != -1 {
		t.Errorf("exit code %d of a killed process", code)
	}
	s.checkNothingLeft(t, pid)
	if end, _ := s.ends(t); end.Status != "" {
		t.Errorf("a killed run has the end line %+v", end)
	}
	if out, err := realiops(t, "report", s.file).CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "PostgreSQL 17") {
		t.Errorf("report: %v\n%s", err, out)
	}
}

func TestServerThatDiesEndsTheRunWithItsCause(t *testing.T) {
	t.Parallel()
	s := startRun(t)
	pid := s.serverPID(t)
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil { // immediate shutdown, as after a crash
		t.Fatal(err)
	}
	if code := s.Wait(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	s.checkNothingLeft(t, pid)
	end, torn := s.ends(t)
	if end.Status != runfile.Broken || !strings.Contains(end.Cause, "the server died") || torn {
		t.Errorf("the file ends with %+v, torn: %v", end, torn)
	}
	if lines := strings.Count(s.Err.String(), "realiops:"); lines != 1 {
		t.Errorf("%d lines of error:\n%s", lines, s.Err)
	}
}

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := startRun(t)
	pid := s.serverPID(t)
	thaw := freeze(t, pid) // so that the first one has to wait
	interrupt := func() {
		t.Helper()
		if err := s.Process.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	interrupt()
	must(t, s.AwaitText("nterrupt again to end at once"))
	interrupt()
	inOrder := time.AfterFunc(30*time.Second, thaw)
	if code := s.Wait(); code != -1 || !inOrder.Stop() {
		t.Errorf("exit code %d of what should not have waited for the server", code)
	}
	thaw()
	s.checkNothingLeft(t, pid)
}

// A measured command that ignores signals ends with realiops, and cannot go on writing to the server unseen.
func TestSecondInterruptEndsTheMeasuredCommand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	c := realiops(t, "measure", "--dsn", servertest.Alone(t, "17").Config().ConnString(), "-q", "--", "sh", "-c",
		"trap '' INT TERM; echo $$ >"+file+"; sleep 600")
	p := start(t, c)
	var pid int
	must(t, p.Await("the command", func() bool {
		text, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	}))
	must(t, p.Process.Signal(os.Interrupt))
	must(t, p.AwaitText("nterrupt again to end at once"))
	must(t, p.Process.Signal(os.Interrupt))
	if code := p.Wait(); code != -1 {
		t.Errorf("exit code %d", code)
	}
	for until := time.Now().Add(2 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the command goes on: %v", syscall.Kill(pid, syscall.SIGKILL))
		}
	}
}

// freeze stops a server until thaw is called.
func freeze(t *testing.T, pid int) (thaw func()) {
	t.Helper()
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("the processes of a server are found in /proc: ", err)
	}
	stop := func(pid int) {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	stop(pid) // first, so that it starts no others
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	all := []int{pid}
	for text := range strings.FieldsSeq(string(children)) {
		child, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		stop(child)
		all = append(all, child)
	}
	return func() {
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have ended
		}
	}
}

// bulkAlone writes a plan that begins with load and does not end by itself.
func bulkAlone(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.json")
	text := `{"loads": [{"name": "bulk", "method": "insert-select", "clients": 1}], "repetitions": 1, "load_seconds": 60}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
