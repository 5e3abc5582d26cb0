package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/realiops/realiops/internal/analyze/openmetrics"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/fleettest"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// TestFleetRules: promtool accepts the output, and the shipped rules alert on it as they should: for a machine that
// pays 412 USD for nothing, and three days later for an old ranking.
func TestFleetRules(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	files, _ := filepath.Glob("../../testdata/fleet/legacy-*.json")
	out, _ := ranksLegacy(t, command.ExitDone, append(files, "--has", "../../testdata/fleet/legacy.csv", "--dir",
		filepath.Join(t.TempDir(), "fleet"), "--format", "openmetrics")...)
	run := func(in string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), promtool, args...)
		c.Stdin = strings.NewReader(in)
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
	run(out, "check", "metrics")

	rules, err := os.ReadFile("../../packaging/prometheus/fleet.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rules.yml", string(rules))
	run("", "check", "rules", filepath.Join(dir, "rules.yml"))
	write("test.yml", ruleTest(out))
	run("", "test", "rules", filepath.Join(dir, "test.yml"))
}

// TestFleetTextfile: a real node_exporter serves every gauge in a file of realiops fleet.
func TestFleetTextfile(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../testdata/fleet/legacy-*.json")
	out, _ := ranksLegacy(t, command.ExitDone, append(files, "--has", "../../testdata/fleet/legacy.csv", "--dir",
		filepath.Join(t.TempDir(), "fleet"), "--format", "openmetrics")...)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "realiops.prom"), []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(prometheustest.NodeExporter(t, "--collector.disable-defaults", "--collector.textfile",
		"--collector.textfile.directory="+dir) + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	handed, written := prometheustest.Samples(t, string(all)), prometheustest.Samples(t, out)
	if fault, is := handed["node_textfile_scrape_error{}"]; !is || fault != 0 || len(written) < 8 {
		t.Errorf("node_exporter could not read all of %d samples: %v, %v", len(written), fault, is)
	}
	for name, want := range written {
		if got, is := handed[name]; !is || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, is, want)
		}
	}
}

// TestFleetManifest: the shipped manifest for Kubernetes is a valid job, for a user who is not root, and its command
// ranks a store's databases.
func TestFleetManifest(t *testing.T) {
	text, err := os.ReadFile("../../packaging/kubernetes/fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type pod struct {
		SecurityContext struct {
			RunAsNonRoot bool  `yaml:"runAsNonRoot"`
			RunAsUser    int64 `yaml:"runAsUser"`
			FSGroup      int64 `yaml:"fsGroup"`
		} `yaml:"securityContext"`
		RestartPolicy string `yaml:"restartPolicy"`
		Containers    []struct {
			Name, Image  string
			Args         []string
			WorkingDir   string `yaml:"workingDir"`
			Resources    map[string]map[string]string
			VolumeMounts []struct {
				Name      string
				MountPath string `yaml:"mountPath"`
			} `yaml:"volumeMounts"`
		}
		Volumes []struct {
			Name                  string
			PersistentVolumeClaim struct {
				ClaimName string `yaml:"claimName"`
			} `yaml:"persistentVolumeClaim"`
			ConfigMap struct{ Name string } `yaml:"configMap"`
		}
	}
	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   struct{ Name string }
		Spec       struct {
			Schedule          string
			ConcurrencyPolicy string `yaml:"concurrencyPolicy"`
			JobTemplate       struct {
				Spec struct{ Template struct{ Spec pod } }
			} `yaml:"jobTemplate"`
		}
	}
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	if err := strict.Decode(&job); err != nil {
		t.Fatal(err)
	}
	p := job.Spec.JobTemplate.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "CronJob" || len(strings.Fields(job.Spec.Schedule)) != 5 ||
		len(p.Containers) != 1 || !p.SecurityContext.RunAsNonRoot {
		t.Fatalf("%+v", job)
	}
	dockerfile, err := os.ReadFile("../../packaging/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if user := fmt.Sprintf("USER %d:%d\n", p.SecurityContext.RunAsUser, p.SecurityContext.FSGroup); !strings.Contains(
		string(dockerfile), user) {
		t.Errorf("the image is not of %s", user)
	}
	store := httptest.NewServer(&prometheustest.Made{Instances: 8})
	defer store.Close()
	has, err := filepath.Abs("../../testdata/fleet/has.csv")
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Join(p.Containers[0].Args, "\n")
	for from, to := range map[string]string{"http://prometheus.monitoring:9090": store.URL,
		"/etc/realiops/has.csv": has} {
		if !strings.Contains(args, from) {
			t.Errorf("nothing has %s in %q", from, args)
		}
		args = strings.ReplaceAll(args, from, to)
	}
	t.Chdir(t.TempDir())
	out, _ := runs(t, command.ExitDone, strings.Split(args, "\n")...)
	if !strings.HasPrefix(out, "8 databases") {
		t.Errorf("it prints\n%s", out)
	}
}

