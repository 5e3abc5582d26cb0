package reading

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/probe/insights"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestProbesReadTheTable: every metric of a probe is a row of the table, unchanged, and every row that is
// not derived is read by a probe.
func TestProbesReadTheTable(t *testing.T) {
	announced := slices.Concat(pgstat.Metrics(), block.Metrics(), request.Metrics(), anatomy.Metrics(), fio.Metrics())
	for _, engine := range []string{"postgres", "aurora-postgresql"} {
		announced = append(announced, insights.New(aws.Config{}, runfile.Cloud{Engine: engine}).Metrics()...)
		for _, class := range []string{"db.serverless", "db.t4g.medium", "db.r6gd.large"} {
			cloud := runfile.Cloud{
				Instance: "one", Cluster: "all", Engine: engine, Class: class, Storage: "gp2", LogVolume: true,
				Volumes: []string{"vol-1"}, Machine: "i-1",
			}
			source, err := cloudwatch.New(aws.Config{}, cloud)
			if err != nil {
				t.Fatal(err)
			}
			announced = append(announced, source.Metrics()...)
		}
	}
	rows := map[runfile.Metric]bool{} // and whether it is announced
	for _, m := range metric.All() {
		if m.Derived == nil {
			rows[m.Announced()] = false
		}
	}
	for _, m := range announced {
		if _, known := rows[m]; !known {
			t.Errorf("announced otherwise than the table has it: %+v", m)
		}
		rows[m] = true
	}
	for m, read := range rows {
		if !read {
			t.Errorf("no probe reads %s (%s)", m.Name, m.Help)
		}
	}
}

// TestEveryMetricIsExplained: explain finds each row by each of its names, and says what it means.
func TestEveryMetricIsExplained(t *testing.T) {
	everything := allKnown()
	listed := inOneColumn(t, everything.list())
	for _, m := range metric.All() {
		if name := m.Printed(0); !strings.Contains(listed,
			"\n  "+strings.TrimPrefix(name, metric.Service(serviceOf(m))+" ")+" ") {
			t.Errorf("%s is not in the list", name)
		}
		for _, typed := range m.Spellings() {
			found, err := everything.of([]string{typed})
			if err != nil || !strings.Contains(inOneColumn(t, found.document()), counting(m.Side(), m.Help)) {
				t.Errorf("%s does not lead to %s: %v", typed, m.Help, err)
			}
		}
	}
}

// TestAnswersFitAScreen: every answer has at most 25 lines of 80 columns, and an incomplete
// one says how to get the rest.
func TestAnswersFitAScreen(t *testing.T) {
	known := allKnown()
	for _, name := range known.names() {
		if known.isSource(name) {
			continue // it has a line for each of its metrics
		}
		found, err := known.of([]string{name})
		if err != nil {
			t.Errorf("%s is offered, and not explained: %v", name, err)
			continue
		}
		var page strings.Builder
		if err := document.Text(&page, found.onAScreen(80, []string{name}), 80); err != nil {
			t.Fatal(err)
		}
		text := page.String()
		if lines := strings.Count(text, "\n"); lines > 25 || lines == 0 {
			t.Errorf("%s takes %d lines:\n%s", name, lines, text)
		}
		whole := inOneColumn(t, found.document())
		if complete := len(strings.Fields(text)) == len(strings.Fields(whole)); complete == strings.Contains(text,
			"realiops explain --all") {
			t.Errorf("%s: complete: %t, and it says\n%s", name, complete, text)
		}
	}
}

// TestOverviewIsAScreen: explain without a name takes at most a screen of 80 columns, and names each source once
// with the number of its metrics.
func TestOverviewIsAScreen(t *testing.T) {
	known := allKnown()
	var page strings.Builder
	if err := document.Text(&page, known.overview(), 80); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(page.String(), "\n"); lines > aScreen {
		t.Errorf("%d lines:\n%s", lines, page.String())
	}
	want := map[string]int{}
	for _, m := range known.meanings {
		want[metric.Service(m.Service)]++
	}
	systems := map[string]int{}
	for _, e := range known.elsewhere {
		systems[e.System]++
	}
	for system, n := range systems {
		want[system] += n
	}
	text := strings.Join(strings.Fields(page.String()), " ")
	for source, n := range want {
		count := regexp.MustCompile(`(?:; |AWS |local |other )` + regexp.QuoteMeta(source) +
			` (\d+)`).FindStringSubmatch(text)
		if count == nil {
			t.Errorf("%s is not there", source)
			continue
		}
		found, err := known.of([]string{source})
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		listed := inOneColumn(t, found.lines())
		if lines := strings.Count(listed, "\n"); fmt.Sprint(lines) != count[1] || lines < n {
			t.Errorf("%s: %s are promised, %d listed, and the tables have %d", source, count[1], lines, n)
		}
	}
}

// serviceOf returns AWS's service of a metric, or "".
func serviceOf(m metric.Metric) string {
	service, _, _ := strings.Cut(m.Name, "/")
	if metric.Service(service) == "" {
		return ""
	}
	return service
}

