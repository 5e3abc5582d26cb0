package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

// holderCommand makes the test program a realiops that can be killed: it starts a server, prints where, and holds it.
const holderCommand = "test-holder"

func TestMain(m *testing.M) {
	if status, played := role.Main(os.Args, supervisor.Role()); played {
		os.Exit(status)
	}
	if len(os.Args) == 3 && os.Args[1] == holderCommand {
		if err := holdForever(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	// Otherwise the race detector makes every process of this program sleep for a second at its end.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func holdForever(options string) error {
	var o Options
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		return err
	}
	o.Notify = func(stage string) { fmt.Println(stage) }
	s, err := Start(context.Background(), o)
	if err != nil {
		return err
	}
	for pid := 0; ; time.Sleep(20 * time.Millisecond) {
		if holds := s.supervisor.PID(); holds != pid {
			fmt.Println("supervisor", holds)
			pid = holds
		}
	}
}

// holder is a process that holds a server as realiops would.
type holder struct {
	command *exec.Cmd
	lines   *bufio.Scanner
}

func startHolder(t *testing.T, o Options) *holder {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{command: exec.Command(os.Args[0], holderCommand, string(text))}
	h.command.Stderr = t.Output()
	out, err := h.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.lines = bufio.NewScanner(out)
	if err := h.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = h.command.Process.Kill(), h.command.Wait() })
	return h
}

// until reads the holder's output up to a line with that beginning.
func (h *holder) until(t *testing.T, beginning string) string {
	t.Helper()
	for h.lines.Scan() {
		if strings.HasPrefix(h.lines.Text(), beginning) {
			return h.lines.Text()
		}
	}
	t.Fatalf("the holder ended before it said %q", beginning)
	return ""
}

// newDataDir returns a new directory on a disk that other users can reach, since under root the server runs as
// another user. Its path is short enough for a socket.
func newDataDir(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("", "embedded-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	if s, err := storageOf(base); err != nil || s.ram || s.free < leastFree {
		t.Skipf("%s is %+v, %v: it takes a disk with room (set TMPDIR)", base, s, err)
	}
	return filepath.Join(base, "data")
}

// fetched skips the test if a version's binaries are neither cached nor available.
func fetched(t *testing.T, version string) {
	t.Helper()
	release, err := binaries.Find(version)
	if err != nil {
		t.Skip(err)
	}
	cache, err := binaries.CacheDirectory()
	if err != nil {
		t.Skip(err)
	}
	store := binaries.Store{
		Directory: cache, Repository: os.Getenv("REALIOPS_PG_REPOSITORY"), Notify: func(string) {},
	}
	if _, err := store.Bin(t.Context(), release); err != nil {
		t.Skip(err)
	}
}

// start starts a server for a test.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.BinDir == "" {
		fetched(t, o.Version)
	}
	if o.DataDir == "" {
		o.DataDir = newDataDir(t)
	}
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask returns the one value of a query.
func ask(t *testing.T, dsn, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var answer string
	if err := conn.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func execute(t *testing.T, dsn, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// checkGone waits until realiops's data directory and all its processes are gone.
func checkGone(t *testing.T, dataDir string) {
	t.Helper()
	checkNothingIn(t, dataDir)
	if _, err := os.Lstat(dataDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want it gone", dataDir, err)
	}
}

// checkSoonGone is checkGone with more patience.
func checkSoonGone(t *testing.T, dataDir string) {
	t.Helper()
	checkNothingLeft(t, dataDir, dataDir)
}

func checkNothingIn(t *testing.T, dataDir string) {
	t.Helper()
	checkNothingLeft(t, dataDir, filepath.Join(dataDir, "*"))
}

// checkNothingLeft waits until there are no such files, and no processes of a data directory.
func checkNothingLeft(t *testing.T, dataDir, files string) {
	t.Helper()
	var left []string
	for range 600 { // half a minute
		found, _ := filepath.Glob(files)
		left = append(found, processesOf(dataDir)...)
		if len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left behind: %q", left)
}

// processesOf returns the processes with a path in their arguments, except the tests themselves.
func processesOf(path string) []string {
	var found []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), path) && !strings.Contains(string(text), holderCommand) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}
