//go:build unix

package main

import (
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/prometheustest"
	"github.com/realiops/realiops/internal/test/runfiletest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestObserveIsScraped: a real Prometheus scrapes an observation and sees rows being written; after
// the observation nothing answers.
func TestObserveIsScraped(t *testing.T) {
	t.Parallel()
	server := servertest.Start(t, embedded.Options{Version: "17"})
	conn := servertest.Connect(t, servertest.Endpoint(t, server.DSN()))
	servertest.Exec(t, conn, "create table worked (x int)")
	watched := filepath.Join(t.TempDir(), "o.jsonl")
	observe := start(t, realiops(t, "observe", "--dsn", server.URL(), "--for", "5m", "--listen", "0", "-o", watched))
	told := regexp.MustCompile(`Metrics for a Prometheus are at http://(127\.0\.0\.1:\d+)/metrics`)
	must(t, observe.Await("an address", func() bool { return told.MatchString(observe.Err.String()) }))
	prometheus := prometheustest.Scraping(t, told.FindStringSubmatch(observe.Err.String())[1])

	const rows = 5000
	servertest.Exec(t, conn, fmt.Sprintf("insert into worked select generate_series(1, %d)", rows))
	sees := func(expression string, is func(float64) bool) {
		t.Helper()
		var got model.Vector
		var err error
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
			if got, err = prometheustest.Ask(t, prometheus, expression); err == nil && len(got) == 1 &&
				is(float64(got[0].Value)) {
				return
			}
		}
		t.Errorf("%s is %v, %v", expression, got, err)
	}
	sees("up", func(v float64) bool { return v == 1 })
	sees("realiops_pgstat_database_tup_inserted_total", func(v float64) bool { return v >= rows })
	sees("realiops_server_info{version=~'17.*'} and on () realiops_build_info", func(v float64) bool { return v == 1 })
	sees("realiops_probe_up{probe='pgstat'}", func(v float64) bool { return v == 1 })
	sees("time() - realiops_probe_read_timestamp_seconds{probe='pgstat'}", func(v float64) bool { return v < 10 })
	skipped := []string{"realiops_metric_info"} // the server has no metrics yet
	if up, _ := prometheustest.Ask(t, prometheus, "realiops_probe_up{probe='request'} == 1"); len(up) == 0 {
		skipped = append(skipped, "realiops_request_") // this takes root, and a kernel that takes BPF programs
	}
	prometheustest.Dashboard(t, prometheus, "../../packaging/grafana/observe.json",
		append(prometheustest.Names(t, prometheus), exported()...), skipped...)
	must(t, observe.Process.Signal(syscall.SIGINT))
	if status := observe.Wait(); status != 0 {
		t.Errorf("status %d: %s", status, observe.Err)
	}
	sees("up", func(v float64) bool { return v == 0 })
	through := filepath.Join(t.TempDir(), "through.jsonl")
	if out, err := realiops(t, "history", "--prometheus", prometheus, "--for", "1h", "-o",
		through).CombinedOutput(); err != nil {
		t.Fatalf("history: %v: %s", err, out)
	}
	cameBack(t, watched, through)
}

// cameBack checks that a history has all of an observation's counters, each with values from it, and the version.
func cameBack(t *testing.T, watched, through string) {
	t.Helper()
	read := func(path string) (version string, values map[string]map[float64]bool) {
		values = map[string]map[float64]bool{}
		for _, record := range runfiletest.Records(t, path) {
			switch r := record.(type) {
			case runfile.Run:
				version = r.Target.Version
			case runfile.Reading:
				for name, v := range r.Values {
					if values[name] == nil {
						values[name] = map[float64]bool{}
					}
					values[name][v] = true
				}
			}
		}
		return version, values
	}
	version, want := read(watched)
	kept, got := read(through)
	if kept != version || len(got) == 0 {
		t.Errorf("version %s of %s, and %d metrics", kept, version, len(got))
	}
	for name := range want {
		if row := metric.All().Row(name); row.Kind == runfile.Counter && row.Derived == nil && got[name] == nil {
			t.Errorf("%s did not come back", name)
		}
		for v := range got[name] {
			if !want[name][v] {
				t.Errorf("%s came back as %g, which nobody read", name, v)
			}
		}
	}
}

// exported returns the metrics that some version of the server has.
func exported() []string {
	names := []string{"realiops_metric_info"}
	for _, m := range metric.All() {
		names = append(names, m.Exported())
	}
	return names
}

// TestListenFirst: an unusable address is reported in one line, before the server is asked
// anything and a file is created.
func TestListenFirst(t *testing.T) {
	t.Parallel()
	database, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	refused := func(as *syscall.Credential, listen, want string) {
		t.Helper()
		dir := openDirectory(t)
		c := realiops(t, "observe", "--dsn", "postgres://me@"+database.Addr().String()+"/shop", "--listen", listen)
		c.Dir, c.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != 1 || string(out) != want+"\n" {
			t.Errorf("%v: %s", err, out)
		}
		if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
			t.Errorf("it left %s", strings.Join(left, " "))
		}
	}
	taken := database.Addr().String()
	refused(nil, taken, "realiops: --listen "+taken+
		": the port is in use; choose another, or 0 for any free one")
	refused(nil, "shop",
		`realiops: --listen is "shop": want a port of this machine, or HOST:PORT, such as 127.0.0.1:9650 or [::1]:9650`)
	if nobody := ordinary(t); nobody != nil {
		refused(nobody, "80", "realiops: --listen 127.0.0.1:80: ports below 1024 need root; choose a higher one")
	}
	_ = database.(*net.TCPListener).SetDeadline(time.Now())
	if c, err := database.Accept(); err == nil {
		c.Close()
		t.Error("the server was asked")
	}
}
