package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// fleetDays is the length in days of the planted fleet's history, from its first sample on.
const fleetDays = 3

var fleetBegin = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// every returns the samples of a series, at each step since the begin.
func every(step time.Duration, value func(since time.Duration) float64) (all []prometheustest.Sample) {
	for since := time.Duration(0); since <= fleetDays*command.Day; since += step {
		if v := value(since); !math.IsNaN(v) {
			all = append(all, prometheustest.Sample{At: fleetBegin.Add(since), Value: v})
		}
	}
	return all
}

func always(v float64) func(time.Duration) float64 { return func(time.Duration) float64 { return v } }

// handedOn returns an RDS instance as YACE exports it from CloudWatch.
func handedOn(name string, metrics map[string]func(time.Duration) float64) (all []prometheustest.Series) {
	for metric, value := range metrics {
		all = append(all, prometheustest.Series{Name: "aws_rds_" + metric + "_average",
			Samples: every(5*time.Minute, value),
			Labels: `name="arn:aws:rds:us-east-1:123456789012:db:` + name + `",dimension_DBInstanceIdentifier="` +
				name + `",region="us-east-1"`})
	}
	return all
}

// plantedFleet returns a store with known truth.
func plantedFleet() (all []prometheustest.Series) {
	// 500 reads of 8 KiB a second: 100 GiB of gp2 sustain 300, and its 5.4 million credits last 7.5 hours.
	all = append(all, handedOn("orders", map[string]func(time.Duration) float64{
		"read_iops": always(500), "write_iops": always(0), "read_throughput": always(500 * 8192),
		"write_throughput": always(0),
		"burst_balance":    func(since time.Duration) float64 { return max(0, 100-since.Hours()/7.5*100) },
	})...)
	all = append(all, handedOn("idle", plantedIdle())...)
	all = append(all, handedOn("nobody-knows", map[string]func(time.Duration) float64{
		"read_iops": always(10), "write_iops": always(10), "read_throughput": always(1e5),
		"write_throughput": always(1e5),
	})...)
	// YACE also exports the sum over all instances.
	all = append(all, prometheustest.Series{Name: "aws_rds_write_iops_average",
		Labels: `name="global",region="us-east-1"`, Samples: every(5*time.Minute, always(1e6))})
	return append(all, plantedMachine()...)
}

// plantedIdle does 100 requests a second, with a daily hour of 900 and single readings of 1,800 in it. It is on io1
// with 10,000 IOPS, where BurstBalance is missing and exported as 0.
func plantedIdle() map[string]func(time.Duration) float64 {
	busy := func(since time.Duration) float64 {
		switch {
		case since%command.Day < 10*time.Hour || since%command.Day >= 11*time.Hour:
			return 100
		case since%(30*time.Minute) == 5*time.Minute:
			return 1800
		}
		return 900
	}
	return map[string]func(time.Duration) float64{
		"read_iops": always(0), "write_iops": busy, "read_throughput": always(0),
		"write_throughput": func(d time.Duration) float64 {
			return busy(d) * 16384
		}, "burst_balance": always(0),
	}
}

// plantedMachine returns a server with exporters: 40 reads and 60 writes of 8 KiB a second, with one counter reset,
// on a disk below another, scraped by two replicas, except for two hours.
func plantedMachine() (all []prometheustest.Series) {
	counter := func(rate float64) func(time.Duration) float64 {
		return func(since time.Duration) float64 {
			switch {
			case since > 20*time.Hour && since <= 22*time.Hour:
				return math.NaN()
			case since > 30*time.Hour:
				since -= 30 * time.Hour
			}
			return rate * since.Seconds()
		}
	}
	for metric, rate := range map[string]float64{"reads_completed": 40, "writes_completed": 60, "read_bytes": 40 * 8192,
		"written_bytes": 60 * 8192} {
		for _, labels := range []string{`device="nvme1n1",replica="0"`, `device="nvme1n1",replica="1"`,
			`device="dm-0",replica="0"`} {
			all = append(all, prometheustest.Series{Name: "node_disk_" + metric + "_total",
				Labels: `instance="db1:9100",` + labels, Samples: every(time.Minute, counter(rate))})
		}
	}
	commits := func(labels string, rate float64) prometheustest.Series {
		return prometheustest.Series{Name: "pg_stat_database_xact_commit", Labels: labels,
			Samples: every(10*time.Minute, counter(rate))}
	}
	for reset, part := range map[string][2]time.Duration{"2026-11-01T00:00:00Z": {0, command.Day},
		"2026-11-02T00:00:00Z": {command.Day + time.Minute, 2 * command.Day}} {
		since := func(since time.Duration) float64 { return 100 * (since - part[0]).Seconds() }
		all = append(all, prometheustest.Series{Name: "cnpg_collector_wal_records",
			Labels:  `instance="db1:9187",stats_reset="` + reset + `"`,
			Samples: between(part[0], part[1], time.Minute, since)})
	}
	return append(all, commits(`instance="db1:9187",datname="app",datid="16384"`, 10),
		commits(`instance="db1:9187",datname="postgres",datid="5"`, 0.1), commits(`instance="bare:9187",datname="app"`, 1))
}

