package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/diagnosis"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/prometheustest"
	"github.com/realiops/realiops/internal/test/runfiletest"
	"github.com/realiops/realiops/internal/test/servertest"
)

const observed = "../../testdata/runs/observed-pg17.jsonl.zst"

// runs runs a command.
func runs(t *testing.T, want int, args ...string) (out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: os.Getenv, Now: time.Now}
	if code := Main(env, args); code != want {
		t.Fatalf("%q: exit status %d, want %d\n%s%s", args, code, want, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// TestHistoryIsTheObservation: history from a real store gives the verdicts and the size of the observation's file.
func TestHistoryIsTheObservation(t *testing.T) {
	t.Parallel()
	planted, same, last := prometheustest.Observation(t, observed)
	from := runfiletest.Write(t, "same.jsonl", same)
	// VictoriaMetrics stores decimal digits instead of bits, and so loses digits in differences of counters.
	off := map[string]float64{"VictoriaMetrics": 1e-9}
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) { observedThrough(t, start(t, planted...), from, last, off[engine]) })
	}
}

func observedThrough(t *testing.T, url, from string, last time.Time, off float64) {
	t.Helper()
	through := filepath.Join(t.TempDir(), "through.jsonl")
	_, said := runs(t, command.ExitDone, "history", "--prometheus", strings.Replace(url, "://",
		"://me:planted-password@", 1), "--until", last.Add(time.Second).Format(time.RFC3339), "--for", "1h",
		"-o", through)
	if strings.Contains(said, "planted-password") {
		t.Errorf("it says %s", said)
	}
	if text, err := os.ReadFile(through); err != nil || strings.Contains(string(text), "planted-password") {
		t.Errorf("the file has the password of the store, or %v", err)
	}
	sameAnswers(t, from, through, off)
	out, _ := runs(t, command.ExitDone, "report", through, "--format", "json")
	if !strings.Contains(out, `"verdict": "physical"`) || !strings.Contains(out, `"verdict": "logical"`) {
		t.Errorf("no verdict in\n%s", out)
	}
}

// TestHistoryOfADump: the same for promtool's dump of a store, and for OpenMetrics.
func TestHistoryOfADump(t *testing.T) {
	t.Parallel()
	planted, same, _ := prometheustest.Observation(t, observed)
	from := runfiletest.Write(t, "same.jsonl", same)
	for name, text := range map[string][]byte{"dump": prometheustest.Dump(t, planted...),
		"openmetrics": []byte(prometheustest.OpenMetrics(planted))} {
		file, through := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), name+".jsonl")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		runs(t, command.ExitDone, "history", file, "-o", through)
		sameAnswers(t, from, through, 0)
		runs(t, command.ExitUsage, "history", file, "--host", `instance!="db1:9100"`, "--server", `instance!~"db1.*"`,
			"-o", filepath.Join(t.TempDir(), "none"))
	}
	for text, want := range map[string]string{
		"no samples at all":               "line 1: not a sample",
		"\x1f\x8bpacked":                  "the file is compressed; unpack it first",
		"<html>":                          "it is a web page or XML",
		"{\"kind\":\"run\",\"schema\":1}": "is a run file; realiops report and realiops size read it",
		"pg_wal_records{a=\"b\" 1 2":      "line 1: not a sample",
		"pg_wal_records{a=\"b\"} x 2":     `invalid value "x"`,
		"pg_wal_records{a=\"b\"} 1":       `invalid timestamp ""`,
		"pg_wal_records{a!=\"b\"} 1 2":    "a label appears twice",
		"pg_wal_records{a=\"\\q\"} 1 2":   "invalid label value",
		"# EOF":                           "no samples of PostgreSQL or of a disk",
	} {
		file := filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, said := runs(t, command.ExitUsage, "history", file); !strings.Contains(said, want) {
			t.Errorf("%q: %s, want %s", text, said, want)
		}
	}
}