// TestFleetDashboard: a real Prometheus that scrapes the gauges of a fleet answers every panel of the dashboard.
func TestFleetDashboard(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := openmetrics.Write(&text, fleettest.MadeUp(20).Gauges()...); err != nil {
		t.Fatal(err)
	}
	handed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
		_, _ = w.Write(text.Bytes())
	}))
	defer handed.Close()
	store := prometheustest.Scraping(t, strings.TrimPrefix(handed.URL, "http://"))
	var printed []string
	for _, g := range fleettest.MadeUp(20).Gauges() {
		printed = append(printed, g.Name)
	}
	prometheustest.Dashboard(t, store, "../../packaging/grafana/fleet.json", printed)
}

// ruleTest has promtool believe that samples are scraped from the epoch on, when its tests begin. They end in November
// of 2026, long after that: so the age of the ranking is tried by what it says it is, moved to the epoch.
func ruleTest(text string) string {
	var series strings.Builder
	for line := range strings.Lines(text) {
		if name, value, is := strings.Cut(strings.TrimSpace(line), "} "); is && !strings.HasPrefix(line, "#") {
			fmt.Fprintf(&series, "      - {series: '%s}', values: '%s+0x96'}\n", name, value)
		}
	}
	fmt.Fprintf(&series, "      - {series: 'realiops_fleet_end_timestamp_seconds', values: '0+0x96'}\n")
	fmt.Fprintf(&series,
		"      - {series: 'realiops_database_risk{database=\"slow\",level=\"at its limit\"}', values: '1+0x96'}\n")
	fmt.Fprintf(&series, "      - {series: 'realiops_database_credits_end_timestamp_seconds{database=\"gp2\"}', "+
		"values: '%.0f+0x96'}\n", (8 * command.Day).Seconds())
	alert := func(at time.Duration, name, labels, summary string) string {
		if labels == "" {
			return fmt.Sprintf("      - {eval_time: %s, alertname: %s, exp_alerts: []}\n", at, name)
		}
		return fmt.Sprintf("      - {eval_time: %s, alertname: %s, exp_alerts: [{exp_labels: %s, exp_annotations: "+
			"{summary: %q}}]}\n", at, name, labels, summary)
	}
	return "rule_files: [rules.yml]\ntests:\n  - interval: 1h\n    input_series:\n" + series.String() +
		"    alert_rule_test:\n" +
		alert(time.Hour, "StoragePaidForNothing", "{database: legacy, bound: lowest, currency: USD}",
			"legacy: another order would save 412.5 USD a month") +
		alert(time.Hour, "StorageIsInTheWay", "{database: slow, level: at its limit}",
			"slow: its storage is at its limit") +
		alert(time.Hour, "FleetIsOld", "", "") +
		alert(3*command.Day+time.Hour, "FleetIsOld", "{}", "nobody has looked at the databases for 3d 1h 0m 0s") +
		alert(time.Hour, "CreditsEndWithinAWeek", "", "") +
		alert(2*command.Day, "CreditsEndWithinAWeek", "{database: gp2}", "gp2: its credits end in 6d 0h 0m 0s")
}
