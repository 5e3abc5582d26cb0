package report_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/readtest"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestReads: the ladder of measured read loads. Under point-cold 84,538 buffers were found and 35,552 missed, for which
// the device read 253,292,544 bytes: 70.4%, 3.9% and 25.7% of the buffers touched.
func TestReads(t *testing.T) {
	run, err := tally.FromRun(runfiletest.Sequence(readtest.Records(t, "17", nil)))
	if err != nil {
		t.Fatal(err)
	}
	r := report.New(run, attribution.Judge(run, attribution.Options{}))
	var b strings.Builder
	if err := document.Markdown(&b, report.Document(run, r, nil, nil)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"| page reads | 41,000/s | the disk did 395/s | 104 times fewer (scan-cold) |",
		"## Reads, from rows down to the device (per second)",
		"| point-cold | 6,860 ±2% | 27,200 ±2% | 8,050 ±2% | 5,830 ±2% |",
		"| point-cold | 70% | 4% | 26% |",
		"| scan-warm | 1,217,000 ±2% | 32,900 ±2% | 26,600 ±2% | 0 ±0% |",
		"| scan-warm | 19% | 81% | 0% |",
		"REQUESTED: asked of the operating system, not of the disk.",
		"REQUESTED: 0 (scan-warm) to 0.88 (mixed) device reads for each: pg\\_stat\\_database.blks\\_read.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %s", want)
		}
	}
	if work := strings.Split(text, "## Reads, from rows")[0]; strings.Contains(work, "| scan-warm |") ||
		!strings.Contains(work, "| update-hot |") {
		t.Error("the table of what was written is to have the loads that write, and no others")
	}
	if h := r.Headline.Reads; h == nil || h.Load != "scan-warm" || h.Device.Value != 0 {
		t.Errorf("the headline of reads: %+v", h)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestLoadsAreExplained: a page describes a transaction of each load, and draws the reads of loads that read.
func TestLoadsAreExplained(t *testing.T) {
	run, err := tally.FromFile("../../../testdata/runs/default-pg17.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := document.HTML(&b, report.Document(run, report.New(run, attribution.Judge(run, attribution.Options{})),
		nil, nil)); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if n := strings.Count(page, ` id="load-`); n != 12 {
		t.Errorf("of 12 loads %d are explained", n)
	}
	for _, want := range []string{
		"a transaction is one UPDATE of one row by its key in a table with 2 indexes.",
		"a transaction is one SELECT of one row by its key in a table with 2 indexes, whose files the kernel was " +
			"asked to forget.",
		"1 client; a transaction is one aggregate over all rows in a table with 2 indexes, whose files",
		"In a second of scan-cold: 1,182,000 rows returned, 84,400 buffers touched, 84,200 pages missed, " +
			"675 device reads.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
	if strings.Contains(page, "In a second of point-cold: 0.2 pages written") {
		t.Error("a load that only reads is drawn by what it wrote")
	}
}

// TestReadsWithoutTheDevice have no column for it.
func TestReadsWithoutTheDevice(t *testing.T) {
	var records []runfile.Record
	ofDevice := func(name string) bool { return strings.HasPrefix(name, "block/") }
	for _, record := range readtest.Records(t, "17", nil) {
		switch r := record.(type) {
		case runfile.Metric:
			if ofDevice(r.Name) {
				continue
			}
		case runfile.Reading:
			maps.DeleteFunc(r.Values, func(name string, _ float64) bool { return ofDevice(name) })
		}
		records = append(records, record)
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := document.Markdown(&b, report.Document(run, report.New(run, attribution.Judge(run, attribution.Options{})),
		nil, nil)); err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(b.String(),
		"## Reads, from rows down to what was asked of the operating system (per second)")
	if !strings.HasPrefix(strings.TrimSpace(section), "| load | rows returned | buffers touched | pages asked |\n") {
		t.Errorf("the table of reads is %.300s", section)
	}
	// only a note stands above, and there is no device
	for _, said := range []string{"The caution above", "device requests."} {
		if strings.Contains(b.String(), said) {
			t.Errorf("it says %q", said)
		}
	}
}

// TestNoRowsNoRecordsPerRow: the WAL of a load that only reads is not told per row.
func TestNoRowsNoRecordsPerRow(t *testing.T) {
	r := read(t, "../../../testdata/runs/default-pg17.jsonl.zst")
	_, section, _ := strings.Cut(detailsOf(t, r, 80), "What the WAL of each load is made of")
	section, _, _ = strings.Cut(section, "What each metric counts")
	if strings.Contains(section, "cold") || !strings.Contains(section, "4,172") { // update-indexed
		t.Error(section)
	}
	for _, a := range r.Loads {
		if a.Name == "scan-cold" && a.WAL.PerRow.Known() {
			t.Errorf("%s: %+v", a.Name, a.WAL.PerRow)
		}
	}
}