// TestHistoryOfSysstat: a machine's size uses the same hours as fleet does from the same files, and fleet's
// file of it gives the same size.
func TestHistoryOfSysstat(t *testing.T) {
	t.Parallel()
	days := []string{"../../testdata/fleet/legacy-18.json", "../../testdata/fleet/legacy-19.json",
		"../../testdata/fleet/legacy-20.json"}
	path, dir := filepath.Join(t.TempDir(), "legacy.jsonl"), filepath.Join(t.TempDir(), "fleet")
	out, _ := runs(t, command.ExitDone, append([]string{"history", "-o", path}, days...)...)
	if !strings.Contains(out, "from stored metrics; observed for 3 days") {
		t.Errorf("it says %s", out)
	}
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) > 45 ||
		!strings.HasPrefix(lines[0], "In its busiest hour") ||
		lines[len(lines)-1] != "  realiops size "+path+" --gib 500" {
		t.Errorf("not a screen that begins with the answer and ends with what to do next:\n%s", out)
	}
	// four metrics in each of 72 hours, mean and maximum
	table, _ := runs(t, command.ExitDone, "report", path, "--format", "csv")
	if rows := strings.Split(strings.TrimSpace(table), "\n"); len(rows) != 1+4*2*72 ||
		!slices.Contains(rows, "block/writes,Average,2026-11-18T02:00:00Z,2026-11-18T03:00:00Z,300") {
		t.Errorf("%d rows of CSV, the first %q", len(rows), rows[:2])
	}
	ranked, _ := runs(t, command.ExitDone,
		append([]string{"fleet", "--dir", dir, "--has", "../../testdata/fleet/legacy.csv", "--format", "json"},
			days...)...)
	size, need := sizedOf(t, path), fleetOf(t, ranked)["legacy"].Need
	for _, args := range [][]string{{"size", path}, {"size", "--need", "iops=100,kb=8"}} {
		out, _ := runs(t, command.ExitDone, append(args, "--format", "json")...)
		all := regexp.MustCompile(`"flushes": (.*?),?\n`).FindAllStringSubmatch(out, -1)
		if len(all) == 0 || slices.ContainsFunc(all, func(one []string) bool { return one[1] != "null" }) {
			t.Errorf("%v: flushes that nobody knows are %q", args, all)
		}
	}
	cents(t, "requests", size.Sized.Rate.Requests(), need.Most.Requests)
	cents(t, "bytes", size.Sized.Rate.Bytes()/(1<<20), need.Most.MiBps)
	cents(t, "the mean", size.Needs[0].Mean.Requests(), meanTransfers(t, days))
	if diff := cmp.Diff(size.Needs, sizedOf(t, filepath.Join(dir, "legacy.jsonl.zst")).Needs); diff != "" {
		t.Errorf("(-history +fleet):\n%s", diff)
	}
}

// meanTransfers returns the mean of tps in sadf files, over their whole time.
func meanTransfers(t *testing.T, files []string) float64 {
	t.Helper()
	sum, seconds := 0.0, 0.0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range regexp.MustCompile(`"interval": (\d+)}, "io": {"tps": ([0-9.]+)`).FindAllStringSubmatch(
			string(text), -1) {
			length, _ := strconv.ParseFloat(one[1], 64)
			rate, _ := strconv.ParseFloat(one[2], 64)
			sum, seconds = sum+length*rate, seconds+length
		}
	}
	return sum / seconds
}

