package engine

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/server/servertest"
)

// The benchmarks run the same load by pgbench and by us in turn, so that a busy machine hits both, and give medians.
// Run them with -benchtime=1x; a round takes -bench.round.

const rounds = 5

var roundLength = 4 * time.Second

func BenchmarkSingleRowPrepared(b *testing.B) {
	compare(b, "insert into demo (value) values (1);", 8, Prepared)
}

func BenchmarkBulkInsert(b *testing.B) {
	compare(b, "insert into demo (value) select generate_series(1, 1000);", 50, Simple)
}

func BenchmarkSelectOnly(b *testing.B) {
	compare(b, "\\set id random(1, 1000)\nselect :id;", 8, Prepared)
}

// speed is how fast a load went and what it cost the client.
type speed struct{ tps, cpu float64 } // cpu in microseconds a transaction

func compare(b *testing.B, text string, clients int, mode Mode) {
	server := servertest.Start(b, embedded.Options{Version: "17", Settings: []string{"autovacuum=off", "synchronous_commit=off"}})
	endpoint := servertest.Endpoint(b, server.DSN())
	t := &bench{t: b, endpoint: endpoint, conn: servertest.Connect(b, endpoint)}
	var ours, theirs []speed
	for range rounds {
		ours = append(ours, t.measured(text, clients, mode))
		theirs = append(theirs, t.pgbench(text, clients, mode))
	}
	tps := func(s speed) float64 { return s.tps }
	cpu := func(s speed) float64 { return s.cpu }
	b.ReportMetric(median(ours, tps), "tps")
	b.ReportMetric(median(ours, tps)/median(theirs, tps), "tps/pgbench")
	b.ReportMetric(median(ours, cpu), "cpu-µs")
	b.ReportMetric(median(ours, cpu)/median(theirs, cpu), "cpu/pgbench")
	b.Logf("ours %.6v pgbench %.6v", ours, theirs)
}

func median(speeds []speed, of func(speed) float64) float64 {
	var all []float64
	for _, s := range speeds {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (b *bench) fresh() {
	servertest.Exec(b.t, b.conn, "drop table if exists demo")
	servertest.Exec(b.t, b.conn, "create table demo (id bigserial, value int)")
	servertest.Exec(b.t, b.conn, "checkpoint")
}

func (b *bench) measured(text string, clients int, mode Mode) speed {
	b.t.Helper()
	b.fresh()
	o := b.options(text)
	o.Mode, o.Clients, o.Duration = mode, clients, roundLength
	before := cpuOf(syscall.RUSAGE_SELF)
	r := b.run(o)
	used := cpuOf(syscall.RUSAGE_SELF) - before
	return speed{float64(r.Transactions) / r.Elapsed.Seconds(), used / float64(r.Transactions)}
}

func (b *bench) pgbench(text string, clients int, mode Mode) speed {
	b.t.Helper()
	b.fresh()
	before := cpuOf(syscall.RUSAGE_CHILDREN)
	report := b.runPgbench(text, "-c", strconv.Itoa(clients), "-j", "2", "-M", string(mode),
		"-T", strconv.Itoa(int(roundLength.Seconds())))
	used := cpuOf(syscall.RUSAGE_CHILDREN) - before
	tps, err := strconv.ParseFloat(strings.Fields(report["tps"])[0], 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return speed{tps, used / (tps * roundLength.Seconds())}
}

// runPgbench runs a script by pgbench and gives the lines of its report.
func (b *bench) runPgbench(text string, flags ...string) map[string]string {
	b.t.Helper()
	out, err := b.pgbenchCommand(append([]string{"-n", "-f", b.file(text)}, flags...)...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("pgbench: %v\n%s", err, out)
	}
	report := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		for _, mark := range []string{" = ", ": "} {
			if key, value, found := strings.Cut(lines.Text(), mark); found {
				report[key] = value
				break
			}
		}
	}
	return report
}

func (b *bench) file(text string) string {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "test.sql")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return file
}

func (b *bench) pgbenchCommand(flags ...string) *exec.Cmd {
	b.t.Helper()
	path, err := exec.LookPath("pgbench")
	if err != nil {
		b.t.Skip("pgbench is not installed")
	}
	return exec.CommandContext(b.t.Context(), path, append(flags, b.endpoint.Config().ConnString())...)
}

// cpuOf is the processor time used so far, in microseconds.
func cpuOf(who int) float64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(who, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1000
}
