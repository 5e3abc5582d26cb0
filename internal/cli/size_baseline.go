package cli

import (
	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// hold holds what was sized for against a device that was measured, where one was named.
func (o sizeOptions) hold(env Env, answer sizing.Sizing, view *report.Size) error {
	if o.baseline == "" {
		return nil
	}
	run, err := namedRun(env, o.baseline)
	if err != nil {
		return err
	}
	device, err := baseline.FromRun(run)
	if err != nil {
		return naming(o.baseline, err)
	}
	view.Against(run.Header, device, baseline.Hold(answer.Target.Most, o.headroom, device))
	return nil
}
