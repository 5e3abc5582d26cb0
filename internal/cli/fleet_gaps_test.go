package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// gapDays is the length in days of the history of the fleet with gaps.
const gapDays = 10

// between returns the samples of a series between two times since the begin.
func between(from, to, step time.Duration, value func(since time.Duration) float64) (all []prometheustest.Sample) {
	for since := from; since <= to; since += step {
		all = append(all, prometheustest.Sample{At: fleetBegin.Add(since), Value: value(since)})
	}
	return all
}

// serverOn returns a PostgreSQL server on a machine, with labels; its disk writes 8 KiB at
// that rate, counting from count.
func serverOn(host, labels string, from, to, step time.Duration, rate, count float64) (all []prometheustest.Series) {
	counter := func(rate float64) func(time.Duration) float64 {
		return func(since time.Duration) float64 { return count + rate*since.Seconds() }
	}
	for metric, factor := range map[string]float64{"reads_completed": 0, "writes_completed": 1, "read_bytes": 0,
		"written_bytes": 8192} {
		all = append(all, prometheustest.Series{Name: "node_disk_" + metric + "_total", Labels: `instance="` + host +
			`:9100",device="nvme0n1"` + labels,
			Samples: between(from, to, step, counter(rate*factor))})
	}
	return append(all, prometheustest.Series{Name: "pg_stat_database_xact_commit", Labels: `instance="` + host +
		`:9187",datname="app"` + labels,
		Samples: between(from, to, time.Hour, counter(rate/3))})
}

// changedInterval is scraped every 15 s at 200 writes a second, and in the last days every minute at 8,000.
func changedInterval() []prometheustest.Series {
	const first, change = 8 * command.Day, 8*command.Day + 18*time.Hour
	all := serverOn("interval", "", first, gapDays*command.Day, command.Day, 0, 0)
	for i, s := range all {
		scale := map[string]float64{"node_disk_writes_completed_total": 1,
			"node_disk_written_bytes_total": 8192}[s.Name]
		total := func(since time.Duration) float64 {
			return scale * (200*(min(since, change)-first).Seconds() + 8000*max(0, since-change).Seconds())
		}
		if strings.HasPrefix(s.Name, "node_") {
			all[i].Samples = slices.Concat(between(first, change, 15*time.Second, total),
				between(change+time.Minute, gapDays*command.Day, time.Minute, total))
		}
	}
	return all
}

func gapsFleet() (all []prometheustest.Series) {
	all = append(all, changedInterval()...)
	all = append(all, serverOn("whole", "", 0, gapDays*command.Day, 10*time.Minute, 100, 0)...)
	// ended after five days
	all = append(all, serverOn("ended", "", 0, 5*command.Day, 10*time.Minute, 100, 0)...)
	// began four days ago
	all = append(all, serverOn("late", "", 6*command.Day, gapDays*command.Day, 10*time.Minute, 100, 0)...)
	// the same address in two clusters, and one scraped by two Prometheus servers with different labels
	all = append(all, serverOn("pg", `,cluster="eu"`, 0, gapDays*command.Day, 10*time.Minute, 50, 1000)...)
	all = append(all, serverOn("pg", `,cluster="us"`, 0, gapDays*command.Day, 10*time.Minute, 1100, 5e6)...)
	all = append(all, serverOn("copied", `,scraper="a"`, 0, gapDays*command.Day, 10*time.Minute, 70, 1000)...)
	all = append(all, serverOn("copied", `,scraper="b"`, 0, gapDays*command.Day, 10*time.Minute, 70, 1000)...)
	// two addresses of IPv6
	all = append(all, serverOn("[fd00::1]", "", 0, gapDays*command.Day, 10*time.Minute, 30, 0)...)
	all = append(all, serverOn("[fd00::2]", "", 0, gapDays*command.Day, 10*time.Minute, 60, 0)...)
	// a renamed job, whose counters continue, and an address that another pod got
	all = append(all, serverOn("renamed", `,job="old"`, 0, 5*command.Day, 10*time.Minute, 40, 0)...)
	all = append(all, serverOn("renamed", `,job="new"`, 5*command.Day+10*time.Minute, gapDays*command.Day,
		10*time.Minute, 40, 0)...)
	// 100 GiB of gp2 at 600 a second empty 5.4 million credits in 5 hours; nothing is known for the last two days
	credits := func(until time.Duration) map[string][]prometheustest.Sample {
		v := func(x float64) []prometheustest.Sample { return between(0, until, 5*time.Minute, always(x)) }
		return map[string][]prometheustest.Sample{"read_iops": v(320), "write_iops": v(0),
			"read_throughput": v(320 * 8192), "write_throughput": v(0),
			"burst_balance": between(0, until, 5*time.Minute, func(since time.Duration) float64 {
				return 100 - 100*since.Seconds()*20/5.4e6
			})}
	}
	for name, until := range map[string]time.Duration{"stale": 2 * command.Day, "running": 2*command.Day +
		13*command.Day/2} {
		for metric, samples := range credits(until) {
			all = append(all, prometheustest.Series{Name: "aws_rds_" + metric + "_average",
				Labels: `dimension_DBInstanceIdentifier="` + name + `"`, Samples: samples})
		}
	}
	// one name in two accounts
	for account, rate := range map[string]float64{"111": 10, "222": 900} {
		for metric, v := range map[string]float64{"read_iops": rate, "write_iops": 0, "read_throughput": rate * 8192,
			"write_throughput": 0} {
			all = append(all, prometheustest.Series{Name: "aws_rds_" + metric + "_average",
				Labels:  `dimension_DBInstanceIdentifier="shop",account_id="` + account + `"`,
				Samples: between(0, gapDays*command.Day, 5*time.Minute, always(v))})
		}
	}
	return all
}