// sameAnswers checks that two files give the same verdicts and sizes, within a relative error.
func sameAnswers(t *testing.T, from, through string, off float64) {
	t.Helper()
	verdicts := func(path string) any {
		var r struct{ Metrics, Loads, Headline, Observed any }
		out, _ := runs(t, command.ExitDone, "report", path, "--format", "json")
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if diff := cmp.Diff(verdicts(from), verdicts(through), cmp.FilterPath(aside, cmp.Ignore()),
		cmpopts.EquateApprox(off, 0)); diff != "" {
		t.Errorf("(-observed +through the store):\n%s", diff)
	}
	size := func(path string) any {
		var r struct{ Options, Needs any }
		out, _ := runs(t, command.ExitDone, "size", path, "--format", "json")
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if diff := cmp.Diff(size(from), size(through), cmpopts.EquateApprox(off, 0)); diff != "" {
		t.Errorf("(-observed +through the store):\n%s", diff)
	}
}

// aside reports whether a path may differ between the two ways: descriptions of a metric, the cost of watching, and
// values that need the server's page size, which no store has. None of them is a measured number.
func aside(path cmp.Path) bool {
	last, is := path.Last().(cmp.MapIndex)
	if is && slices.Contains([]string{"missing", "page_image_bytes_most"}, last.Key().String()) {
		return strings.Contains(path.GoString(), `["wal"]`)
	}
	return is && slices.Contains([]string{"probe", "help", "caveat", "cost", "top"}, last.Key().String())
}

// TestDoctorOfAStore: a history's missing metrics are named, and the remedy supplies them.
func TestDoctorOfAStore(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	var planted []prometheustest.Series
	plant := func(machine string, names ...string) {
		for _, name := range names {
			s := prometheustest.Series{Name: name, Labels: `instance="` + machine + `:1",device="sda"`}
			for i := range 10 {
				s.Samples = append(s.Samples, prometheustest.Sample{At: begin.Add(time.Duration(i) * time.Minute),
					Value: float64(i)})
			}
			planted = append(planted, s)
		}
	}
	rows := []string{"pg_stat_database_xact_commit", "pg_stat_database_tup_inserted"}
	disk := []string{"node_disk_writes_completed_total", "node_disk_written_bytes_total",
		"node_disk_flush_requests_total"}
	wal := []string{"cnpg_collector_wal_records", "cnpg_collector_wal_bytes", "cnpg_collector_wal_write",
		"cnpg_collector_wal_sync"}
	plant("rows", rows...)
	plant("with-disk", slices.Concat(rows, disk)...)
	plant("with-wal", slices.Concat(rows, wal)...)
	plant("with-all", slices.Concat(rows, disk, wal, []string{"pg_stat_checkpointer_buffers_written_total"})...)
	plant("disk-alone", disk...)
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) { diagnosed(t, start(t, planted...)) })
	}
}

func diagnosed(t *testing.T, url string) {
	t.Helper()
	args := []string{"doctor", "--prometheus", url, "--until", "2026-11-02T10:30:00Z", "--for", "2h"}
	out, _ := runs(t, command.ExitDone, append(args, "--format", "json")...)
	var d diagnosis.Store
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	type concluded struct {
		Sizes, Verdicts bool
		Lacks, Samples  int
	}
	got := map[string]concluded{}
	for _, s := range d.Servers {
		got[s.Machine] = concluded{s.Sizes, s.Verdicts, len(s.Lacks), s.Samples}
	}
	want := map[string]concluded{
		"rows": {false, false, 5, 10}, "with-disk": {true, true, 3, 10}, "with-wal": {false, true, 3, 10},
		"with-all": {true, true, 0, 10}, "disk-alone": {true, false, 4, 10},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, _ := runs(t, command.ExitDone, args...)
	for _, part := range []string{"pages written by checkpoints: of disk-alone, rows, with-disk, with-wal",
		"--collector.stat_checkpointer", "diskstats is on by default"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), part) {
			t.Errorf("it does not say %q:\n%s", part, text)
		}
	}
	runs(t, command.ExitCannotTell, append(args, "--server", `instance="rows:1"`, "--host", `instance="none"`)...)
	_, said := runs(t, command.ExitCannotTell, append(args, "--server", `instance="none"`, "--host",
		`instance="none"`)...)
	if !strings.Contains(said, "no metric of PostgreSQL") {
		t.Error(said)
	}
	if _, said := runs(t, command.ExitUsage, "doctor", "--tenant", "shop"); !strings.Contains(said,
		"name it with --prometheus") {
		t.Error(said)
	}
	if _, said := runs(t, command.ExitUsage, append(args, "--dsn", "x")...); !strings.Contains(said,
		"checks a store, not a server") {
		t.Error(said)
	}
}

