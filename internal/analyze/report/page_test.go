package report_test

import (
	"bytes"
	"encoding/csv"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/runfile/runfiletest"
)

func rendered(t *testing.T, render func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := render(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func pageOf(t *testing.T, run *drivers.Run) report.Page {
	t.Helper()
	page, err := report.NewPage(run, report.New(run, attribution.Judge(run, attribution.Options{})), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// runFrom is the run of a file.
func runFrom(t *testing.T, name string) *drivers.Run {
	t.Helper()
	run, err := drivers.FromFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// tables are the texts of all cells with something in them, in the order of a page.
func tables(t *testing.T, page string) []string {
	t.Helper()
	var cells []string
	for _, cell := range regexp.MustCompile(`(?s)<td[^>]*>(.*?)</td>`).FindAllStringSubmatch(page, -1) {
		if cell[1] != "" {
			cells = append(cells, html.UnescapeString(strings.ReplaceAll(cell[1], "<wbr>", "")))
		}
	}
	return cells
}

// TestFormatsSayTheSame: what HTML shows in its tables, Markdown shows in the same order, and text has the figures of the
// first two.
func TestFormatsSayTheSame(t *testing.T) {
	run := runFrom(t, shippedRun)
	r, page := report.New(run, attribution.Judge(run, attribution.Options{})), pageOf(t, run)
	inHTML := tables(t, rendered(t, func(w io.Writer) error { return report.HTML(w, page) }))
	var inMarkdown []string
	for line := range strings.Lines(rendered(t, func(w io.Writer) error { return report.Markdown(w, page) })) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") {
			continue
		}
		for cell := range strings.SplitSeq(strings.Trim(line, "|\n"), " | ") {
			if text := strings.ReplaceAll(strings.TrimSpace(cell), `\`, ""); text != "" {
				inMarkdown = append(inMarkdown, html.UnescapeString(text))
			}
		}
	}
	var headers []string
	for _, s := range page.Sections {
		if s.Table != nil {
			headers = append(headers, s.Table.Header...)
		}
	}
	if len(inMarkdown) != len(inHTML)+len(headers) {
		t.Errorf("Markdown has %d cells, HTML %d and %d headers", len(inMarkdown), len(inHTML), len(headers))
	}
	left := inMarkdown
	for _, cell := range inHTML {
		i := index(left, cell)
		if i < 0 {
			t.Fatalf("%q is not in Markdown, or not in its place", cell)
		}
		left = left[i+1:]
	}
	text := strings.Join(strings.Fields(rendered(t, func(w io.Writer) error { return report.Text(w, r, 200) })), " ")
	for _, s := range page.Sections[:1] {
		for _, row := range s.Table.Rows {
			for _, cell := range row {
				if !strings.Contains(text, strings.Join(strings.Fields(cell.Text), " ")) {
					t.Errorf("%q is not in the text", cell.Text)
				}
			}
		}
	}
}

func index(cells []string, want string) int {
	for i, c := range cells {
		if strings.Join(strings.Fields(c), " ") == strings.Join(strings.Fields(want), " ") {
			return i
		}
	}
	return -1
}

// TestCSVHasEveryMetric with the figures of the report, unrounded.
func TestCSVHasEveryMetric(t *testing.T) {
	r := shipped(t)
	lines, err := csv.NewReader(strings.NewReader(rendered(t, func(w io.Writer) error { return report.CSV(w, r) }))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1+len(r.Metrics) {
		t.Fatalf("%d lines, %d metrics", len(lines), len(r.Metrics))
	}
	for i, m := range r.Metrics {
		line := lines[i+1]
		var got []float64
		for _, cell := range line[9:] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		var want []float64
		for _, a := range m.Arms {
			want = append(want, a.PerSecond.Value)
		}
		if line[0] != m.Metric || line[2] != m.Verdict {
			t.Errorf("line %d is of %s, %s; want %s, %s", i+1, line[0], line[2], m.Metric, m.Verdict)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-report +csv):\n%s", m.Metric, diff)
		}
	}
}

// TestTextStaysText: names in a run file are anybody's.
func TestTextStaysText(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	records := runfiletest.Records(t, shippedRun)
	for i, record := range records {
		switch r := record.(type) {
		case runfile.Run:
			r.Plan.Arms[1].Name, r.Provenance = evil, evil
			records[i] = r
		case runfile.ArmEvent:
			if r.Arm == "bulk" {
				r.Arm = evil
				records[i] = r
			}
		case runfile.Load:
			if r.Arm == "bulk" {
				r.Arm = evil
				records[i] = r
			}
		}
	}
	run, err := drivers.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, run)
	for name, text := range map[string]string{
		"html": rendered(t, func(w io.Writer) error { return report.HTML(w, page) }),
		"md":   rendered(t, func(w io.Writer) error { return report.Markdown(w, page) }),
	} {
		if strings.Contains(text, "<script") || !strings.Contains(text, "alert(1)") {
			t.Errorf("%s: the name is markup, or gone", name)
		}
	}
}

// TestPageNeedsNothingElse: no address of anything to load stands in it.
func TestPageNeedsNothingElse(t *testing.T) {
	page := rendered(t, func(w io.Writer) error { return report.HTML(w, pageOf(t, runFrom(t, shippedRun))) })
	if found := regexp.MustCompile(`(?i)(src|href)=|url\(|@import|<script`).FindString(page); found != "" {
		t.Errorf("the page loads something: %s", found)
	}
}
