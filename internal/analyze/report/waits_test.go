package report_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report"
)

// TestWaitsAreShown: the three most frequent, if known.
func TestWaitsAreShown(t *testing.T) {
	run := runFrom(t, "../../../testdata/runs/loads-pg17.jsonl")
	const title = "Where time went, by Performance Insights (CloudWatch Database Insights)"
	before := report.New(run, attribution.Verdicts{})
	if strings.Contains(textOf(t, before, 80), title) {
		t.Error("waits are shown that nobody told")
	}
	run.Loads[1].Waits = []counts.Wait{{Event: "", Sessions: 7.9}, {Event: "IO:XactSync", Sessions: 5},
		{Event: "CPU", Sessions: 2}, {Event: "Lock:a", Sessions: 0.5}, {Event: "Lock:b", Sessions: 0.4}}
	text := unwrapped(textOf(t, report.New(run, attribution.Verdicts{}), 80))
	if want := title + " - bulk: 7.90 sessions at work or waiting: IO:XactSync 5.00, CPU 2.00, Lock:a " +
		"0.500 "; !strings.Contains(text, want) {
		t.Errorf("the report does not say %q:\n%s", want, text)
	}
}
