package report_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
)

// TestOnScreenShowsTheSame as a report that judges every metric, of all runs that come with the source.
func TestOnScreenShowsTheSame(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/runs/*.jsonl*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d runs: %v", len(files), err)
	}
	text := func(d document.Document) string {
		var all strings.Builder
		if err := document.Text(&all, d, 80); err != nil {
			t.Fatal(err)
		}
		return all.String()
	}
	fewer := 0
	for _, name := range files {
		run, err := tally.FromFile(name)
		if err != nil {
			t.Fatal(err)
		}
		every := report.New(run, attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}))
		view, verdicts := report.OnScreen(run, nil)
		if len(verdicts.Metrics) < len(every.Metrics) {
			fewer++
		}
		for _, c := range [][2]string{
			{text(report.Answer(run, view)), text(report.Answer(run, every))}, {text(view.SoFar()), text(every.SoFar())},
		} {
			if c[0] != c[1] {
				t.Errorf("%s: with %d of %d metrics judged:\n%s\nwith all:\n%s", name, len(verdicts.Metrics),
					len(every.Metrics), c[0], c[1])
			}
		}
	}
	if fewer < 4 {
		t.Errorf("only %d runs were judged in part", fewer)
	}
}
