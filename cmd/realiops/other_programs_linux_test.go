package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// steadyWork runs 250 transactions a second and counts them: 100 write 5 kB of WAL, 0.5 MB/s, or up to 0.8 MB/s with
// the partial blocks of each commit, and 150 read.
func steadyWork(t *testing.T, ctx context.Context, dsn string) (done *atomic.Int64, wait func()) {
	t.Helper()
	boss := servertest.Connect(t, servertest.Endpoint(t, dsn))
	servertest.Exec(t, boss, "create table kept (id int primary key, v int); insert into kept select n, 0 from "+
		"generate_series(1, 100) n; checkpoint")
	const clients, perSecond = 16, 250
	turns := make(chan int)
	done = &atomic.Int64{}
	var working sync.WaitGroup
	for range clients {
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		working.Go(func() {
			defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing more to report
			for turn := range turns {
				statement := "select id from kept where id = $1"
				if turn%5 < 2 {
					statement = "with kept as (update kept set v = v + 1 where id = $1) select " +
						"pg_logical_emit_message(true, '', repeat('x', 5000))"
				}
				if _, err := conn.Exec(ctx, statement, 1+turn%100); err == nil {
					done.Add(1)
				}
			}
		})
	}
	go func() {
		defer close(turns)
		tick := time.NewTicker(time.Second / perSecond)
		defer tick.Stop()
		for turn := 0; ctx.Err() == nil; turn++ {
			<-tick.C
			turns <- turn
		}
	}()
	return done, working.Wait
}

// An order is for the server's own need, not for other programs on its disk, and says so.
func TestSizeDoesNotOrderForOtherPrograms(t *testing.T) {
	t.Parallel()
	work := openDirectory(t)
	directory, _ := ownDisk(t, work, 2<<30)
	if err := os.Chmod(directory, 0o777); err != nil { //nolint:gosec // the server's user creates its directory in it
		t.Fatal(err)
	}
	server := servertest.Start(t, embedded.Options{DataDir: filepath.Join(directory, "data"),
		Settings: []string{"autovacuum=off", "wal_init_zero=off"}})
	if err := exec.Command("sync", "-f", directory).Run(); err != nil { // write out initdb's files first
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done, wait := steadyWork(t, ctx, server.DSN())

	other := exec.CommandContext(ctx, "fio", "--name=other", "--filename="+filepath.Join(directory, "other"),
		"--size=64m", "--rw=randwrite",
		"--bs=64k", "--thread", "--direct=1", "--rate=20m", "--time_based", "--runtime=60")
	if err := other.Start(); err != nil {
		t.Skip(err)
	}
	file, began := filepath.Join(t.TempDir(), "observed.jsonl"), time.Now()
	runs(t, "observe", "--dsn", server.DSN(), "--for", "32s", "-o", file)
	perSecond := float64(done.Load()) / time.Since(began).Seconds()
	stop()
	wait()
	_ = other.Wait() // it was stopped

	const asked = 250
	pace := 0.95 * perSecond / asked // the share of its pace that a busy machine reaches
	check := func(file string, most float64, told ...string) {
		t.Helper()
		sized := sizeOf(t, file)
		if got := sized.Sized.Rate.Bytes() / 1e6; got < 1.0*pace || got > most {
			t.Errorf("%s: it is sized for %.2f MB/s at %.0f transactions a second", filepath.Base(file), got, perSecond)
		}
		for _, want := range told {
			if text := strings.Join(sized.Warnings, "\n"); !strings.Contains(text, want) {
				t.Errorf("%s: it does not say %q:\n%s", filepath.Base(file), want, text)
			}
		}
	}
	check(file, 3) // it is counted, and the busiest five seconds may create a WAL file
	check(withoutProbe(t, file, "request"), 2, "Other programs use the device", "the device wrote")
}

// The cost of an operation excludes another program's work on the disk: a commit of one row is one write of one WAL
// page and one flush, and the other program's work is shown beside it.
func TestMeasureBesideOtherPrograms(t *testing.T) {
	t.Parallel()
	directory, _ := ownDisk(t, openDirectory(t), 2<<30)
	if err := os.Chmod(directory, 0o777); err != nil { //nolint:gosec // the server's user creates its directory in it
		t.Fatal(err)
	}
	server := servertest.Start(t, embedded.Options{DataDir: filepath.Join(directory, "data"),
		Settings: []string{"autovacuum=off"}})
	servertest.Exec(t, servertest.Connect(t, servertest.Endpoint(t, server.DSN())),
		"create table kept (id int); insert into kept values (0); checkpoint")
	ctx, stop := context.WithCancel(t.Context())
	other := exec.CommandContext(ctx, "fio", "--name=other", "--filename="+filepath.Join(directory, "other"),
		"--size=64m", "--rw=randwrite",
		"--bs=16k", "--thread", "--direct=1", "--rate_iops=400", "--time_based", "--runtime=600")
	if err := other.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		stop()
		_ = other.Wait() // it was stopped
	}()
	c, stdout, stderr := withFIO(t, "measure", "--dsn", server.DSN(), "-r", "5", "--sql", "insert into kept values (7)",
		"--format", "json")
	var measured cost.Cost
	if err := errors.Join(c.Run(), json.Unmarshal(stdout.Bytes(), &measured)); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for name, want := range map[string]float64{"device_requests": 1, "device_flushes": 1, "device_bytes": 8192} {
		got, counted := measured.Find(name)
		if !counted || got.Missing != "" || got.Median != want {
			t.Errorf("%s: %v, want %g: %s", name, got.Runs, want, got.Missing)
		}
		if name != "device_flushes" && (got.Everybody == nil || *got.Everybody < 10*want) {
			t.Errorf("%s of everybody: %v, beside 400 requests a second", name, got.Everybody)
		}
	}
}

func sizeOf(t *testing.T, file string) (sized sizes.Size) {
	t.Helper()
	c, stdout, stderr := withFIO(t, "size", file, "--format", "json")
	if err := errors.Join(c.Run(), json.Unmarshal(stdout.Bytes(), &sized)); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return sized
}

// withoutProbe returns a run file as if a probe had been missing.
func withoutProbe(t *testing.T, file, probe string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var left strings.Builder
	for line := range strings.Lines(string(text)) {
		var record struct{ Probe string }
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.Probe != probe {
			left.WriteString(line)
		}
	}
	path := filepath.Join(t.TempDir(), "without.jsonl")
	if err := os.WriteFile(path, []byte(left.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
