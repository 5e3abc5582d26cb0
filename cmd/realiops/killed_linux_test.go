package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestNextServerCleansUpAfterKilledOnes kills all processes of a command at once, as the kernel does when
// memory is short. The next command cleans up, and removes nothing of other users.
func TestNextServerCleansUpAfterKilledOnes(t *testing.T) {
	theirs := servertest.Start(t, embedded.Options{Version: "17"})
	busy(t, theirs.DSN())
	for name, settings := range map[string][]string{
		"posix on 13": {"--pg-version", "13"},
		"posix on 18": {"--pg-version", "18"},
		"sysv":        {"--pg-version", "17", "-c", "dynamic_shared_memory_type=sysv"},
		"kept":        {"--pg-version", "17", "--keep"},
	} {
		t.Run(name, func(t *testing.T) { killAtOnce(t, theirs, settings) })
	}
}

func killAtOnce(t *testing.T, theirs *embedded.Server, settings []string) {
	temp, err := os.MkdirTemp("", "at-once-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(temp); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(temp, 0o777|os.ModeSticky); err != nil { // servers do not run as root
		t.Fatal(err)
	}
	planted := plant(t, temp, theirs)
	foreign := memoryOf(processesOf(t, theirs))

	server := serve(t, temp, settings...)
	busy(t, server.url)
	killed := freezeAll(t, server.Process.Process.Pid)
	left := memoryOf(killed)
	for _, pid := range killed {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	server.Wait()
	awaitEnd(t, killed)
	maps.DeleteFunc(left, func(name, number string) bool { return !isThere(t, name, number) })
	if len(left) == 0 || len(foreign) < 3 {
		t.Fatalf("the kill left %v, and there is %v of another server's: there is nothing to be seen", left, foreign)
	}

	next := serve(t, temp, "--pg-version", "17")
	for name, number := range left {
		if isThere(t, name, number) {
			t.Errorf("%s is still there", name)
		}
	}
	must(t, next.Process.Process.Signal(os.Interrupt))
	if status := next.Wait(); status != 0 {
		t.Errorf("status %d", status)
	}
	found, _ := filepath.Glob(filepath.Join(temp, "realiops-server-*"))
	if found = slices.DeleteFunc(found, func(directory string) bool { return directory == planted }); len(found) > 0 {
		t.Errorf("%s are still there", found)
	}
	for name, number := range foreign {
		if !isThere(t, name, number) {
			t.Errorf("%s, which is another server's, is gone", name)
		}
	}
	if _, err := os.Stat(filepath.Join(planted, "data", "postmaster.pid")); planted != "" && err != nil {
		t.Errorf("what another user has planted is gone: %v", err)
	}
}

// serve starts realiops server and returns when it is ready.
func serve(t *testing.T, temp string, settings ...string) *held {
	t.Helper()
	command := realiops(t, append([]string{"server"}, settings...)...)
	command.Stderr = t.Output()
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // if the test does not end it
	h := holdServer(t, command, temp)
	t.Cleanup(func() { h.Wait() })
	return h
}

// busy makes a server use dynamic shared memory: it runs a parallel query that outlasts the test.
func busy(t *testing.T, dsn string) {
	t.Helper()
	conn, looking := connected(t, dsn), connected(t, dsn)
	for _, sql := range []string{
		"create table many as select generate_series(1, 100000) i", "set parallel_setup_cost = 0",
		"set parallel_tuple_cost = 0",
		"set min_parallel_table_scan_size = 0", "set enable_hashjoin = off", "set enable_mergejoin = off",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		_, _ = conn.Exec(context.Background(), "select count(*) from many a, many b where a.i + b.i = -1")
		_ = conn.Close(context.Background())
	}()
	workers := 0
	for begun := time.Now(); workers == 0 && time.Since(begun) < time.Minute; time.Sleep(10 * time.Millisecond) {
		const ask = "select count(*) from pg_stat_activity where backend_type = 'parallel worker'"
		if err := looking.QueryRow(t.Context(), ask).Scan(&workers); err != nil {
			t.Fatal(err)
		}
	}
	if workers == 0 {
		t.Fatal("no query is parallel")
	}
}

func connected(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// plant creates a trap for root from another user: a free lock, and a list that names another server's memory.
func plant(t *testing.T, temp string, theirs *embedded.Server) (directory string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return ""
	}
	directory = filepath.Join(temp, "realiops-server-1")
	pid, err := os.ReadFile(filepath.Join(theirs.Target().Storage.Directory, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(directory, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"lock": "", "data/postmaster.pid": string(pid)} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	err = filepath.WalkDir(directory, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err != nil {
		t.Fatal(err)
	}
	return directory
}

// memoryOf returns the shared memory mapped by processes: files by inode, and System V segments by ID.
func memoryOf(pids []int) map[string]string {
	all := map[string]string{}
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
		for line := range strings.Lines(string(text)) {
			const inode, path = 4, 5
			switch fields := strings.Fields(line); {
			case len(fields) > path && strings.HasPrefix(fields[path], "/dev/shm/PostgreSQL."):
				all[fields[path]] = fields[inode]
			case len(fields) > path && strings.HasPrefix(fields[path], "/SYSV"):
				all["segment "+fields[inode]] = fields[inode]
			}
		}
	}
	return all
}

// isThere reports whether shared memory still exists.
func isThere(t *testing.T, name, number string) bool {
	t.Helper()
	if info, err := os.Stat(name); err == nil {
		return fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino) == number
	}
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && "segment "+fields[1] == name {
			return true
		}
	}
	return false
}

// processesOf returns a server's processes.
func processesOf(t *testing.T, s *embedded.Server) []int {
	t.Helper()
	pid := postmaster(t, s.Target().Storage.Directory)
	return append(process.Children(pid), pid)
}

// freezeAll stops a process and its descendants, so that none sees another end, and returns them.
func freezeAll(t *testing.T, pid int) (all []int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	all = []int{pid}
	for _, child := range process.Children(pid) {
		all = append(all, freezeAll(t, child)...)
	}
	return all
}

func awaitEnd(t *testing.T, all []int) {
	t.Helper()
	ended := func(pid int) bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(text), ") Z ")
	}
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if all = slices.DeleteFunc(all, ended); len(all) == 0 {
			return
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("%v are still there", all)
		}
	}
}