// runsFleet runs the command at the end of the planted time.
func runsFleet(t *testing.T, code int, args ...string) (out, said string) {
	t.Helper()
	return fleetAt(t, fleetBegin.Add(fleetDays*command.Day+7*time.Minute), code, args...)
}

// ranksLegacy runs the command at the end of the machine legacy's days.
func ranksLegacy(t *testing.T, code int, args ...string) (out, said string) {
	t.Helper()
	return fleetAt(t, time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC), code, args...)
}

func fleetAt(t *testing.T, now time.Time, code int, args ...string) (out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv, Now: func() time.Time {
		return now
	}}
	if got := Main(env, append([]string{"fleet"}, args...)); got != code {
		t.Fatalf("%v: exit status %d, want %d\n%s%s", args, got, code, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// fleetOf decodes the JSON ranking, by name.
func fleetOf(t *testing.T, out string) map[string]fleet.Database {
	t.Helper()
	var f fleet.Fleet
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := map[string]fleet.Database{}
	for _, d := range f.Databases {
		all[d.Name] = d
	}
	return all
}

const plantedHas = `database,volume,gib,iops,class,region
orders,rds-gp2,100,,,us-east-1
idle,rds-io1,500,10000,,us-east-1
db1,gp3,200,6000,,us-east-1
`

// TestFleetOfAPrometheus: the report agrees with the planted data, by arithmetic and the price list of us-east-1. A
// kept fleet is continued, and ranked again without the store.
func TestFleetOfAPrometheus(t *testing.T) {
	t.Parallel()
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) { fleetOfAStore(t, start(t, plantedFleet()...)) })
	}
}

func fleetOfAStore(t *testing.T, url string) {
	t.Helper()
	dir, has := filepath.Join(t.TempDir(), "fleet"), filepath.Join(t.TempDir(), "has.csv")
	if err := os.WriteFile(has, []byte(plantedHas), 0o600); err != nil {
		t.Fatal(err)
	}
	first, said := runsFleet(t, command.ExitDone, "--prometheus", url, "--for", "3d", "--dir", dir, "--has", has,
		"--format", "json")
	if !strings.Contains(said, "5 databases, none yet kept in "+dir+"; about 9 queries") {
		t.Errorf("said: %s", said)
	}
	checkPlanted(t, fleetOf(t, first))

	torn := filepath.Join(dir, ".idle.jsonl.zst") // of a process killed while writing it
	if err := errors.Join(os.Remove(filepath.Join(dir, "idle.jsonl.zst")),
		os.WriteFile(torn, []byte("torn"), 0o600)); err != nil {
		t.Fatal(err)
	}
	again, said := runsFleet(t, command.ExitDone, "--prometheus", url, "--for", "3d", "--dir", dir, "--has", has,
		"--format", "json")
	if !strings.Contains(said, "5 databases, 4 already kept") || again != first {
		t.Errorf("begun again: %s\n%s", said, again)
	}
	if kept, _ := runsFleet(t, command.ExitDone, dir, "--has", has, "--format", "json"); kept != first {
		t.Errorf("of what is kept:\n%s", kept)
	}
	// a file and a page of each, the page of all, and the request
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5+5+2 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	_, said = runsFleet(t, command.ExitUsage, "--prometheus", url, "--for", "2d", "--dir", dir)
	if !strings.Contains(said, "which is another length; name another directory with --dir") {
		t.Errorf("said: %s", said)
	}
	_, said = runsFleet(t, command.ExitUsage, "--prometheus", url, "--for", "3d", "--until", "2026-10-31T18:30:00Z",
		"--dir", dir)
	if !strings.Contains(said, ", not until 2026-10-31T18:00:00Z; name another directory with --dir") {
		t.Errorf("said: %s", said)
	}
}

