//go:build unix

package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/scratch"
	"github.com/realiops/realiops/internal/runfile"
)

func TestServerTakesConnectionsAndLeavesNothing(t *testing.T) {
	dataDir := newDataDir(t)
	var stages []string
	s := start(t, Options{
		DataDir: dataDir, Settings: []string{"work_mem = 7MB", `application_name=it's a \ b`},
		Notify: func(stage string) { stages = append(stages, stage) },
	})
	const all = `select concat_ws(', ', current_setting('fsync'), current_setting('full_page_writes'),
		current_setting('synchronous_commit'), current_setting('max_connections'), current_setting('work_mem'),
		current_setting('application_name'), current_setting('server_encoding'), current_setting('is_superuser'))`
	want := `on, on, on, 200, 7MB, it's a \ b, UTF8, on`
	for _, dsn := range []string{s.DSN(), s.URL()} {
		if got := ask(t, dsn, all); got != want {
			t.Errorf("settings %s, want %s", got, want)
		}
	}
	if got := ask(t, s.DSN(), "select coalesce(inet_server_addr()::text, 'socket')"); got != "socket" {
		t.Errorf("the DSN goes by %s", got)
	}
	if got := ask(t, s.URL(), "select host(inet_server_addr())"); got != "127.0.0.1" {
		t.Errorf("the URL goes by %s", got)
	}
	version := ask(t, s.DSN(), "show server_version")
	storage, err := storageOf(dataDir)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(s.URL())
	got := s.Target()
	if u.Port() != ask(t, s.DSN(), "show port") || got.Port == 0 {
		t.Errorf("the port is %d in the target and %s in the URL", got.Port, u.Port())
	}
	wanted := runfile.Target{
		Kind: "embedded", Flavor: "postgres", Version: version, Host: "127.0.0.1", Port: got.Port, Database: "postgres",
		User:    "postgres",
		Storage: runfile.Storage{Directory: ask(t, s.DSN(), "show data_directory"), FileSystem: storage.name},
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"initializing PostgreSQL " + version, "starting PostgreSQL " + version},
		stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if s.Cause() != nil || s.Kept() != "" {
		t.Errorf("after a stop: cause %v, kept %q", s.Cause(), s.Kept())
	}
	select {
	case <-s.Died():
		t.Error("a server that was stopped has died")
	default:
	}
	checkGone(t, dataDir)
}

// Every user may see the environment and arguments of PostgreSQL's processes.
func TestServerIsGivenNothingOfOurs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("PGDATA", "/nowhere")
	t.Setenv("PGOPTIONS", "-c work_mem=1234kB")
	s := start(t, Options{})
	pid := firstLine(t, filepath.Join(s.Target().Storage.Directory, "postmaster.pid"))
	text, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	for variable := range strings.SplitSeq(strings.TrimRight(string(text), "\x00"), "\x00") {
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "LC_ALL", "PATH", "TZ", "LD_LIBRARY_PATH":
		case "PG_GRANDPARENT_PID", "PGSYSCONFDIR", "PGLOCALEDIR": // PostgreSQL sets these itself
		default:
			t.Errorf("the server is given %s", variable)
		}
	}
}

// The kernel keeps the shared memory of a killed server.
func TestKilledServerLeavesNoSharedMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	s := start(t, Options{})
	file := filepath.Join(s.Target().Storage.Directory, "postmaster.pid")
	pid, segments := firstLine(t, file), segmentsOf(t, firstLine(t, file))
	if len(segments) != 1 {
		t.Fatalf("the server has the segments %q, want one", segments)
	}
	kill(t, pid, syscall.SIGKILL)
	waitForDeath(t, s, "its process exited (signal: killed)")
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if left := segmentsOf(t, pid); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// segmentsOf returns the System V segments that a process made.
func segmentsOf(t *testing.T, pid string) (segments []string) {
	t.Helper()
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		const id, maker = 1, 4
		if fields := strings.Fields(line); fields[maker] == pid {
			segments = append(segments, fields[id])
		}
	}
	return segments
}

func TestEveryVersionStarts(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads six versions")
	}
	for _, version := range []string{"13", "14", "15", "16", "17", "18"} {
		t.Run(version, func(t *testing.T) {
			dataDir := newDataDir(t)
			s := start(t, Options{Version: version, DataDir: dataDir,
				Settings: []string{"shared_preload_libraries=pg_stat_statements"}})
			got := ask(t, s.DSN(), `select concat_ws(' ', current_setting('fsync'), current_setting('full_page_writes'),
				current_setting('synchronous_commit'), (select count(*) from pg_available_extensions where name = 'pg_stat_statements'))`)
			if want := "on on on 1"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			found := ask(t, s.DSN(), "show server_version")
			if !strings.HasPrefix(found, version+".") || found != s.Target().Version {
				t.Errorf("version %s, in the target %s, want %s", found, s.Target().Version, version)
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			checkGone(t, dataDir)
		})
	}
}

