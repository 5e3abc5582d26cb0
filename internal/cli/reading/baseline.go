package reading

import (
	"io"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/storage"
	"github.com/realiops/realiops/internal/cli/command"
)

// WriteBaseline writes a baseline's report.
func WriteBaseline(env command.Env, run *counts.Run, format string) error {
	found, err := baseline.FromRun(run)
	if err != nil {
		return err
	}
	view := storage.NewBaseline(run, found)
	return env.Answer(format, command.Finding{
		What: "a baseline", Value: view, Words: func() document.Document { return view.Document(run) },
		Forms: map[string]func(io.Writer) error{
			command.FormatPNG: func(w io.Writer) error { return storage.BaselinePNG(w, run, view) },
		},
	})
}
