package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// labelled returns a text as a quoted label value.
func labelled(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
}

// TestHostileLabels: hostile names of databases in a store affect no terminal, page, spreadsheet or file
// system, and hide no other database.
func TestHostileLabels(t *testing.T) {
	t.Parallel()
	planted := plantedFleet()
	for _, name := range []string{hostile, "=1+2|" + hostile, "../../../outside", "..", "a/b", "CON", ".hidden",
		strings.Repeat("long", 500)} {
		planted = append(planted, handedOn(labelled(name), map[string]func(time.Duration) float64{
			"read_iops": always(5), "write_iops": always(5), "read_throughput": always(8192),
			"write_throughput": always(8192),
		})...)
	}
	url := prometheustest.Start(t, planted...)
	above := t.TempDir()
	dir := filepath.Join(above, "down", "fleet")
	if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	for format, safe := range map[string]func(string) error{"text": isText, "json": isJSON, "csv": isCSV,
		"openmetrics": isText} {
		out, said := runsFleet(t, command.ExitDone, "--prometheus", url, "--for", "3d", "--dir", dir, "--format", format)
		if err := safe(out); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if err := isText(said); err != nil {
			t.Errorf("%s, standard error: %v", format, err)
		}
		if !strings.Contains(out, "13 databases") && !strings.Contains(out, "orders") {
			t.Errorf("%s: nothing of orders", format)
		}
		if format == "text" && len(out) > 1<<15 {
			t.Errorf("the text has %d characters", len(out))
		}
	}
	err := filepath.WalkDir(above, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if filepath.Dir(path) != dir || isText(filepath.Base(path)) != nil {
			t.Errorf("a file %q", path)
		}
		if strings.HasSuffix(path, ".html") {
			page, err := os.ReadFile(path)
			if err == nil {
				err = isPage(string(page))
			}
			if err != nil {
				t.Errorf("%q: %v", filepath.Base(path), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// values matches label values, except the exporters' own names.
var values = regexp.MustCompile(
	`(datname|relname|schemaname|device|state|slot_name|short_version|usename|mode)="[^"]*"`)

// TestHostileHistory: hostile labels in a store and names in an export are harmless in messages.
func TestHostileHistory(t *testing.T) {
	t.Parallel()
	planted, _, last := prometheustest.Observation(t, observed)
	for i := range planted {
		planted[i].Labels = values.ReplaceAllString(planted[i].Labels, `$1="`+strings.ReplaceAll(labelled(hostile),
			"$", "$$")+`"`)
	}
	url := prometheustest.Start(t, planted...)
	path := filepath.Join(t.TempDir(), "hostile.jsonl")
	for _, command := range [][]string{{"history", "-o", path}, {"doctor"}} {
		shows(t, isText, append(command, "--prometheus", url, "--until", last.Add(time.Second).Format(time.RFC3339),
			"--for", "1h")...)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "FORGED") {
		t.Fatalf("nothing of what was planted is in the file, %v", err)
	}
	shows(t, isText, "report", path, "-v")
	shows(t, isText, "size", path)
	shows(t, isPage, "report", path, "--format", "html")
	shows(t, isCSV, "report", path, "--format", "csv")
	export := map[string]any{"MetricDataResults": []any{
		map[string]any{"Id": hostile, "Label": "VolumeReadIOPs Sum " + hostile, "Timestamps": []string{
			"2026-10-01T00:00:00Z", "2026-10-01T01:00:00Z"}, "Values": []float64{1, 2}},
		map[string]any{"Id": "m1", "Label": "VolumeWriteIOPs Sum =1+2" + strings.Repeat("long", 1<<14),
			"Timestamps": []string{"2026-10-01T00:00:00Z", "2026-10-01T01:00:00Z"}, "Values": []float64{1, 2}},
	}}
	text, err := json.Marshal(export)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "export.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for format, safe := range map[string]func(string) error{"text": isText, "json": isJSON, "csv": isCSV} {
		shows(t, safe, "aws", "cost", "--from", file, "--class", "db.r6g.large", "--price", shopFiles+"prices.json",
			"--format", format)
	}
}

// TestFiftyThousandDatabases: a store with too many databases to rank, or to search for one server, is refused
// in a line, and nothing is kept.
func TestFiftyThousandDatabases(t *testing.T) {
	t.Parallel()
	const databases = 50_000
	var planted []prometheustest.Series
	for i := range databases {
		planted = append(planted, prometheustest.Series{Name: "pg_stat_database_xact_commit",
			Labels: fmt.Sprintf(`instance="db%d:9187",datname="app"`, i), Samples: []prometheustest.Sample{
				{At: fleetBegin, Value: 1}}})
	}
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) {
			url, at := start(t, planted...), fleetBegin.Add(time.Hour).Format(time.RFC3339)
			dir := filepath.Join(t.TempDir(), "fleet")
			refused := func(want string, args ...string) {
				t.Helper()
				if _, said := runs(t, command.ExitUsage, append(args, "--prometheus", url, "--until", at, "--for",
					"2h")...); !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
					t.Errorf("%v: %s, want %s", args, said, want)
				}
			}
			many, ranked := "select the server with --server or --host",
				"has more than 10,000 databases, which is the limit; select some with --server and --host"
			if engine == "VictoriaMetrics" { // it refuses so many itself
				many, ranked = "either narrow down the search", "either narrow down the search"
			}
			refused(ranked, "fleet", "--dir", dir)
			refused(many, "history", "-o", dir)
			refused(many, "doctor")
			if _, err := os.Stat(dir); err == nil {
				t.Error("something was kept")
			}
			some, _ := runsFleet(t, command.ExitCannotTell, "--prometheus", url, "--for", "3d", "--dir", dir,
				"--server", `instance=~"db12.:9187"`)
			if !strings.HasPrefix(some, "10 databases") {
				t.Errorf("%.200s", some)
			}
		})
	}
}