func TestTwoAtOnce(t *testing.T) {
	fetched(t, "")
	var all sync.WaitGroup
	for range 2 {
		dataDir := newDataDir(t)
		all.Go(func() {
			s, err := Start(t.Context(), Options{DataDir: dataDir})
			if err != nil {
				t.Error(err)
				return
			}
			if got := ask(t, s.DSN(), "show data_directory"); !strings.HasPrefix(got, dataDir) {
				t.Errorf("the DSN leads to %s, want one in %s", got, dataDir)
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			checkGone(t, dataDir)
		})
	}
	all.Wait()
}

func TestInstalledServer(t *testing.T) {
	bin, err := installed("")
	if err != nil {
		t.Skip(err)
	}
	for _, given := range []string{bin, InstalledBin} {
		s := start(t, Options{BinDir: given})
		// Debian adds words to the version.
		if got, want := s.Target().Version, strings.Fields(ask(t, s.DSN(), "show server_version"))[0]; got != want {
			t.Errorf("%s: version %s, want %s", given, got, want)
		}
	}
}

func TestKeptDataStartsAgain(t *testing.T) {
	dataDir := newDataDir(t)
	s := start(t, Options{DataDir: dataDir, Keep: true})
	execute(t, s.URL(), "create table kept as select 42 as answer")
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkKept(t, s, dataDir)
}

func checkKept(t *testing.T, s *Server, dataDir string) {
	t.Helper()
	kept, _ := filepath.Glob(filepath.Join(dataDir, keptPrefix+"*"))
	if len(kept) != 1 ||
		!strings.HasPrefix(s.Kept(), "kept "+kept[0]+"; to start the server again at the same address, run") {
		t.Fatalf("kept %q, and it says %q", kept, s.Kept())
	}
	sweep(dataDir)
	// Run the command shown to users, as the user it names.
	_, command, _ := strings.Cut(s.Kept(), ": ")
	words := strings.Fields(command)
	lock, err := os.Open(filepath.Join(kept[0], scratch.LockName))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	user, err := serverAccount(os.Geteuid(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	p := program{account: user, dir: kept[0], lock: lock, output: &journal{}}
	c := cluster{dir: kept[0], journal: p.output, port: s.Target().Port}
	if c.server, err = launch(p.command(context.Background(), words[0], words[1:]...)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.server.command.Process.Signal(syscall.SIGINT); err != nil {
			t.Error(err)
		}
		<-c.server.exited
	}()
	if err := c.await(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s.DSN(), "select answer::text from kept"); got != "42" {
		t.Errorf("the table says %s", got)
	}
}

// If the path is too long for a socket, TCP is used.
func TestLongPath(t *testing.T) {
	base := newDataDir(t)
	long := filepath.Join(base, strings.Repeat("x", 100))
	if err := os.MkdirAll(long, 0o755); err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{DataDir: long})
	if got := ask(t, s.DSN(), "select host(inet_server_addr())"); got != "127.0.0.1" {
		t.Errorf("the DSN goes by %s", got)
	}
}

// A path may contain characters that are special in PostgreSQL's settings, connection strings and shells.
func TestOddPaths(t *testing.T) {
	check := func(name, by string) {
		t.Run(name, func(t *testing.T) {
			odd := filepath.Join(newDataDir(t), name)
			if err := os.MkdirAll(odd, 0o755); err != nil {
				t.Fatal(err)
			}
			s := start(t, Options{DataDir: odd})
			if got := ask(t, s.DSN(), "select coalesce(host(inet_server_addr()), 'socket')"); got != by {
				t.Errorf("the DSN goes by %s, want %s", got, by)
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			checkNothingIn(t, odd)
		})
	}
	check("a b+c%20d", "socket")
	check(`a'b\c`, "socket")
	check("a,b", "127.0.0.1")

	for _, name := range []string{`a"b`, "a\nb"} {
		odd := filepath.Join(newDataDir(t), name)
		if err := os.MkdirAll(odd, 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := Start(t.Context(), Options{DataDir: odd})
		want := fmt.Sprintf("PostgreSQL cannot use %q, because its name has a quotation mark or control "+
			"character; choose another with --data-dir", odd)
		if err == nil || err.Error() != want {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
	}
}

func TestStartCanBeAbandoned(t *testing.T) {
	fetched(t, "")
	dataDir := newDataDir(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	_, err := Start(ctx, Options{DataDir: dataDir, Notify: func(stage string) {
		if strings.HasPrefix(stage, "initializing") {
			cancel(why)
		}
	}})
	if err == nil || err.Error() != why.Error() {
		t.Errorf("error %v, want %v", err, why)
	}
	checkGone(t, dataDir)
}
