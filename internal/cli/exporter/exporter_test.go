package exporter_test

import (
	"compress/gzip"
	"io"
	"maps"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/exporter"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

func listen(t *testing.T) *exporter.Server {
	t.Helper()
	s, err := exporter.Listen(t.Context(), "0", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return string(text)
}

// TestExporter follows the shipped observation to its end: every counter has the file's last value, the output passes
// promtool's check, and it contains no text of a statement.
func TestExporter(t *testing.T) {
	const observed = "../../../testdata/runs/observed-pg17.jsonl.zst"
	s := listen(t)
	records, file, err := runfile.OpenRows(observed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	last, statements := map[string]float64{}, 0
	for record, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if row, is := record.(runfile.Row); is {
			reading := row.Reading()
			maps.Copy(last, reading.Values)
			record = reading
		}
		if top, is := record.(runfile.Top); is {
			statements += len(top.Items)
		}
		s.Record(record)
	}
	run, err := tally.FromFile(observed)
	if err != nil {
		t.Fatal(err)
	}
	s.Judged(attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}).Metrics)

	text := get(t, s.URL())
	got := prometheustest.Samples(t, text)
	for name, want := range map[string]float64{
		"realiops_pgstat_wal_wal_records_total{}":                                                      last["pgstat.wal/wal_records"],
		"realiops_block_write_bytes_total{}":                                                           last["block/write_bytes"],
		"realiops_pgstat_lsn_insert_bytes_total{}":                                                     last["pgstat.lsn/insert"],
		"realiops_pgstat_database_xact_commit_total{}":                                                 last["pgstat.database/xact_commit"],
		`realiops_probe_up{probe="block"}`:                                                             1,
		`realiops_server_info{database="postgres",flavor="postgres",host="",port="0",version="17.11"}`: 1,
		`realiops_metric_info{counts="commits",metric="pgstat.database/xact_commit",name="pg_stat_database.xact_commit",verdict="logical"}`: 1,
	} {
		if v, is := got[name]; !is || v != want || v == 0 {
			t.Errorf("%s is %v (%v), want %v", name, v, is, want)
		}
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(got)), func(name string) bool {
		return strings.Contains(name, `verdict="silent"`) && strings.Contains(name, "pgstat.io/temp")
	}) {
		t.Error("what no load moves and nobody takes for I/O is in it")
	}
	if statements == 0 || strings.Contains(text, "insert into") {
		t.Errorf("of %d statements there is a text in it", statements)
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	check := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}
}

// TestMissingIsNotThere: a value missing in the last reading is neither 0 nor unchanged, and a
// time that never was is absent.
func TestMissingIsNotThere(t *testing.T) {
	s := listen(t)
	const wal, reset, writes = "realiops_pgstat_wal_wal_records_total{}",
		"realiops_pgstat_wal_stats_reset_timestamp_seconds{}", "realiops_block_writes_total{}"
	check := func(when string, there ...string) {
		t.Helper()
		got := prometheustest.Samples(t, get(t, s.URL()))
		for _, name := range []string{wal, reset, writes} {
			if _, is := got[name]; is != slices.Contains(there, name) {
				t.Errorf("%s: %s is there: %v", when, name, is)
			}
		}
		up := got[`realiops_probe_up{probe="pgstat"}`]
		if want := slices.Contains(there, wal); len(there) > 0 && (up == 1) != want {
			t.Errorf("%s: up is %v", when, up)
		}
	}
	check("before anything was read")
	at := time.Now()
	s.Record(runfile.Reading{At: at, Probe: "pgstat", Values: map[string]float64{"pgstat.wal/wal_records": 0,
		"pgstat.wal/stats_reset": 0, "somebody/elses": 1}})
	s.Record(runfile.Reading{At: at, Probe: "block", Values: map[string]float64{"block/writes": 7}})
	check("read", wal, writes)
	s.Record(runfile.Gap{At: at, Probe: "pgstat", Reason: runfile.Failed, Detail: "connection refused"})
	check("the server is gone", writes)
	s.Record(runfile.Reading{At: at, Probe: "pgstat", Values: map[string]float64{"pgstat.wal/stats_reset": 5}})
	s.Record(runfile.Gap{At: at, Probe: "pgstat", Metric: "pgstat.wal/wal_records", Reason: runfile.Permission})
	if got := prometheustest.Samples(t, get(t, s.URL())); got[reset] != 5 ||
		got[`realiops_probe_gaps_total{probe="pgstat",reason="error"}`] != 1 {
		t.Errorf("back again: %v", got)
	}
}

// TestFormats: each format has its content type, is compressed if accepted, and includes this process's own use.
func TestFormats(t *testing.T) {
	s := listen(t)
	check := func(accepts, packs, format, packed string, within ...string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", accepts)
		request.Header.Set("Accept-Encoding", packs)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text := io.Reader(answer.Body)
		if packed != "" {
			if text, err = gzip.NewReader(text); err != nil {
				t.Fatal(err)
			}
		}
		all, err := io.ReadAll(text)
		if is := answer.Header; err != nil || !strings.HasPrefix(is.Get("Content-Type"), format) ||
			is.Get("Content-Encoding") != packed || is.Get("Vary") != "Accept, Accept-Encoding" {
			t.Errorf("%v, %v", is, err)
		}
		for _, w := range append(within, "\nprocess_cpu_seconds_total ") {
			if !strings.Contains(string(all), w) {
				t.Errorf("%q is not in\n%s", w, all)
			}
		}
	}
	// the headers of Prometheus 3, and of curl
	check("application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2", "gzip",
		"application/openmetrics-text; version=1.0.0", "gzip", "\n# TYPE process_cpu_seconds counter\n", "\n# EOF\n")
	check("*/*", "", "text/plain; version=0.0.4", "", "\n# TYPE process_cpu_seconds_total counter\n")
}

// TestNothingElseIsServed: and silent connections do not keep scrapers out for long.
func TestNothingElseIsServed(t *testing.T) {
	s := listen(t)
	base := strings.TrimSuffix(s.URL(), "/metrics")
	if text := get(t, base); !strings.Contains(text, "<a href=metrics>") {
		t.Errorf("the front page is %s", text)
	}
	for _, path := range []string{"/debug/pprof/", "/metrics/more"} {
		answer, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, answer.Status)
		}
	}
	for range 20 {
		c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}

// TestAddress: a port alone means this machine alone, and an unusable address is reported in one line.
func TestAddress(t *testing.T) {
	for address, alone := range map[string]bool{"0": true, ":0": true, "localhost:0": true, "0.0.0.0:0": false} {
		s, err := exporter.Listen(t.Context(), address, "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		if s.Alone() != alone {
			t.Errorf("%s is at %s, for this machine alone: %v", address, s.URL(), s.Alone())
		}
		s.Close()
	}
	taken := strings.TrimSuffix(strings.TrimPrefix(listen(t).URL(), "http://"), "/metrics")
	for address, want := range map[string]string{
		taken: "the port is in use", "": "want a port", "http": "want a port",
		"99999": "want a port", "a:b:c": "want a port",
		"[::1": "want a port", "192.0.2.1:9650": "this machine has no such address",
		"nobody.invalid:9650": "lookup nobody.invalid",
	} {
		if _, err := exporter.Listen(t.Context(), address, "1.2.3"); err == nil ||
			!strings.HasPrefix(err.Error(), "--listen ") || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", address, err, want)
		}
	}
}
