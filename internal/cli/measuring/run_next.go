package measuring

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/next"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// nextLoad returns a function that chooses, from the run file so far, the load to run once more. For an unreadable
// file it returns none: the report will say why.
func nextLoad() func(path string, required []string, loads []runfile.Load) (load, why string) {
	var chooser next.Chooser
	return func(path string, required []string, loads []runfile.Load) (load, why string) {
		run, err := tally.FromFile(path, tally.WithoutLatencies)
		if err != nil {
			return "", ""
		}
		return chooser.Load(run, mattering(run, required), loads)
	}
}

// soFar returns a function that is called after each repetition, and shows the findings so far: after 1, 2, 4 … loads,
// and after each round of all. It is nil if there is no display. For an unreadable file it shows nothing: the report will say why.
func soFar(env command.Env, show *progress.Display) func(path string) {
	if !show.Looked() {
		return nil
	}
	ended, loads := 0, 0
	return func(path string) {
		ended++
		if loads > 0 && ended%loads != 0 && (ended > loads || ended&(ended-1) != 0) {
			return
		}
		run, err := tally.FromFile(path, tally.WithoutLatencies)
		if err != nil || ended >= run.Header.Plan.Steps() { // the report follows
			return
		}
		loads = len(run.Loads)
		view, _ := report.OnScreen(run, nil)
		var found bytes.Buffer
		if document.Text(env.Coloured(&found, env.ErrTerminal), view.SoFar(),
			cmp.Or(env.MessageColumns(), command.DefaultWidth)) == nil {
			show.Found(found.String())
		}
	}
}

// mattering returns the metrics that matter to the user: those required, or else those that are
// bought, billed or taken for I/O.
func mattering(run *counts.Run, required []string) []string {
	if len(required) > 0 {
		return required
	}
	return slices.DeleteFunc(run.MetricNames(), func(name string) bool { return !metric.All().Matters(name) })
}

// countedNames returns the names of all metrics and rates that such a run can judge.
func countedNames(metrics []runfile.Metric) []string {
	counters := slices.DeleteFunc(slices.Clone(metrics), func(m runfile.Metric) bool { return m.Type == runfile.Gauge })
	return (&counts.Run{Counters: counters}).MetricNames()
}