const gapsHas = `database,volume,gib,iops
interval,io2,500,9000
whole,io2,500,9000
ended,io2,500,9000
late,io2,500,9000
eu/pg,io2,500,9000
us/pg,io2,500,9000
copied,io2,500,9000
renamed,io2,500,9000
fd00::1,io2,500,9000
fd00::2,io2,500,9000
stale,rds-gp2,100,
running,rds-gp2,100,
111/shop,rds-gp3,500,
222/shop,rds-gp3,500,
nowhere,gp3,500,
`

// TestFleetGaps: the known part of each database's time is reported, and databases of one name
// are joined only if they agree.
func TestFleetGaps(t *testing.T) {
	t.Parallel()
	url := prometheustest.Start(t, gapsFleet()...)
	has, dir := filepath.Join(t.TempDir(), "has.csv"), filepath.Join(t.TempDir(), "fleet")
	if err := os.WriteFile(has, []byte(gapsHas), 0o600); err != nil {
		t.Fatal(err)
	}
	now := fleetBegin.Add(gapDays*command.Day + time.Minute)
	out, _ := fleetAt(t, now, command.ExitDone, "--prometheus", url, "--for", "10d", "--has", has, "--dir", dir,
		"--format", "json")
	all := fleetOf(t, out)
	for name, want := range map[string]struct {
		known int
		worst float64
		order bool
	}{
		"interval": {48, 8000, false}, "whole": {240, 100, true}, "ended": {120, 100, false}, "late": {96, 100, false},
		"eu/pg": {240, 50, true}, "us/pg": {240, 1100, true}, "copied": {240, 70, true}, "renamed": {240, 40, true},
		"fd00::1": {240, 30, true}, "fd00::2": {240, 60, true}, "111/shop": {240, 10, true},
		"222/shop": {240, 900, true},
	} {
		d, is := all[name]
		if !is || d.Need == nil {
			t.Errorf("%s: %v %+v", name, is, d)
			continue
		}
		if d.Hours != 240 || math.Abs(float64(d.Known-want.known)) > 1 || (d.Saves != nil) != want.order ||
			math.Abs(d.Need.WorstHour.Requests-want.worst) > 0.02*want.worst {
			t.Errorf("%s: %d of %d h, %g in the worst hour, saves %v, lacks %q", name, d.Known, d.Hours,
				d.Need.WorstHour.Requests, d.Saves, d.Lacks)
		}
	}
	if len(all) != 14 {
		t.Errorf("%d databases", len(all))
	}
	for _, name := range []string{"stale", "running"} {
		if c := all[name].Risk.Credits; c == nil || c.Ends != nil || c.Early != nil || all[name].Saves != nil {
			t.Errorf("%s: credits %+v, saves %v", name, c, all[name].Saves)
		}
	}
	coverageSaid(t, now, has, dir, out)
}