// TestTheNextMeasureRemovesWhatAKilledOneLeft: the killed one's record is removed, a running one's stays.
func TestTheNextMeasureRemovesWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	dsn, temp := servertest.Database(t, "17").Config().ConnString(), t.TempDir()
	// a file, which the measured program may hold open
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	measures := func(args ...string) *process.Process {
		command := realiops(t, append([]string{"measure", "--dsn", dsn, "-q", "-r", "1", "--warmup", "0",
			"--background", "50ms", "--shared", "--"}, args...)...)
		command.Stdout, command.Stderr = said, said
		command.Env = append(os.Environ(), "TMPDIR="+temp)
		return start(t, command)
	}
	records := func() []string {
		found, _ := filepath.Glob(filepath.Join(temp, "realiops-measure-*"))
		return found
	}
	measuring := func(flag string) *process.Process { // one that runs as long as the test
		p := measures("sh", "-c", `: > "$0"; while [ -e "$0" ]; do sleep 0.05; done`, flag)
		must(t, p.AwaitInFile(flag, ""))
		return p
	}
	ended, goesOn := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	killed := measuring(ended)
	first := records()
	_, _ = killed.Process.Kill(), killed.Wait()
	other := measuring(goesOn)
	second := records()
	if len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Errorf("after a kill and another measurement there are %v and %v", first, second)
	}
	if status := measures("true").Wait(); status != 0 {
		t.Errorf("status %d", status)
	}
	if now := records(); !slices.Equal(now, second) {
		t.Errorf("a measurement that goes on has lost its record: %v, not %v", now, second)
	}
	for _, flag := range []string{ended, goesOn} {
		if err := os.Remove(flag); err != nil {
			t.Error(err)
		}
	}
	if status := other.Wait(); status != 0 {
		t.Errorf("status %d", status)
	}
	if now := records(); len(now) > 0 {
		t.Errorf("%v are left", now)
	}
}
