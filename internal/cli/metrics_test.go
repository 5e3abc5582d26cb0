package cli

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew; then read the difference")

const metricsPage = "../../docs/metrics.md"

// TestDocsListEveryMetric: docs/metrics.md is made from what the probes announce.
func TestDocsListEveryMetric(t *testing.T) {
	metrics := slices.Concat(pgstat.Metrics(), block.Metrics(), anatomy.Metrics(), fio.Metrics(), ofInsights("postgres"))
	for _, m := range ofInsights("aurora-postgresql") {
		if !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	for _, flavor := range cloudwatch.Flavors() {
		metrics = append(metrics, cloudwatch.Metrics(flavor)...)
	}
	page := metricsIntroduction + sections(metrics)
	if *update {
		if err := os.WriteFile(metricsPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(content), "\n"), strings.Split(page, "\n")); diff != "" {
		t.Errorf("write it anew with: go test ./internal/cli -run TestDocsListEveryMetric -update (-page +announced):\n%s", diff)
	}
	probes, err := os.ReadDir("../measure/probe")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metrics {
		if !strings.HasPrefix(m.Source, "https://") {
			t.Errorf("%s has the source %q", m.Name, m.Source)
		}
	}
	for _, p := range probes {
		if p.IsDir() && p.Name() != "probetest" && !strings.Contains(page, "\n## "+p.Name()) {
			t.Errorf("no metric of %s is listed", p.Name())
		}
	}
}

// ofInsights is what Performance Insights may tell of an engine.
func ofInsights(engine string) []runfile.Metric {
	return insights.New(aws.Config{}, runfile.Cloud{Engine: engine}).Metrics()
}

const metricsIntroduction = `# Metrics

Every number that a run reads, by its name in the run file. This page is made from what the probes announce; a run file announces
the same in its ` + "[metric](run-file.md#metric)" + ` lines.

- **Types.** A counter is cumulative: what it says of an arm is the difference of two readings, and a fall is a reset. A gauge is a level.
- **Versions** are the major versions of PostgreSQL that show it, as real servers of each were asked. In any other it is a
  ` + "[gap](run-file.md#gap)" + `, and so it is where a setting is off or an extension is absent that it needs, or a privilege is missing:
  ` + "`realiops doctor`" + ` says which, and what to do.
- **Units** are base units, and times are seconds.
- **Services** of AWS are asked when the run is over; what they tell comes in [periods](run-file.md#period) of their own, and
  ` + "`realiops explain`" + ` says what their documentation makes of it. In place of versions stands the engine that has it.
`

// sections has a table for each view, in the order of the readings.
func sections(metrics []runfile.Metric) string {
	var views []string
	tables := map[string]string{}
	conditions := pgstat.Conditions()
	for _, m := range metrics {
		view, _, _ := strings.Cut(m.Name, "/")
		if tables[view] == "" {
			views = append(views, view)
		}
		tables[view] += fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | [source](%s) |\n",
			m.Name, m.Type, m.Unit, words(conditions, m), cell(m.Help), cell(m.Caveat), m.Source)
	}
	slices.Sort(views)
	var page strings.Builder
	for _, view := range views {
		fmt.Fprintf(&page, "\n## %s\n\n| name | type | unit | versions | counts | beware | |\n|---|---|---|---|---|---|---|\n%s", view, tables[view])
	}
	return page.String()
}

// words are what it takes for a server to show a metric. What the kernel counts takes nothing of the server.
func words(conditions map[string]pgstat.Condition, m runfile.Metric) string {
	metric := m.Name
	if strings.HasPrefix(metric, anatomy.Name+"/") {
		return "15+, with `pg_walinspect`; all, with `pg_waldump`"
	}
	if strings.HasPrefix(metric, fio.Name+"/") {
		return "`realiops baseline`"
	}
	if strings.HasPrefix(metric, insights.Name+"/") {
		return strings.Join(engines(metric), ", ")
	}
	if strings.HasPrefix(metric, cloudwatch.Name+"/") {
		return flavorOf(m)
	}
	condition, known := conditions[metric]
	if !known {
		return ""
	}
	var span strings.Builder
	span.WriteString(spelled(condition.Versions))
	for _, name := range condition.Needs {
		span.WriteString(", with `" + name + "`")
	}
	return span.String()
}

// engines are those of which Performance Insights may tell a metric.
func engines(metric string) (all []string) {
	for _, e := range []struct{ name, engine string }{{"RDS", "postgres"}, {"Aurora", "aurora-postgresql"}} {
		if slices.ContainsFunc(ofInsights(e.engine), func(m runfile.Metric) bool { return m.Name == metric }) {
			all = append(all, e.name)
		}
	}
	return all
}

// flavorOf is the kind of server that CloudWatch shows a metric of. One name may be there several times, with another
// meaning each.
func flavorOf(m runfile.Metric) string {
	for _, flavor := range cloudwatch.Flavors() {
		if slices.Contains(cloudwatch.Metrics(flavor), m) {
			return flavors[flavor]
		}
	}
	return ""
}

func spelled(span pgstat.Span) string {
	switch {
	case span.First == 0 && span.Last == 0:
		return "all"
	case span.First == 0:
		return fmt.Sprintf("up to %d", span.Last)
	case span.Last == 0:
		return fmt.Sprintf("%d+", span.First)
	default:
		return fmt.Sprintf("%d to %d", span.First, span.Last)
	}
}

// cell is text that does not end the cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
