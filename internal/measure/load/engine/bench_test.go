//go:build unix

package engine

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The benchmarks alternate pgbench and the engine on the same load, so that a busy machine affects both, and report
// medians. Run them with -benchtime=1x.

const (
	rounds      = 7
	roundLength = 3 * time.Second
)

func BenchmarkSingleRowPrepared(b *testing.B) {
	compare(b, "insert into demo (value) values (1);", 8, Prepared)
}

func BenchmarkBulkInsert(b *testing.B) {
	compare(b, "insert into demo (value) select generate_series(1, 1000);", 50, Simple)
}

func BenchmarkSelectOnly(b *testing.B) {
	compare(b, "\\set id random(1, 1000)\nselect :id;", 8, Prepared)
}

func BenchmarkAlarm(b *testing.B) {
	check := func(name string, a alarm) {
		b.Run(name, func(b *testing.B) {
			defer a.close()
			var late []time.Duration
			for b.Loop() {
				at := time.Now().Add(200 * time.Microsecond)
				a.sleep(200 * time.Microsecond)
				late = append(late, time.Since(at))
			}
			slices.Sort(late)
			b.ReportMetric(float64(late[len(late)/2].Microseconds()), "µs-late")
		})
	}
	check("kernel", newAlarm())
	check("language", newTimer())
}

// At a share of the server's maximum, the achieved rate is the requested one. Each round measures the maximum again.
func BenchmarkRate(b *testing.B) {
	t := newServer(b)
	shares := []float64{0.2, 0.5, 0.9}
	ours, theirs := make([][]float64, len(shares)), make([][]float64, len(shares))
	for round := range rounds {
		most := t.measured("insert into demo (value) values (1);", 8, Prepared, nil).tps
		for i, share := range shares {
			asked := share * most
			achieved := t.measured("insert into demo (value) values (1);", 8, Prepared, func(o *Options) {
				o.Rate, o.Seed = asked, uint64(round)
			})
			pgbench := t.pgbench("insert into demo (value) values (1);", 8, Prepared, "-R",
				strconv.FormatFloat(asked, 'f', 0, 64))
			b.Logf("%.0f: %v %.6v, pgbench %.6v", most, share, achieved, pgbench)
			ours[i], theirs[i] = append(ours[i], achieved.tps/asked), append(theirs[i], pgbench.tps/asked)
		}
	}
	for i, share := range shares {
		b.ReportMetric(median(ours[i]), fmt.Sprintf("achieved/%v", share))
		b.ReportMetric(median(theirs[i]), fmt.Sprintf("pgbench/%v", share))
	}
}

// pgbench -i makes the same rows and sends them in the same way.
func BenchmarkCopy(b *testing.B) {
	t := newServer(b)
	t.pgbenchInit(40)
	t.against(func() speed { return t.copied(40) }, func() speed { return t.pgbenchInit(40) })
}

func (b *bench) copied(scale int) speed {
	b.t.Helper()
	rows := scale * 100_000
	o := b.options(fmt.Sprintf(`begin;
truncate pgbench_accounts;
\copy_rows pgbench_accounts (aid, bid, abalance, filler) rows %d values (:row, (:row - 1) / 100000 + 1, 0, '')
commit;`, rows))
	o.Transactions = 1
	servertest.Exec(b.t, b.conn, "checkpoint")
	before := cpuOf(syscall.RUSAGE_SELF)
	r := b.run(o)
	used := cpuOf(syscall.RUSAGE_SELF) - before
	if r.Rows != int64(rows) {
		b.t.Errorf("%d rows", r.Rows)
	}
	return speed{float64(rows) / r.Elapsed.Seconds(), used / float64(rows)}
}