// coverageSaid checks that each format reports the known time of the database that ended.
func coverageSaid(t *testing.T, now time.Time, has, dir, asJSON string) {
	t.Helper()
	const since = "known 120 of 240 h, nothing since 6 Nov"
	oneLine := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	text, _ := fleetAt(t, now, command.ExitDone, dir, "--has", has, "--top", "20")
	for _, part := range []string{since, "no order: no data since 6 Nov",
		"1 named by --has was not found.", "nowhere: named by --has, but not in the source"} {
		if !strings.Contains(oneLine(text), part) {
			t.Errorf("the text does not say %q:\n%s", part, text)
		}
	}
	for _, page := range []string{"index.html", fleet.FileOf("ended")} {
		if html, err := os.ReadFile(filepath.Join(dir, page)); err != nil || !strings.Contains(string(html), since) {
			t.Errorf("%s does not say it: %v", page, err)
		}
	}
	table, _ := fleetAt(t, now, command.ExitDone, dir, "--has", has, "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var ended []string
	for _, row := range rows {
		if row[0] == "ended" {
			for _, column := range []string{"hours", "known_hours", "known_until"} {
				ended = append(ended, row[slices.Index(rows[0], column)])
			}
		}
	}
	if !slices.Equal(ended, []string{"240", "120", "2026-11-06T00:00:00Z"}) {
		t.Errorf("CSV: %q", ended)
	}
	var f fleet.Fleet
	if err := json.Unmarshal([]byte(asJSON), &f); err != nil || !slices.Equal(f.NotFound, []string{"nowhere"}) {
		t.Errorf("not found: %q, %v", f.NotFound, err)
	}
	metrics, _ := fleetAt(t, now, command.ExitDone, dir, "--has", has, "--format", "openmetrics")
	samples := prometheustest.Samples(t, metrics)
	at := float64(fleetBegin.Add(5 * command.Day).Unix())
	if got := samples[`realiops_database_known_until_timestamp_seconds{database="ended"}`]; got != at {
		t.Errorf("known until %v, want %v", got, at)
	}
	if got, want := samples[`realiops_database_known_ratio{database="ended"}`], 120/240.0; math.Abs(got-want) > 0.01 {
		t.Errorf("known ratio %v, want %v", got, want)
	}
	if samples[`realiops_database_not_found{database="nowhere"}`] != 1 {
		t.Error("what was not found has no sample")
	}
}

// TestFleetOfOddSources: counters that reset all the time, sparse samples, and minutes below their mean are
// reported, and no order is too small.
func TestFleetOfOddSources(t *testing.T) {
	t.Parallel()
	planted := serverOn("rare", "", 0, command.Day, 3*time.Hour, 300, 0)
	for _, s := range serverOn("anew", "", 0, command.Day, 2*time.Minute, 300, 0) {
		for i := range s.Samples { // five samples; the step to the next is lost
			s.Samples[i].Value *= float64(i%5) / float64(max(1, i))
		}
		planted = append(planted, s)
	}
	for metric, v := range map[string]float64{"read_iops": 0, "write_iops": 300, "read_throughput": 0,
		"write_throughput": 300 * 8192} {
		for statistic, times := range map[string]float64{"average": 1, "maximum": 0.1} {
			planted = append(planted, prometheustest.Series{Name: "aws_rds_" + metric + "_" + statistic,
				Labels:  `dimension_DBInstanceIdentifier="low"`,
				Samples: between(0, command.Day, 5*time.Minute, always(v*times))})
		}
	}
	has := filepath.Join(t.TempDir(), "has.csv")
	if err := os.WriteFile(has, []byte("database,volume,gib\nrare,gp3,500\nanew,gp3,500\nlow,rds-gp3,500\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitDone, "--prometheus",
		prometheustest.Start(t, planted...), "--for", "1d", "--has", has,
		"--dir", filepath.Join(t.TempDir(), "fleet"), "--format", "json")
	all := fleetOf(t, out)
	for name, want := range map[string]string{"rare": "it is scraped less",
		"anew": "in 24 h its counters were reset several times",
		"low":  "in 24 hours its busiest minute is below the hour's mean"} {
		if said := strings.Join(all[name].Lacks, "; "); !strings.Contains(said, want) || name != "low" &&
			all[name].Saves != nil {
			t.Errorf("%s: saves %v, lacks %s", name, all[name].Saves, said)
		}
	}
	if n := all["low"].Need; n == nil || n.Most == nil || math.Abs(n.Most.Requests-300) > 1 {
		t.Errorf("low: %+v", n)
	}
}
