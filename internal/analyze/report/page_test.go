package report_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/plot"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

func rendered(t *testing.T, render func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := render(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func pageOf(t *testing.T, run *counts.Run) document.Document {
	t.Helper()
	return report.Document(run, report.New(run, attribution.Judge(run, attribution.Options{})), nil, nil)
}

// walk visits all blocks of a document, nested ones included, with the title of their section.
func walk(title string, blocks []document.Block, visit func(title string, b document.Block)) {
	for _, b := range blocks {
		switch b := b.(type) {
		case document.Section:
			walk(b.Title, b.Blocks, visit)
		case document.Together:
			walk(title, b, visit)
		case interface{ Within() []document.Block }:
			walk(title, b.Within(), visit)
		default:
			visit(title, b)
		}
	}
}

// tableOf finds a table by a word of its section's title.
func tableOf(t *testing.T, d document.Document, word string) document.Table {
	t.Helper()
	var found *document.Table
	walk("", d.Blocks, func(title string, b document.Block) {
		if table, is := b.(document.Table); is && found == nil && strings.Contains(title, word) {
			found = &table
		}
	})
	if found == nil {
		t.Fatalf("no table on %s", word)
	}
	return *found
}

func picturesOf(d document.Document) (all []*plot.Picture) {
	walk("", d.Blocks, func(_ string, b document.Block) {
		if f, is := b.(document.Figure); is {
			for _, p := range f.Pictures {
				all = append(all, p.(*plot.Picture))
			}
		}
	})
	return all
}

// runFrom reads the run of a file.
func runFrom(t *testing.T, name string) *counts.Run {
	t.Helper()
	run, err := tally.FromFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestCSVHasEveryMetric with the figures of the report, unrounded.
func TestCSVHasEveryMetric(t *testing.T) {
	r := shipped(t)
	lines, err := csv.NewReader(strings.NewReader(rendered(t, func(w io.Writer) error {
		return document.CSV(w, documentOf(t, r))
	}))).ReadAll()
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
		for _, a := range m.Loads {
			want = append(want, a.PerSecond.Value)
		}
		if line[0] != m.Metric || line[2] != string(m.Kind) {
			t.Errorf("line %d is of %s, %s; want %s, %s", i+1, line[0], line[2], m.Metric, m.Kind)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-report +csv):\n%s", m.Metric, diff)
		}
	}
}

// TestTextStaysText: names in a run file may be anything.
func TestTextStaysText(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	records := runfiletest.Records(t, shippedRun)
	for i, record := range records {
		switch r := record.(type) {
		case runfile.Run:
			r.Plan.Loads[1].Name, r.Provenance = evil, evil
			records[i] = r
		case runfile.LoadEvent:
			if r.Load == "bulk" {
				r.Load = evil
				records[i] = r
			}
		case runfile.Work:
			if r.Load == "bulk" {
				r.Load = evil
				records[i] = r
			}
		}
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, run)
	for name, text := range map[string]string{
		"html": rendered(t, func(w io.Writer) error { return document.HTML(w, page) }),
		"md":   rendered(t, func(w io.Writer) error { return document.Markdown(w, page) }),
	} {
		if strings.Contains(text, "<script>") || !strings.Contains(text, "alert(1)") {
			t.Errorf("%s: the name is markup, or gone", name)
		}
	}
}

// TestPageNeedsNothingElse: the page loads nothing from elsewhere.
func TestPageNeedsNothingElse(t *testing.T) {
	page := rendered(t, func(w io.Writer) error { return document.HTML(w, pageOf(t, runFrom(t, shippedRun))) })
	if found := regexp.MustCompile(`(?i)(src=|href="[^#])|url\(|@import|<script>`).FindString(page); found != "" {
		t.Errorf("the page loads something: %s", found)
	}
}

// TestPageOfFallingCounters: they have no rate to draw, and still a page.
func TestPageOfFallingCounters(t *testing.T) {
	var records []runfile.Record
	for _, r := range runfiletest.Records(t, "../../../testdata/runs/observed-pg17.jsonl.zst") {
		if reading, ok := r.(runfile.Reading); ok {
			for name := range reading.Values {
				reading.Values[name] *= -1
			}
		}
		records = append(records, r)
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	page := rendered(t, func(w io.Writer) error { return document.HTML(w, pageOf(t, run)) })
	if !strings.Contains(page, "In 60 of 60 windows") || strings.Contains(page, "device writes over time") {
		t.Error("the page does not say that nothing could be followed, or draws it")
	}
}

var recordsAPoint = regexp.MustCompile(`[0-9.,]+ s: ([0-9,]+) WAL records a second`)

// TestLateReportsAreNoBurst: sessions report their work a second late, all at the end of a load, a few milliseconds
// after another reading. That must not look like a rate beyond the load's best second, which is less than twice its
// mean.
func TestLateReportsAreNoBurst(t *testing.T) {
	for _, name := range []string{"local-pg15", "local-pg17", "local-pg18"} {
		run := runFrom(t, "../../../testdata/runs/"+name+".jsonl.zst")
		most := 0.0
		for _, a := range judged(run).Loads {
			if f := a.Of(metric.WALRecords); f.Known() {
				most = max(most, f.Value)
			}
		}
		page := rendered(t, func(w io.Writer) error { return document.HTML(w, pageOf(t, run)) })
		for _, shown := range recordsAPoint.FindAllStringSubmatch(page, -1) {
			if v, err := strconv.ParseFloat(strings.ReplaceAll(shown[1], ",", ""), 64); err != nil || v > 2*most {
				t.Errorf("%s: %q, and the fastest load made %.0f a second", name, shown[0], most)
			}
		}
	}
}
