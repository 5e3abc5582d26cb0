package cli

import (
	"io"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	jobs "github.com/realiops/realiops/internal/measure/baseline"
)

// throttled says after each second of a job whether storage has slowed down for good. It looks every few seconds.
func throttled() func(jobs.Second) bool {
	const every = 5
	var points []baseline.Point
	return func(s jobs.Second) bool {
		points = append(points, baseline.Point(s))
		return len(points)%every == 0 && baseline.Throttled(points).Settled()
	}
}

// writeBaseline says what storage delivered.
func writeBaseline(env Env, run *counts.Run, format string) error {
	found, err := baseline.FromRun(run)
	if err != nil {
		return err
	}
	view := report.NewBaseline(run, found)
	return env.answer(format, finding{
		what: "a baseline", value: view, words: func() document.Document { return view.Document(run) },
		forms: map[string]func(io.Writer) error{
			formatPNG: func(w io.Writer) error { return report.BaselinePNG(w, run, view) },
		},
	})
}
