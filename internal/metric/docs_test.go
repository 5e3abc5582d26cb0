package metric_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

var update = flag.Bool("update", false, "write docs/reference/metrics.md anew; then read the difference")

const page = "../../docs/reference/metrics.md"

// TestDocsListEveryMetric: docs/reference/metrics.md is generated from the table.
func TestDocsListEveryMetric(t *testing.T) {
	want := introduction + sections(metric.All())
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(content), "\n")); diff != "" {
		t.Errorf("write it anew with: go test ./internal/metric -run TestDocsListEveryMetric -update (-table "+
			"+page):\n%s", diff)
	}
}

// TestDocsTakeANewRow: a new row of the table is on the page, with its meaning and names.
func TestDocsTakeANewRow(t *testing.T) {
	fresh := metric.Metric{Name: "pgstat.wal/wal_polished", Kind: runfile.Counter, Unit: "records",
		Help: "WAL records that were polished"}
	text := sections(append(slices.Clone(metric.All()), fresh.As("pg_stat_wal.wal_polished")))
	if want := "| `wal_polished` |  | records | WAL records that were polished |"; !strings.Contains(text, want) {
		t.Errorf("it has no line %s", want)
	}
}

const introduction = `# Metrics

Every number that a run reads, by its name in the run file: the heading, a slash, and the name in the table. A run file describes its
metrics in the same words, in its [metric](run-file.md#metric) lines.

- **Names.** Reports write a metric as PostgreSQL, the kernel or AWS do, by the rule above its table. The column "written" has the
  exceptions. ` + "`realiops explain`, `--require` and `--from-metric`" + ` take either.
- **Types.** A metric without a mark is a cumulative counter: a load's count is the difference of two readings, and a fall is a
  reset. A gauge is a level.
- **Versions** are the major versions of PostgreSQL that show it; if there are none, all do. In any other version it is a
  ` + "[gap](run-file.md#gap)" + `, and likewise if a setting is off, an extension is absent, or a privilege is missing:
  ` + "`realiops doctor`" + ` says which, and what to do.
- **Units** are base units, and times are seconds.
- **AWS services** are asked after the run. Their values cover [periods](run-file.md#period), of a minute by default.
  ` + "`realiops explain`" + ` summarizes their documentation.
- **What it counts.** A metric that makes a [counted quantity](../reading.md) says so in brackets.
`

// sections returns a table for each view of each document, by name.
func sections(all metric.Table) string {
	var headings []string
	rows := map[string][]metric.Metric{}
	for _, m := range all {
		heading := view(m)
		if m.On != "" {
			heading += " on " + metric.Flavor(m.On)
		}
		if rows[heading] == nil {
			headings = append(headings, heading)
		}
		rows[heading] = append(rows[heading], m)
	}
	slices.Sort(headings)
	var text strings.Builder
	for _, heading := range headings {
		section(&text, heading, rows[heading], rows["block"])
	}
	return text.String()
}

func view(m metric.Metric) string { v, _, _ := strings.Cut(m.Name, "/"); return v }

func column(m metric.Metric) string { _, c, _ := strings.Cut(m.Name, "/"); return c }