// inOneColumn renders a document without wrapping.
func inOneColumn(t *testing.T, d document.Document) string {
	t.Helper()
	var page strings.Builder
	if err := document.Text(&page, d, 100000); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// TestANewMetricIsARow: a new row of the table is explained, offered, required, and announced like the others.
func TestANewMetricIsARow(t *testing.T) {
	fresh := metric.Metric{
		Name: "pgstat.wal/wal_polished", Kind: runfile.Counter, Unit: "records", Help: "WAL records that were polished",
		First: true, Matters: true, Makes: metric.WALRecords,
	}.As("pg_stat_wal.wal_polished")
	table := append(slices.Clone(metric.All()), fresh)
	k := knownOf(table)
	for what, ok := range map[string]bool{
		"announced":           slices.Contains(table.View("pgstat.wal").Announced(), fresh.Announced()),
		"printed":             table.Printed(fresh.Name, 180000) == "pg_stat_wal.wal_polished",
		"found by its column": slices.Contains(table.Named("wal_polished"), fresh.Name),
		"on the first screen": table.First(fresh.Name),
		"to be settled":       table.Matters(fresh.Name),
		"counted": slices.ContainsFunc(table.Making(metric.WALRecords), func(m metric.Metric) bool {
			return m.Name == fresh.Name
		}),
		"listed": regexp.MustCompile(
			`\n  pg_stat_wal\.wal_polished +WAL records that were polished\n`).MatchString(inOneColumn(t, k.list())),
		"offered": slices.Contains(k.names(), "pg_stat_wal.wal_polished"),
		"explained": strings.Contains(inOneColumn(t, knowledge{local: metric.Table{fresh}}.document()),
			"WAL records that were polished"),
	} {
		if !ok {
			t.Errorf("it is not %s", what)
		}
	}
}

// TestTextCopiedFromAConsole: each metric in it is explained, and names that exist only in a query are recognized.
func TestTextCopiedFromAConsole(t *testing.T) {
	found, err := allKnown().of([]string{
		`[["AWS/RDS", "VolumeWriteIOPs", "DBClusterIdentifier", "shop"], [".", "BurstBalance"]]`})
	if names := found.names(); err != nil || !slices.Contains(names, "VolumeWriteIOPs") ||
		!slices.Contains(names, "BurstBalance") {
		t.Errorf("%v, %q", err, names)
	}
	_, err = allKnown().of([]string{"FILL(m1, 0) / PERIOD(m1)"})
	if want := `m1 stands for a metric within one query only; name that metric`; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestExactNamesComeFirst: a tool's metric with exactly that name is explained before a console's metric whose name only
// ends so.
func TestExactNamesComeFirst(t *testing.T) {
	for name, want := range map[string]string{
		"tps": "pgbench tps: ", "await": "iostat await: ", "WriteIOPS": "WriteIOPS on Aurora: ",
		"write_iops": "WriteIOPS on Aurora: ", "aws_rds_write_iops_average": "WriteIOPS on Aurora: ",
		"blks_read": "pg_stat_database.blks_read: ", "evictions": "pg_stat_io.evictions (relation): ",
		"Write IOPS (Count/Second)":          "WriteIOPS on Aurora: ",
		"Queue Depth (Count)":                "DiskQueueDepth on Aurora: ",
		"[Billed] Volume Write IOPS (Count)": "VolumeWriteIOPs on Aurora: ",
		"pg_stat_io.reads": "pg_stat_io.reads (relation): reads of tables and indexes (asked of the operating system, " +
			"not of the disk)",
		"wal_records":           "pg_stat_wal.wal_records: WAL records (work of the database, not storage I/O)",
		"wal_sync":              "pg_stat_wal.wal_sync: fsyncs of the WAL's files (storage I/O)",
		"pg_catalog.pg_stat_io": "pg_stat_io.reads (relation): ", "io.stat": "cgroup io.stat rios: ",
	} {
		found, err := allKnown().of([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if text := inOneColumn(t, found.onAScreen(80, []string{name})); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s\nwant %s first", name, text, want)
		}
	}
}

// TestSuggestionsAreNear: only names that a slip of the fingers turns into the typed one are suggested.
func TestSuggestionsAreNear(t *testing.T) {
	for typed, want := range map[string]string{
		"foo": "", "user I/O": "", "txn/s": "", "op/s": "", "WriteIOP": "WriteIOPS", "WrietIOPS": "WriteIOPS",
		"Total IOPS": "WriteIOPS", "pg_stat_wal.wal_sycn": "pg_stat_wal.wal_sync", "node_disk_write_completed_total": "node_disk_writes_completed_total",
	} {
		_, err := allKnown().of([]string{typed})
		unknown, ok := errors.AsType[*unknownMetricError](err)
		switch {
		case !ok:
			t.Errorf("%s: %v", typed, err)
		case want == "" && len(unknown.closest) > 0, want != "" && !slices.Contains(unknown.closest, want):
			t.Errorf("%s: suggested %q, want %q", typed, unknown.closest, want)
		}
	}
}

// TestScrapedNames: what realiops exports to Prometheus is explained, and so is a column of a view as other exporters
// spell it.
func TestScrapedNames(t *testing.T) {
	known := allKnown()
	want := map[string]string{
		"pg_stat_io_writes": "pgstat.io/writes", "pg_stat_wal_wal_bytes": "pgstat.wal/wal_bytes",
		"rate(pg_stat_statements_calls_total[5m])": "pgstat.statements/calls",
	}
	for _, m := range metric.All() {
		if m.On == "" && m.Derived == nil {
			want[m.Exported()] = m.Name
		}
	}
	for typed, name := range want {
		found, err := known.of([]string{typed})
		if err != nil || !slices.ContainsFunc(found.local, func(m metric.Metric) bool { return m.Name == name }) {
			t.Errorf("%s does not lead to %s: %v", typed, name, err)
		}
	}
}
