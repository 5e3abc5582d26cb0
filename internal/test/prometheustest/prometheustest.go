// Package prometheustest gives tests a real Prometheus or VictoriaMetrics, with history that they plant.
package prometheustest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Sample is the value of a series at a moment.
type Sample struct {
	At    time.Time
	Value float64
}

// Series is a metric with its labels, as written in braces.
type Series struct {
	Name, Labels string
	Samples      []Sample
}

// Start starts a Prometheus with the series, and returns its address. It skips the test if there is none.
func Start(t testing.TB, planted ...Series) string {
	t.Helper()
	return start(t, "global: {}\n", planted)
}

// Engines returns functions that start a store with the series, by the kind of store.
func Engines() map[string]func(testing.TB, ...Series) string {
	return map[string]func(testing.TB, ...Series) string{"Prometheus": Start, "VictoriaMetrics": startVictoriaMetrics}
}

// startVictoriaMetrics is Start for a VictoriaMetrics with default options, except for retention. It rejects samples
// more than two days ahead of the machine's clock.
func startVictoriaMetrics(t testing.TB, planted ...Series) string {
	t.Helper()
	const program = "victoria-metrics"
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
	address := FreeAddress(t)
	url := launch(t, address, "/health", exec.Command(program, "-httpListenAddr="+address, "-storageDataPath="+
		t.TempDir(), "-retentionPeriod=100y", "-loggerLevel=ERROR"))
	post := func(path, text string) {
		t.Helper()
		answer, err := http.Post(url+path, "text/plain", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode >= http.StatusMultipleChoices {
			t.Fatalf("%s: %s", path, answer.Status)
		}
	}
	post("/api/v1/import/prometheus", exposed(planted, ""))
	post("/internal/force_flush", "")
	return url
}

// Scraping starts a Prometheus that scrapes exporters each second, and returns its address.
func Scraping(t testing.TB, exporters ...string) string {
	t.Helper()
	return start(t,
		fmt.Sprintf("scrape_configs: [{job_name: realiops, scrape_interval: 1s, scrape_timeout: 1s, static_configs: "+
			"[{targets: ['%s']}]}]\n", strings.ReplaceAll(strings.Join(exporters, "','"), "http://", "")), nil)
}

func start(t testing.TB, configured string, planted []Series) string {
	t.Helper()
	for _, program := range []string{"prometheus", "promtool"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	dir := t.TempDir()
	data, config := filepath.Join(dir, "data"), filepath.Join(dir, "prometheus.yml")
	if len(planted) > 0 {
		plant(t, data, filepath.Join(dir, "planted.txt"), planted)
	}
	if err := os.WriteFile(config, []byte(configured), 0o600); err != nil {
		t.Fatal(err)
	}
	address := FreeAddress(t)
	return launch(t, address, "/-/ready", exec.Command("prometheus", "--web.listen-address="+address, "--config.file="+
		config, "--storage.tsdb.path="+data, "--storage.tsdb.retention.time=100y", "--log.level=error"))
}

// NodeExporter starts a node_exporter with arguments, and returns its address. It skips the test if there is none.
func NodeExporter(t testing.TB, args ...string) string {
	t.Helper()
	return exporter(t, "prometheus-node-exporter", nil, args)
}

// PostgresExporter starts a postgres_exporter for a server, likewise.
func PostgresExporter(t testing.TB, server string, args ...string) string {
	t.Helper()
	return exporter(t, "prometheus-postgres-exporter", []string{"DATA_SOURCE_NAME=" + server}, args)
}

func exporter(t testing.TB, program string, env, args []string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
	address := FreeAddress(t)
	cmd := exec.Command(program, append(args, "--web.listen-address="+address)...)
	cmd.Env = append(os.Environ(), env...)
	return launch(t, address, "/metrics", cmd)
}

// launch starts a program that listens at an address, until the test ends, and returns its URL once it answers.
func launch(t testing.TB, address, ready string, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	url := "http://" + address
	for range 1200 { // a machine that runs all tests is slow
		if answer, err := http.Get(url + ready); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return url
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s does not answer", url+ready)
	return ""
}

// Dump returns promtool's dump of a store with the series.
func Dump(t testing.TB, planted ...Series) []byte {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed")
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	plant(t, data, filepath.Join(dir, "planted.txt"), planted)
	if err := os.Mkdir(filepath.Join(data, "wal"), 0o700); err != nil { // every store has one
		t.Fatal(err)
	}
	text, err := exec.Command("promtool", "tsdb", "dump", data).Output()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// plant makes blocks of the series, as promtool does.
func plant(t testing.TB, data, file string, planted []Series) {
	t.Helper()
	if err := os.WriteFile(file, []byte(OpenMetrics(planted)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", file,
		data).CombinedOutput(); err != nil {
		t.Fatalf("plant the history: %v\n%s", err, out)
	}
}

// OpenMetrics returns the series as text.
func OpenMetrics(planted []Series) string { return exposed(planted, ".") + "# EOF\n" }

// exposed returns the samples of series, one a line. point separates seconds and milliseconds, as in OpenMetrics,
// or is empty, as in scraped text.
func exposed(planted []Series, point string) string {
	var text strings.Builder
	families := map[string][]Series{} // samples of one name must be consecutive
	var names []string
	for _, s := range planted {
		if families[s.Name] == nil {
			names = append(names, s.Name)
		}
		families[s.Name] = append(families[s.Name], s)
	}
	for _, name := range names {
		for _, s := range families[name] {
			for _, sample := range s.Samples {
				fmt.Fprintf(&text, "%s{%s} %s %d%s%03d\n", s.Name, s.Labels, strconv.FormatFloat(sample.Value, 'g', -1,
					64), sample.At.Unix(), point, sample.At.Nanosecond()/int(time.Millisecond))
			}
		}
	}
	return text.String()
}

// FreeAddress returns an unused address of this machine.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Ask evaluates an expression in a Prometheus now.
func Ask(t testing.TB, store, expression string) (model.Vector, error) {
	t.Helper()
	value, _, _, err := asked(t, store).Query(t.Context(), expression, time.Now())
	if err != nil {
		return nil, err
	}
	vector, is := value.(model.Vector)
	if !is {
		return nil, fmt.Errorf("%s is no vector but a %s", expression, value.Type())
	}
	return vector, nil
}

// Names returns the names of all metrics in a Prometheus.
func Names(t testing.TB, store string) (names []string) {
	t.Helper()
	values, _, _, err := asked(t, store).LabelValues(t.Context(), model.MetricNameLabel, nil,
		time.Now().Add(-time.Hour), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		names = append(names, string(v))
	}
	return names
}

func asked(t testing.TB, store string) v1.API {
	t.Helper()
	client, err := api.NewClient(api.Config{Address: store})
	if err != nil {
		t.Fatal(err)
	}
	return v1.NewAPI(client)
}

// Samples returns the counters and gauges of a scraped text, by name and labels.
func Samples(t testing.TB, text string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+strconv.Quote(l.GetValue()))
			}
			all[name+"{"+strings.Join(labels, ",")+"}"] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return all
}