func (b *bench) pgbenchInit(scale int) speed {
	b.t.Helper()
	rows := float64(scale * 100_000)
	servertest.Exec(b.t, b.conn, "checkpoint")
	before := cpuOf(syscall.RUSAGE_CHILDREN)
	out, err := b.pgbenchCommand("-i", "-I", "dtg", "-q", "-s", strconv.Itoa(scale)).CombinedOutput()
	if err != nil {
		b.t.Fatalf("pgbench -i: %v\n%s", err, out)
	}
	took := regexp.MustCompile(`client-side generate ([0-9.]+) s`).FindSubmatch(out)
	seconds, err := strconv.ParseFloat(string(took[1]), 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return speed{rows / seconds, (cpuOf(syscall.RUSAGE_CHILDREN) - before) / rows}
}

// speed is a load's rate and its cost to the client.
type speed struct{ tps, cpu float64 } // cpu in microseconds a transaction

func compare(b *testing.B, text string, clients int, mode Mode) {
	t := newServer(b)
	t.against(func() speed {
		return t.measured(text, clients, mode, nil)
	}, func() speed { return t.pgbench(text, clients, mode) })
}

// against alternates the engine and pgbench and reports the medians of their ratios, which vary less on a busy
// machine than a ratio of medians.
func (b *bench) against(us, pgbench func() speed) {
	var tps, cpu, ratios, costs []float64
	for round := range rounds {
		var ours, theirs speed
		if round%2 == 0 {
			ours = us()
			theirs = pgbench()
		} else {
			theirs = pgbench()
			ours = us()
		}
		b.t.Logf("%.6v, pgbench %.6v", ours, theirs)
		tps, cpu = append(tps, ours.tps), append(cpu, ours.cpu)
		ratios, costs = append(ratios, ours.tps/theirs.tps), append(costs, ours.cpu/theirs.cpu)
	}
	report := b.t.(*testing.B).ReportMetric
	report(median(tps), "tps")
	report(median(cpu), "cpu-µs")
	report(median(ratios), "tps/pgbench")
	report(median(costs), "cpu/pgbench")
}

func newServer(t testing.TB) *bench {
	server := servertest.Start(t, embedded.Options{
		Version: "17", Settings: []string{"autovacuum=off", "synchronous_commit=off", "max_wal_size=8GB"}})
	endpoint := servertest.Endpoint(t, server.DSN())
	return &bench{t: t, endpoint: endpoint, conn: servertest.Connect(t, endpoint)}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func (b *bench) fresh() {
	servertest.Exec(b.t, b.conn, "drop table if exists demo")
	servertest.Exec(b.t, b.conn, "create table demo (id bigserial, value int)")
	servertest.Exec(b.t, b.conn, "checkpoint")
}

func (b *bench) measured(text string, clients int, mode Mode, change func(*Options)) speed {
	b.t.Helper()
	b.fresh()
	o := b.options(text)
	o.Mode, o.Clients, o.Duration = mode, clients, roundLength
	if change != nil {
		change(&o)
	}
	before := cpuOf(syscall.RUSAGE_SELF)
	r := b.run(o)
	used := cpuOf(syscall.RUSAGE_SELF) - before
	return speed{float64(r.Transactions) / r.Elapsed.Seconds(), used / float64(r.Transactions)}
}

func (b *bench) pgbench(text string, clients int, mode Mode, more ...string) speed {
	b.t.Helper()
	b.fresh()
	before := cpuOf(syscall.RUSAGE_CHILDREN)
	report := b.runPgbench(text, append(more, "-c", strconv.Itoa(clients), "-j", "2", "-M", string(mode),
		"-T", strconv.Itoa(int(roundLength.Seconds())))...)
	used := cpuOf(syscall.RUSAGE_CHILDREN) - before
	tps, err := strconv.ParseFloat(strings.Fields(report["tps"])[0], 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return speed{tps, used / (tps * roundLength.Seconds())}
}

// runPgbench runs a script with pgbench and returns the lines of its report.
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
	return exec.CommandContext(b.t.Context(), path, append(flags, b.endpoint.UserConfig().ConnString())...)
}

// cpuOf returns the processor time used so far, in microseconds.
func cpuOf(who int) float64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(who, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1000
}
