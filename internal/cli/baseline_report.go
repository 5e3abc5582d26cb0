package cli

import (
	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/drivers"
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

// report prints what the file holds, and where it is.
func (o baselineOptions) report(env Env, path string) error {
	run, err := readRun(env, path)
	if err == nil {
		err = writeBaseline(env, run, o.format)
	}
	return o.conclude(env, path, err)
}

// writeBaseline says what storage delivered.
func writeBaseline(env Env, run *drivers.Run, format string) error {
	found, err := baseline.FromRun(run)
	if err != nil {
		return err
	}
	view := report.NewBaseline(run, found)
	if format == formatJSON {
		return report.JSON(env.Out, view)
	}
	return env.write(view.Document(run))
}
