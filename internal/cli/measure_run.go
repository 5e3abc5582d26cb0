package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/operation"
	"github.com/realiops/realiops/internal/printable"
)

// runMeasure measures, and reports from the record.
func runMeasure(ctx context.Context, env Env, o measureOptions, flags *pflag.FlagSet, args []string) error {
	m, err := o.measuring(ctx, env, flags, args)
	if err != nil {
		return err
	}
	report, err := o.report(ctx, env, args)
	if err != nil {
		return err
	}
	if err := o.target.useNamedFor(env, o.warmup+o.repetitions); err != nil {
		return err
	}
	if m.server, err = o.target.target(env); err != nil {
		return err
	}
	m.countStatements()
	remove, err := o.keepIn(&m)
	if err != nil {
		return err
	}
	defer remove()
	mode := progress.None
	if env.ErrTerminal && !o.quiet {
		mode = progress.Plain // a bar would be drawn over what the command prints
	}
	show := env.display(mode)
	m.show = show
	recorded, failed := m.do(ctx)
	show.Close()
	if !recorded {
		return failed
	}
	result, err := report.tell(m.path, failed)
	switch {
	case failed != nil:
		status := exitFailed
		if own, is := errors.AsType[*operation.FailedError](failed); is { // the command's own
			status = own.Status
		}
		return withCode(status, errors.Join(failed, err))
	case err != nil:
		return withCode(exitFailed, err)
	default:
		return budgetsMet(result)
	}
}

// costReport is how a cost is told, and what it is held against.
type costReport struct {
	write   func(io.Writer, cost.Result) error
	to      io.Writer
	file    string // in the place of to; empty: none
	budgets []cost.Budget
	base    *cost.Compared // nil: none
}

func (o *measureOptions) report(ctx context.Context, env Env, args []string) (r costReport, err error) {
	r.to, r.file = env.Out, o.out
	if len(args) > 0 {
		r.to = env.Err // what a command prints is not to be mixed with it
	}
	if err := o.format.follow(o.out); err != nil {
		return r, err
	}
	r.write = func(w io.Writer, result cost.Result) error {
		env.Out, env.OutTerminal = w, env.OutTerminal && len(args) == 0 && o.out == ""
		return env.answer(o.format.chosen, costAnswer(result, o.verbose))
	}
	if r.budgets, err = o.budgets(ctx); err != nil {
		return r, err
	}
	r.base, err = o.compared(ctx, env)
	return r, err
}

// tell reports on what there is in the file. Where the measurement failed, that may be less than was asked for, by which no
// budget is judged, or nothing.
func (r costReport) tell(path string, failed error) (cost.Result, error) {
	if failed != nil {
		r.budgets = nil
	}
	result, err := r.result(path)
	switch {
	case err != nil && failed != nil:
		return result, nil // nothing: what failed says why
	case err != nil:
		return result, err
	default:
		return result, writeTo(r.file, r.to, func(w io.Writer) error { return r.write(w, result) })
	}
}

func (r costReport) result(path string) (cost.Result, error) {
	run, err := counts.FromFile(path)
	if err != nil {
		return cost.Result{}, err
	}
	c, err := cost.Of(run)
	result := cost.Result{Cost: c, Base: r.base}
	for _, b := range r.budgets {
		result.Budgets = append(result.Budgets, c.Judge(b))
	}
	return result, err
}

// budgetsMet is what budgets end the command with.
func budgetsMet(r cost.Result) error {
	said := map[cost.Verdict][]string{}
	for _, j := range r.Budgets {
		said[j.Verdict] = append(said[j.Verdict], j.Sentence())
	}
	switch {
	case len(said[cost.Over]) > 0:
		if statement := printable.Line(r.Costliest()); statement != "" {
			said[cost.Over] = append(said[cost.Over], statement)
		}
		return withCode(exitGate, errors.New("over the budget: "+strings.Join(said[cost.Over], "; ")))
	case len(said[cost.CannotTell]) > 0:
		return withCode(exitCannotTell, errors.New(strings.Join(said[cost.CannotTell], "; ")))
	}
	return nil
}

// writeCost shows again what a saved measurement has shown.
func writeCost(env Env, run *counts.Run, format string, verbose bool) error {
	c, err := cost.Of(run)
	if err != nil {
		return err
	}
	return env.answer(format, costAnswer(cost.Result{Cost: c}, verbose))
}
