package prometheus_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/prometheustest"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// TestMappingHasTheExportersNames: Debian's postgres_exporter and node_exporter, on a real server and kernel, have the
// mapping's names, with the labels to add up over. Metrics that PostgreSQL 15 lacks are left out.
func TestMappingHasTheExportersNames(t *testing.T) {
	server := servertest.Start(t, embedded.Options{Version: "15"})
	shown := map[string]map[string]string{
		prometheus.PostgresExporter: scraped(t, "prometheus-postgres-exporter", "DATA_SOURCE_NAME="+server.URL()),
		prometheus.NodeExporter:     scraped(t, "prometheus-node-exporter"),
	}
	for _, row := range prometheus.Mapping() {
		all, tried := shown[row.Exporter]
		if !tried || strings.HasPrefix(row.Versions, "17+") {
			continue
		}
		labels, is := all[row.Name]
		switch {
		case !is:
			t.Errorf("%s shows no %s", row.Exporter, row.Name)
		case row.Sum != "" && !strings.Contains(labels, row.Sum+`="`):
			t.Errorf("%s of %s has no label %s: %s", row.Name, row.Exporter, row.Sum, labels)
		}
	}
}

// scraped starts an exporter, and returns the labels of one series of each metric.
func scraped(t *testing.T, program string, environment ...string) map[string]string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	address := prometheustest.FreeAddress(t)
	c := exec.CommandContext(t.Context(), path, "--web.listen-address="+address)
	c.Env = slices.Concat(os.Environ(), environment)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	deadline, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		all, err := scrape(deadline, address)
		switch {
		case err == nil:
			return all
		case deadline.Err() != nil:
			t.Fatalf("%s does not answer: %v", program, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func scrape(ctx context.Context, address string) (map[string]string, error) {
	asked, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d", answer.StatusCode)
	}
	all := map[string]string{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if series, _, is := strings.Cut(lines.Text(), " "); is && series != "#" {
			name, labels, _ := strings.Cut(series, "{")
			all[name] = labels
		}
	}
	return all, lines.Err()
}