func section(text *strings.Builder, heading string, rows, disks []metric.Metric) {
	fmt.Fprintf(text, "\n## %s\n\n", heading)
	if same(rows, disks) {
		_, whose, _ := strings.Cut(rows[0].Help, disks[0].Help)
		_, printed, _ := strings.Cut(rows[0].Printed(0), "reads")
		fmt.Fprintf(text, "The names of [block](#block), of disks of their own%s; written with `%s` at the end.\n",
			whose, strings.TrimSpace(printed))
		return
	}
	rule := usual(rows, func(m metric.Metric) string {
		rule, follows := strings.CutSuffix(m.Printed(0), column(m))
		if !follows {
			return ""
		}
		return rule
	})
	var common []string
	if rule != "" {
		common = append(common, "Written `"+rule+"NAME`.")
	}
	source := usual(rows, func(m metric.Metric) string { return m.Source })
	common = append(common, "Defined in ["+document(source)+"]("+source+").")
	needs := usual(rows, needed)
	if needs != "" {
		common = append(common, "Versions: "+needs+", where nothing else is said.")
	}
	caveat := usual(rows, func(m metric.Metric) string { return m.Caveat })
	if caveat != "" {
		common = append(common, "Beware: "+caveat+".")
	}
	fmt.Fprintf(text, "%s\n\n| name | written | unit | counts |\n|---|---|---|---|\n", strings.Join(common, " "))
	var notes []string
	for i := 0; i < len(rows); i++ {
		m := rows[i]
		names, units := "`"+column(m)+"`", unit(m)
		written := "`" + m.Printed(0) + "`"
		if m.Printed(0) == rule+column(m) {
			written = ""
		}
		if i+1 < len(rows) && bytesOf(m, rows[i+1]) { // a count and its bytes share a line
			i++
			names, units = names+", `"+column(rows[i])+"`", units+"; bytes"
		}
		words := m.Help
		if m.Makes != "" {
			words += " (" + m.Makes.Many() + ")"
		}
		if n := needed(m); n != needs && n != "" {
			words += "; " + n
		}
		if len(m.Instead) > 0 {
			words += ", then `" + strings.Join(m.Instead, "` and `") + "`"
		}
		if m.Source != source && m.Source != "" {
			words += " ([source](" + m.Source + "))"
		}
		switch {
		case m.Caveat == "" || m.Caveat == caveat:
		case shared(rows, m.Caveat):
			n := slices.Index(notes, m.Caveat)
			if n < 0 {
				n, notes = len(notes), append(notes, m.Caveat)
			}
			words += fmt.Sprintf(" (%d)", n+1)
		default:
			words += ". Beware: " + m.Caveat
		}
		fmt.Fprintf(text, "| %s | %s | %s | %s |\n", names, cell(written), units, cell(words))
	}
	for i, note := range notes {
		fmt.Fprintf(text, "\n(%d) Beware: %s.\n", i+1, note)
	}
}

// usual returns the value that most of the rows share; empty if none.
func usual(rows []metric.Metric, of func(metric.Metric) string) string {
	times := map[string]int{}
	for _, m := range rows {
		times[of(m)]++
	}
	for text, n := range times {
		if 2*n > len(rows) && n > 1 || len(rows) == 1 {
			return text
		}
	}
	return ""
}

func shared(rows []metric.Metric, caveat string) bool {
	n := 0
	for _, m := range rows {
		if m.Caveat == caveat {
			n++
		}
	}
	return n > 1
}

// same reports whether rows are those of all disks, for some disks.
func same(rows, disks []metric.Metric) bool {
	read := slices.DeleteFunc(slices.Clone(disks), func(m metric.Metric) bool { return m.Derived != nil })
	return view(rows[0]) != view(disks[0]) && slices.EqualFunc(rows, read, func(a, b metric.Metric) bool {
		return column(a) == column(b) && strings.HasPrefix(a.Help, b.Help)
	})
}

// bytesOf reports whether a metric is the bytes of another's count.
func bytesOf(count, bytes metric.Metric) bool {
	return (bytes.Help == "bytes of "+count.Help || bytes.Help == "bytes of the "+count.Help) && bytes.Unit == "bytes"
}

// document names the document that defines metrics.
func document(address string) string {
	for part, name := range map[string]string{
		"postgresql.org": "PostgreSQL's manual", "kernel.org": "the kernel's documentation",
		"man7.org":           "the Linux manual pages",
		"fio.readthedocs.io": "fio's manual", "AmazonRDS": "AWS's user guide", "/ebs/": "AWS's user guide",
	} {
		if strings.Contains(address, part) {
			return name
		}
	}
	return address
}

// unit returns a metric's unit, with its type if it is not a counter.
func unit(m metric.Metric) string {
	var words string
	switch m.Kind {
	case runfile.Rate:
		words = m.Unit + " a second"
	case runfile.CountPerPeriod:
		words = m.Unit + " in a period"
	case runfile.Gauge:
		words = m.Unit + ", gauge"
	default:
		words = m.Unit
	}
	if m.Period == metric.FiveMinutes {
		words += ", every 5 minutes"
	}
	return words
}

// needed returns what a server needs to show a metric.
func needed(m metric.Metric) string {
	var words []string
	if m.Versions != (metric.Span{}) {
		words = append(words, m.Versions.String())
	}
	if len(m.Needs) > 0 {
		words = append(words, "with `"+strings.Join(m.Needs, "` and `")+"`")
	}
	return strings.Join(words, " ")
}

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
