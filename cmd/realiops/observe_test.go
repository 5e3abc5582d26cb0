//go:build unix

package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
)

// pair is a primary and its standby, with both in one connection string.
type pair struct {
	bin  string
	as   *syscall.Credential
	dirs [2]string
	port [2]int
}

// startPair starts both with Debian's server, whose programs can copy one.
func startPair(t *testing.T) *pair {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_basebackup")
	nobody := ordinary(t)
	if len(found) == 0 || nobody == nil {
		t.Skip("no installed server to copy, or not root")
	}
	place := openDirectory(t)
	p := &pair{bin: filepath.Dir(found[0]), as: nobody, dirs: [2]string{filepath.Join(place, "one"),
		filepath.Join(place, "other")}}
	p.port = [2]int{freePort(t), freePort(t)}
	t.Cleanup(func() {
		for i := range p.dirs {
			_ = p.run("pg_ctl", "stop", "-D", p.dirs[i], "-m", "immediate") // it may have ended already
		}
	})
	p.must(t, "initdb", "-D", p.dirs[0], "-U", "postgres", "-A", "trust", "--no-sync")
	p.start(t, 0)
	p.must(t, "pg_basebackup", "-D", p.dirs[1], "-R", "-c", "fast", "--no-sync", "-h", "127.0.0.1", "-U", "postgres",
		"-p", fmt.Sprint(p.port[0]))
	p.start(t, 1)
	return p
}

// freePort returns an unused port.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (p *pair) start(t *testing.T, i int) {
	t.Helper()
	options := fmt.Sprintf("-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=", p.port[i])
	p.must(t, "pg_ctl", "start", "-w", "-D", p.dirs[i], "-l", p.dirs[i]+".log", "-o", options)
}

// run runs a program without waiting for the output of a server that it starts.
func (p *pair) run(program string, args ...string) error {
	cmd := exec.Command(filepath.Join(p.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = filepath.Dir(p.dirs[0]), &syscall.SysProcAttr{Credential: p.as}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return nil
}

func (p *pair) must(t *testing.T, program string, args ...string) {
	t.Helper()
	if err := p.run(program, args...); err != nil {
		t.Fatal(err)
	}
}

// dsn names both; the writable one is used.
func (p *pair) dsn(more string) string {
	return fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%d,%d user=postgres dbname=postgres connect_timeout=2 %s",
		p.port[0], p.port[1], more)
}

// worker writes at most 200 rows a second, and always reconnects. It counts its rows, and
// its working time in nanoseconds.
type worker struct{ rows, worked atomic.Int64 }

func (w *worker) perSecond() float64 {
	return float64(w.rows.Load()) / time.Duration(w.worked.Load()).Seconds()
}

func (w *worker) work(ctx context.Context, p *pair) {
	for ctx.Err() == nil {
		conn, err := pgx.Connect(ctx, p.dsn("target_session_attrs=read-write"))
		if err != nil {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		for tick, last := time.NewTicker(time.Second/200), time.Now(); ctx.Err() == nil; <-tick.C {
			if _, err := conn.Exec(ctx, "insert into worked values (1)"); err != nil {
				tick.Stop()
				break
			}
			w.rows.Add(1)
			w.worked.Add(int64(time.Since(last)))
			last = time.Now()
		}
		_ = conn.Close(context.WithoutCancel(ctx))
	}
}

func (p *pair) sql(t *testing.T, i int, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres", p.port[i]))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// Observing continues when a server is restarted, its statistics are reset, and it fails over to its standby. No
// growth is computed across any of these, and the growth in between is the known amount written.
func TestObserveOutlivesItsServer(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	p.sql(t, 0, "create table worked (x int)")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var somebody worker
	go somebody.work(ctx, p)

	refused := realiops(t, "observe", "--dsn",
		fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres", p.port[1]),
		"--for", "5s", "-o", filepath.Join(t.TempDir(), "none.jsonl"))
	if out, err := refused.CombinedOutput(); err == nil ||
		string(out) != "realiops: the server is a standby, which writes what its primary sends; observe the primary\n" {
		t.Errorf("of a standby: %v: %s", err, out)
	}

	path := filepath.Join(t.TempDir(), "observed.jsonl.zst")
	observe := start(t, realiops(t, "observe", "--dsn", p.dsn(""), "--for", "54s", "-o", path))
	time.Sleep(11 * time.Second)
	p.must(t, "pg_ctl", "stop", "-D", p.dirs[0], "-m", "fast")
	p.start(t, 0)
	time.Sleep(9 * time.Second)
	p.sql(t, 0, "select pg_stat_reset(), pg_stat_reset_shared('wal'), pg_stat_reset_shared('bgwriter')")
	time.Sleep(8 * time.Second)
	p.must(t, "pg_ctl", "stop", "-D", p.dirs[0], "-m", "immediate")
	p.must(t, "pg_ctl", "promote", "-w", "-D", p.dirs[1])
	if status := observe.Wait(); status != 0 {
		t.Fatalf("status %d\n%s", status, observe.Printed())
	}
	if again := strings.Count(observe.Printed(),
		"The server was restarted or replaced"); again != 2 {
		t.Errorf("it was told %d times that the server began anew, want 2:\n%s", again, observe.Printed())
	}
	checkObserved(t, path, somebody.perSecond())
}

// checkObserved checks the analysis of the record.
func checkObserved(t *testing.T, path string, perSecond float64) {
	t.Helper()
	run, err := tally.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := run.Observed
	if o.Windows < 7 || o.Whole < 3 || o.Whole > o.Windows-3 {
		t.Errorf("%d windows, of which %d are whole: each of three events should have cost one or two",
			o.Windows, o.Whole)
	}
	if got := o.RowsPerSecond["inserted"]; !(got >= 0.7*perSecond && got <= 1.2*perSecond) {
		t.Errorf("%.0f rows a second were inserted, and the windows say %.0f", perSecond, got)
	}
	if run.Ended == nil || run.Ended.Status != runfile.Complete {
		t.Errorf("it ended: %+v", run.Ended)
	}
}