func checkPlanted(t *testing.T, all map[string]fleet.Database) {
	t.Helper()
	orders, idle, db1 := all["orders"], all["idle"], all["db1"]
	if len(all) != 5 || orders.Need == nil || idle.Need == nil || db1.Need == nil || orders.Risk.Credits == nil ||
		idle.Saves == nil || db1.Saves == nil {
		t.Fatalf("%+v", all)
	}
	cents(t, "orders, the median hour", orders.Need.Typical.Requests, 500)
	cents(t, "orders, its bytes", orders.Need.WorstHour.MiBps, 500*8192/float64(1<<20))
	cents(t, "orders, of 3 IOPS for each GiB", orders.Risk.Uses, 500/300.0)
	// the balance is below 1% from 7 h 25 min on
	if orders.Risk.Level != fleet.Exhausted || orders.Risk.Credits.Hours != 72-7 ||
		orders.Risk.Credits.Metric != "BurstBalance" {
		t.Errorf("orders: %+v %+v", orders.Risk, *orders.Risk.Credits)
	}
	cents(t, "orders, saved, as a GiB of gp3 costs what one of gp2 does", orders.Saves.Value, 0)
	if orders.Order == nil || orders.Order.Volume != "rds-gp3" {
		t.Errorf("orders: order %+v", orders.Order)
	}
	// (10:00, 11:00] has ten five-minute readings of 900, the last of them with the next hour's 100, and two of 1,800
	cents(t, "idle, the worst hour", idle.Need.WorstHour.Requests, (9*900+2*1800+100)/12.0)
	cents(t, "idle, its highest minutes", idle.Need.Most.Requests, 1800)
	cents(t, "idle, the worst day", idle.Need.WorstDay.Requests, (23*100+(9*900+2*1800+100)/12.0)/24+800/12.0/24)
	cents(t, "idle, saved", idle.Saves.Value, 500*(0.125-0.115)+10000*0.10)
	if idle.Risk.Credits != nil || idle.Risk.Level != fleet.None {
		t.Errorf("io1 has no credits: %+v", idle.Risk)
	}
	cents(t, "db1, the worst hour", db1.Need.WorstHour.Requests, 100)
	cents(t, "db1, saved", db1.Saves.Value, 3000*0.005)
	if db1.Known != 72-2 {
		t.Errorf("db1: %d hours are known, and in two nobody scraped", db1.Known)
	}
	for name, want := range map[string]string{"bare": "no node_exporter has the machine's name",
		"nobody-knows": "on Aurora WriteIOPS counts WAL records"} {
		if d := all[name]; d.Saves != nil || d.Need != nil || len(d.Lacks) != 1 || !strings.Contains(d.Lacks[0], want) {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestMadeFleetIsTheReal: the generator of the script that measures a thousand databases answers like a real
// Prometheus with the same samples.
func TestMadeFleetIsTheReal(t *testing.T) {
	t.Parallel()
	made := &prometheustest.Made{Instances: 2}
	server := httptest.NewServer(made)
	defer server.Close()
	real := prometheustest.Start(t, made.Sampled(fleetBegin.Add(-time.Hour), fleetBegin.Add(fleetDays*command.Day))...)
	has := filepath.Join(t.TempDir(), "has.csv")
	if err := os.WriteFile(has, []byte("database,volume,gib,iops\ndb-0001,rds-gp2,500,\ndb-0002,rds-io1,500,9000\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	ranked := func(url string) map[string]fleet.Database {
		out, _ := runsFleet(t, command.ExitDone, "--prometheus", url, "--for", "3d", "--dir",
			filepath.Join(t.TempDir(), "fleet"), "--has", has, "--format", "json")
		return fleetOf(t, out)
	}
	if diff := cmp.Diff(ranked(real), ranked(server.URL), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-real +made):\n%s", diff)
	}
}
