package report_test

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// An observation ran no arms and has no replicates. The only arms that it may speak of are those of a run that would settle
// what it leaves open.
func TestObservationSpeaksOfLoads(t *testing.T) {
	run := runFrom(t, "../../../testdata/runs/observed-pg17.jsonl.zst")
	r := report.New(run, attribution.Judge(run, attribution.Options{}))
	check := func(name string, render func(io.Writer) error) {
		t.Helper()
		text := strings.Join(strings.Fields(rendered(t, render)), " ")
		for _, settling := range []string{`The arm \S+ would tell`, "These arms are short loads of our own", `load of the arm \S+ would part`} {
			text = regexp.MustCompile(settling).ReplaceAllString(text, "")
		}
		for _, found := range regexp.MustCompile(`(?i).{0,60}\b(arms?|replicates?)\b.{0,60}`).FindAllString(text, -1) {
			t.Errorf("%s: %s", name, found)
		}
	}
	check("text", func(w io.Writer) error { return report.Text(w, r, 80) })
	check("details", func(w io.Writer) error { return report.Details(w, r, 80) })
	check("markdown", func(w io.Writer) error { return report.Markdown(w, pageOf(t, run)) })
	size, _ := sizedBy(t, run, sizing.Ask{GiB: 100})
	check("sizes", func(w io.Writer) error { return report.SizeText(w, size, 80) })
	check("page", func(w io.Writer) error { return report.HTML(w, pageOf(t, run)) })
}
