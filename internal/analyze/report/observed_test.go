package report_test

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestObservationSpeaksOfLoads: the report of an observation mentions no repetitions, and no runs except those that
// would settle what is open.
func TestObservationSpeaksOfLoads(t *testing.T) {
	run := runFrom(t, "../../../testdata/runs/observed-pg17.jsonl.zst")
	r := report.New(run, attribution.Judge(run, attribution.Options{}))
	check := func(name, text string) {
		t.Helper()
		text = unwrapped(text)
		for _, wouldTell := range []string{"These are short loads of our own",
			"from one repetition of load [A-Z] to the next"} {
			text = regexp.MustCompile(wouldTell).ReplaceAllString(text, "")
		}
		for _, found := range regexp.MustCompile(`(?i).{0,60}\brepetitions?\b.{0,60}`).FindAllString(text, -1) {
			t.Errorf("%s: %s", name, found)
		}
	}
	for _, a := range r.Loads {
		if a.Failures.Missing == nil {
			t.Errorf("%s: %v transactions a second failed, which nobody counted", a.Name, a.Failures.Value)
		}
	}
	page := pageOf(t, run)
	check("text", textOf(t, r, 80))
	check("details", detailsOf(t, r, 80))
	check("markdown", rendered(t, func(w io.Writer) error { return document.Markdown(w, page) }))
	size, _ := sizedBy(t, run, sizing.Ask{GiB: 100})
	check("sizes", written(t, size.Document(), 80))
	check("page", rendered(t, func(w io.Writer) error { return document.HTML(w, page) }))
}

// TestImpossibleRequestSize: an observation with less than a byte per request reports that the units are wrong; a
// measurement does not.
func TestImpossibleRequestSize(t *testing.T) {
	const file = "../../../testdata/runs/observed-pg17.jsonl.zst"
	said := func(run *counts.Run) bool {
		r := report.New(run, attribution.Judge(run, attribution.Options{}))
		return slices.ContainsFunc(r.Warnings, func(w report.Warning) bool { return w.Code == "requests-too-small" })
	}
	if said(runFrom(t, file)) {
		t.Error("requests that were measured are said to be too small")
	}
	records := runfiletest.Records(t, file)
	for _, r := range records {
		if reading, is := r.(runfile.Reading); is {
			for name := range reading.Values {
				if strings.HasSuffix(name, "_bytes") &&
					(strings.HasPrefix(name, "block/") || strings.HasPrefix(name, metric.RequestServer)) {
					reading.Values[name] /= 100000
				}
			}
		}
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	if !said(run) {
		t.Error("requests of less than a byte are not said to be too small")
	}
}

// TestVoidStandsFirst: a warning that voids the figures comes before any remark.
func TestVoidStandsFirst(t *testing.T) {
	run := runFrom(t, "../../../testdata/runs/observed-pg17.jsonl.zst")
	run.Header.Target.Storage.InMemory = []string{"wal"}
	if all := judged(run).Warnings; len(all) < 2 || all[0].Code != "ram" {
		t.Errorf("the warnings begin with %+v", all[:min(2, len(all))])
	}
}
