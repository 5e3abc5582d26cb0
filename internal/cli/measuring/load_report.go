package measuring

import (
	"context"
	"errors"
	"io"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
	"github.com/realiops/realiops/internal/runfile"
)

// report writes the results, with comments on standard error. Failures decide the exit code.
func (b *benchmark) report(ctx context.Context, result engine.Result, failure error) error {
	r := output.Report{Asked: b.asked, Result: result, Status: output.Complete}
	switch {
	case ctx.Err() != nil:
		r.Status = output.Interrupted
	case failure != nil || len(result.Aborted) > 0:
		r.Status = output.Aborted
	}
	for _, g := range b.gates {
		r.Gates = append(r.Gates, g.Judge(r))
	}
	if err := b.env.Answer(b.format.Chosen, command.Finding{What: "a load", Forms: map[string]func(io.Writer) error{
		command.FormatText: r.Text, command.FormatJSON: r.JSON,
	}}); err != nil {
		return command.WithCode(command.ExitFailed, err)
	}
	for _, line := range r.Faults() {
		b.say("errors: %s", line)
	}
	for _, line := range r.Warnings() {
		b.say("warning: %s", line)
	}
	return b.verdict(r, failure)
}

// verdict returns the exit code with its reason. An incomplete result passes no gate.
func (b *benchmark) verdict(r output.Report, failure error) error {
	var failed error
	for _, v := range r.Gates {
		if v.Failed {
			failed = errors.Join(failed, errors.New(v.String()))
		}
	}
	switch r.Status {
	case output.Interrupted:
		b.say("Run was interrupted; the above results are incomplete.")
	case output.Aborted:
		if _, reported := errors.AsType[*engine.Abort](failure); failure != nil && !reported {
			b.say("error: %s", runfile.OneLine(failure.Error()))
		}
		b.say("Run was aborted; the above results are incomplete.")
	default:
		return command.WithCode(command.ExitGate, failed)
	}
	return command.WithCode(command.ExitFailed, command.ErrSilent)
}