// TestRemedies: Debian's exporters on a real server lack what doctor says, and nothing with the
// queries of docs/reference/stores.md.
func TestRemedies(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/stores.md")
	if err != nil {
		t.Fatal(err)
	}
	_, queries, _ := strings.Cut(string(page), "```yaml\n")
	queries, _, _ = strings.Cut(queries, "```")
	file := filepath.Join(t.TempDir(), "queries.yml")
	if err := os.WriteFile(file, []byte(queries), 0o600); err != nil {
		t.Fatal(err)
	}
	node := prometheustest.NodeExporter(t)
	lacks := func(version string, args []string, want ...string) {
		t.Helper()
		server := servertest.Start(t, embedded.Options{Version: version})
		store := prometheustest.Scraping(t, node, prometheustest.PostgresExporter(t, server.URL(), args...))
		var got []string
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
			if up, _ := prometheustest.Ask(t, store, "sum(up) == 2"); len(up) == 0 {
				continue
			}
			out, _ := runs(t, command.ExitDone, "doctor", "--prometheus", store, "--for", "1h", "--format", "json")
			var d diagnosis.Store
			if err := json.Unmarshal([]byte(out), &d); err != nil {
				t.Fatal(err)
			}
			got = nil
			for _, s := range d.Servers {
				for _, l := range s.Lacks {
					got = append(got, l.What)
				}
			}
			if len(d.Servers) == 1 && slices.Equal(got, want) {
				return
			}
		}
		t.Errorf("%s %v lacks %q, want %q", version, args, got, want)
	}
	lacks("17", nil, "WAL records and bytes", "WAL writes and fsyncs", "pages written by checkpoints")
	lacks("17", []string{"--extend.query-path=" + file})
	lacks("15", []string{"--extend.query-path=" + file})
}

// TestHistoryOfAnExporterOfCloudWatch: an instance's hours from YACE are read, and sized if declared as RDS: like
// CloudWatch's own, for the highest minutes.
func TestHistoryOfAnExporterOfCloudWatch(t *testing.T) {
	t.Parallel()
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) {
			url, path := start(t, slices.Concat(handedOn("idle", plantedIdle()), handedOn("other", plantedIdle()))...),
				filepath.Join(t.TempDir(), "idle.jsonl")
			args := []string{"history", "--prometheus", url, "--until",
				fleetBegin.Add(fleetDays * command.Day).Format(time.RFC3339), "--for", "3d", "-o", path}
			if _, said := runs(t, command.ExitUsage, args...); !strings.Contains(said,
				"an exporter of CloudWatch has 2 instances, idle among them; pick one") {
				t.Error(said)
			}
			args = append(args, "--server", `dimension_DBInstanceIdentifier="idle"`)
			runs(t, command.ExitDone, append(args, "--flavor", "rds")...)
			size := sizedOf(t, path, "--percentile", "100", "--gib", "500", "--on", "rds")
			cents(t, "the highest minutes", size.Sized.Rate.Requests(), 1800)
			cents(t, "their bytes", size.Sized.Rate.Bytes(), 1800*16384)
			cents(t, "the mean", size.Needs[0].Mean.Requests(), 100+(10*800+2*1700)/288.0)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			runs(t, command.ExitDone, args...)
			if out, said := runs(t, command.ExitUsage, "size", path); !strings.Contains(out+said,
				"pass --flavor to realiops history") {
				t.Error(out, said)
			}
		})
	}
}

// TestHistoryNamesTheMissingMetric: before anything else, since without one of four the work of storage is unknown.
func TestHistoryNamesTheMissingMetric(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/history/orders.json")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "orders.json")
	renamed := strings.ReplaceAll(string(text), "ReadThroughput ", "ReadLatency ")
	if err := os.WriteFile(file, []byte(renamed), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := runs(t, command.ExitDone, "history", file, "../../testdata/history/orders-described.json", "-o",
		filepath.Join(t.TempDir(), "orders.jsonl"))
	const want = "What storage did is unknown, since the mean of CloudWatch ReadThroughput is\nmissing.\n"
	if !strings.HasPrefix(out, want) {
		t.Errorf("it begins with %q, want %q", out[:min(len(out), 200)], want)
	}
}
