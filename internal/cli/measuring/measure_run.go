package measuring

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/measure/operation"
	"github.com/realiops/realiops/internal/runfile"
)

func runMeasure(ctx context.Context, env command.Env, o measureOptions, flags *pflag.FlagSet, args []string) error {
	m, err := o.measurement(ctx, env, flags, args)
	if err != nil {
		return err
	}
	report, err := o.report(ctx, env, args)
	if err != nil {
		return err
	}
	if err := o.target.UseNamedFor(env, o.Warmup+o.Repetitions); err != nil {
		return err
	}
	if m.server, err = o.target.Target(ctx, env); err != nil {
		return err
	}
	m.countStatements()
	m.base = report.base
	remove, err := o.keepIn(&m)
	if err != nil {
		return err
	}
	defer remove()
	mode := progress.None
	if env.ErrTerminal && !o.quiet {
		mode = progress.Plain // a bar would be drawn over the command's output
	}
	show := env.Display(mode)
	m.show = show
	recorded, failed := m.do(ctx)
	show.Close()
	if !recorded {
		return failed
	}
	result, err := report.tell(m.path, *m.Head.Operation, failed)
	switch {
	case failed != nil:
		status := command.ExitFailed
		if own, ok := errors.AsType[*operation.FailedError](failed); ok { // the command's own
			status = own.Status
		}
		return command.WithCode(status, errors.Join(failed, err))
	case err != nil:
		return command.WithCode(command.ExitFailed, err)
	default:
		return reading.BudgetsMet(result)
	}
}

// costReport holds the outputs of a cost, and the budgets and the base to compare it with.
type costReport struct {
	outputs []costOutput
	budgets []cost.Budget
	base    *cost.Compared // nil: none
}

type costOutput struct {
	format string
	file   string // empty: standard output
	to     io.Writer
	write  func(io.Writer, cost.Result) error
}

func (o *measureOptions) report(ctx context.Context, env command.Env, args []string) (r costReport, err error) {
	to := env.Out
	if len(args) > 0 {
		to = env.Err // the command's output must not be mixed with it
	}
	files := o.out
	if len(files) == 0 {
		files = []string{""}
	}
	for _, file := range files {
		format := o.format
		if err := format.Follow(file); err != nil {
			return r, err
		}
		r.outputs = append(r.outputs, costOutput{format.Chosen, file, to, func(w io.Writer, result cost.Result) error {
			env := env
			env.Out, env.OutTerminal = w, env.OutTerminal && len(args) == 0 && file == ""
			return env.Answer(format.Chosen, reading.CostAnswer(result, o.verbose))
		}})
	}
	if r.budgets, err = o.budgets(ctx); err != nil {
		return r, err
	}
	r.base, err = o.compared(ctx, env)
	return r, err
}

// tell reports on the file. After a failure that may be less than was asked for, which no
// budget can judge, or nothing.
func (r costReport) tell(path string, operation runfile.Operation, failed error) (cost.Result, error) {
	result, err := r.result(path, failed)
	if err != nil {
		if failed == nil {
			return result, err
		}
		operation.Text = runfile.Scrub(operation.Text)
		result.Cost = cost.Cost{Operation: operation} // nothing was counted: failed says why
		result.Hold(r.budgets)
	}
	var failures error
	for _, to := range r.outputs {
		// an incomplete measurement is not a base
		valid := err == nil && (failed == nil || to.format != command.FormatBase)
		if valid || slices.Contains(failureForms, to.format) {
			failures = errors.Join(failures, command.WriteTo(to.file, to.to, func(w io.Writer) error {
				return to.write(w, result)
			}))
		}
	}
	return result, failures
}

func (r costReport) result(path string, failed error) (result cost.Result, err error) {
	result.Base = r.base
	if failed != nil {
		result.Failed = failed.Error()
	}
	run, err := tally.FromFile(path)
	if err != nil {
		return result, err
	}
	if result.Cost, err = cost.Of(run); err != nil {
		return result, err
	}
	if r.base != nil {
		if err := r.base.Refuse(result.Cost); err != nil {
			return result, err
		}
		if differs := r.base.Differs(result.Cost); differs != "" {
			result.Warnings = append(result.Warnings, differs)
		}
	}
	result.Hold(r.budgets)
	return result, nil
}
