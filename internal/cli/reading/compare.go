package reading

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/comparison"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/runfile"
)

type compareOptions struct {
	format  command.FormatFlag
	verbose bool
	failIf  []string
}

func NewCompareCommand(env command.Env) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare A B [C...]",
		Short: "Compare runs: their rates, and what each metric counts",
		Long: `Compare runs with the first of them, as benchstat does. First come other differences between the runs,
such as settings or the plan. Then, for each load that all runs have, the rates of rows, WAL records and device
requests: by how much they changed, and whether chance explains the change. Last come metrics that count
different things in different runs.

A, B, … are run files, compressed or not; LAST is the run in ./realiops-runs that was written last.`,
		Example: `  realiops compare before.jsonl after.jsonl
  realiops compare base.jsonl measured.jsonl --fail-if 'own_wal_bytes>3%'
  realiops compare pg15.jsonl pg17.jsonl pg18.jsonl -v
  realiops compare before.jsonl LAST --fail-if 'device requests>10%' --fail-if 'WAL fsyncs/copy<-5%'
  realiops compare before.jsonl LAST --format json | jq '.quantities[].geomean.runs[1].change.ratio'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("name two run files or more (see %s --help)", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runCompare(env, o, args) },
	}
	flags := command.Group("Flags")
	o.format.Add(flags.FlagSet, command.FormatText, command.FormatJSON, command.FormatCSV)
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "show every counted quantity, and every metric that changed")
	flags.StringArrayVar(&o.failIf, "fail-if", nil, "exit with 4 on this `CHANGE`: WHAT>PERCENT% or WHAT<PERCENT% "+
		"over all loads, WHAT/LOAD for one load; WHAT is a quantity, such as rows, WAL fsyncs or device requests, or "+
		"a count of realiops measure (repeatable)")
	return command.Describe(env, cmd, compareExitHelp, flags)
}

const compareExitHelp = `0  the comparison was written
1  wrong usage, a file cannot be read as a run file, or the runs have nothing in common
3  the comparison was written, but whether a --fail-if holds is unknown
4  the comparison was written, and a --fail-if holds for the whole interval`

func runCompare(env command.Env, o compareOptions, names []string) error {
	if len(names) > 26 {
		return errors.New("at most 26 runs are compared, named A to Z")
	}
	var gates []comparison.Gate
	for _, text := range o.failIf {
		gate, err := comparison.ParseGate(text)
		if err != nil {
			return fmt.Errorf("--fail-if %w", err)
		}
		gates = append(gates, gate)
	}
	if base, now, are, err := measurements(env, names); are || err != nil {
		return compareCosts(env, o, cost.Compared{File: names[0], Cost: base}, now, gates, err)
	}
	if err := refuseCopies(names); err != nil {
		return err
	}
	judged, err := judgeRuns(env, names)
	if err != nil {
		return err
	}
	c, err := comparison.Compare(judged)
	if err != nil {
		return err
	}
	failed, err := held(env, c, gates)
	if err != nil {
		return err
	}
	if err := env.Answer(o.format.Chosen, command.Finding{What: "a comparison", Value: c,
		Words: func() document.Document { return c.Document(o.verbose) }}); err != nil {
		return err
	}
	return failed
}

// AtOnce is the number of runs that are compared at once: a run takes much memory.
const AtOnce = 2

// judgeRuns reads and judges the runs, some at once.
func judgeRuns(env command.Env, names []string) ([]comparison.Compared, error) {
	judged, errs := make([]comparison.Compared, len(names)), make([]error, len(names))
	var next atomic.Int64
	var failed atomic.Bool
	var working sync.WaitGroup
	for range AtOnce {
		working.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(names)) && !failed.Load(); i = next.Add(1) - 1 {
				if judged[i], errs[i] = judgeRun(env, names[i]); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	working.Wait()
	return judged, cmp.Or(errs...)
}

func judgeRun(env command.Env, name string) (comparison.Compared, error) {
	run, err := command.NamedRun(env, name, tally.WithoutLatencies)
	if err != nil {
		return comparison.Compared{}, err
	}
	if baseline.Is(run) {
		return comparison.Compared{}, command.Naming(name, errors.New("a baseline measured storage alone, and has no "+
			"load of a database to compare; realiops report shows what its device did"))
	}
	return comparison.Judge(name, run), nil
}

var changeOfCount = regexp.MustCompile(`^\s*(\w+)\s*>\s*\+?([0-9.]+)\s*%\s*$`)

// measurements reads two files as costs of an operation; are is false if they are not.
func measurements(env command.Env, names []string) (base, now cost.Cost, are bool, err error) {
	var n int
	for _, name := range names {
		if isMeasurement(name) {
			n++
		}
	}
	switch {
	case n == 0:
		return base, now, false, nil
	case n != len(names) || n != 2:
		for _, name := range names {
			if _, err := NamedCost(env, name); err != nil && !errors.Is(err, cost.ErrNone) {
				return base, now, true, err
			}
		}
		return base, now, true, errors.New("name exactly two measurements to compare")
	case command.SameFile(resolved(names[0]), resolved(names[1])): // a gate would always pass
		return base, now, true, fmt.Errorf("%s and %s are the same file", names[0], names[1])
	}
	if base, err = NamedCost(env, names[0]); err == nil {
		now, err = NamedCost(env, names[1])
	}
	return base, now, true, err
}

// resolved returns the file that a name stands for, or the name: what cannot be read is reported later.
func resolved(name string) string {
	if path, err := runfile.Resolve(name); err == nil {
		return path
	}
	return name
}

// isMeasurement checks the head of a file. Unreadable files are reported when read as runs.
func isMeasurement(name string) bool {
	_, base, _ := baseIn(name)
	return base || headOf(name).Operation != nil
}

// refuseCopies finds files of one run by their heads, since judging a run takes long.
func refuseCopies(names []string) error {
	files := map[string]string{}
	for i, name := range names {
		if name == command.StandardInput && slices.Contains(names[:i], name) {
			return errors.New("standard input is named twice, and can be read once")
		}
		id := headOf(name).ID
		if first, twice := files[id]; twice && id != "" {
			return fmt.Errorf("%s and %s are the same run, %s", first, name, id)
		}
		files[id] = name
	}
	return nil
}

// headOf returns the head of a run file; empty for what cannot be read, or only once.
func headOf(name string) (head runfile.Run) {
	path, err := runfile.Resolve(name)
	if err != nil || name == command.StandardInput {
		return head
	}
	records, file, err := runfile.OpenRows(path)
	if err != nil {
		return head
	}
	defer file.Close()
	for record := range records {
		head, _ = record.(runfile.Run)
		break
	}
	return head
}

// compareCosts compares two measurements, per run of the operation.
func compareCosts(env command.Env, o compareOptions, base cost.Compared, now cost.Cost, gates []comparison.Gate,
	err error) error {
	if err != nil {
		return err
	}
	r := cost.Result{Cost: now, Base: &base}
	var budgets []cost.Budget
	for _, g := range gates {
		change := changeOfCount.FindStringSubmatch(g.Text)
		if change == nil {
			return fmt.Errorf("--fail-if %q: for measurements, limit the growth of a count, as in own_wal_bytes>3%%", g.Text)
		}
		parsed, err := cost.ParseBudgets(change[1] + "=base+" + change[2] + "%")
		if err != nil {
			return fmt.Errorf("--fail-if %w", err)
		}
		budgets = append(budgets, parsed...)
	}
	refused := base.Refuse(now)
	if refused != nil && len(gates) > 0 {
		return refused
	}
	for _, differs := range []string{base.Differs(now), plainError(refused)} {
		if differs != "" {
			r.Warnings = append(r.Warnings, differs)
		}
	}
	r.Hold(budgets)
	if err := env.Answer(o.format.Chosen, CostAnswer(r, o.verbose)); err != nil {
		return err
	}
	return BudgetsMet(r)
}

func plainError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// held returns the gates that failed, or are unknown, as the error to end with after the comparison.
func held(env command.Env, c comparison.Comparison, gates []comparison.Gate) (failed, err error) {
	var tripped, unknown []string
	for _, gate := range gates {
		found, err := c.Hold(gate)
		if err != nil {
			return nil, fmt.Errorf("--fail-if %w", err)
		}
		for _, words := range found.Tripped {
			tripped = append(tripped, gate.Text+" ("+words+")")
		}
		for _, words := range found.Unknown {
			unknown = append(unknown, gate.Text+" ("+words+")")
		}
		for _, words := range found.Unsure {
			env.Tell("Warning: %s (%s): the interval is too wide to say; more repetitions would tell", gate.Text, words)
		}
	}
	switch {
	case len(tripped) > 0:
		return command.WithCode(command.ExitGate, errors.New("--fail-if holds: "+strings.Join(tripped, "; "))), nil
	case len(unknown) > 0:
		return command.WithCode(command.ExitCannotTell, errors.New("cannot tell "+strings.Join(unknown, "; "))), nil
	}
	return nil, nil
}
