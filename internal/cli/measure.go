package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/operation"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// measureOptions are the flags of realiops measure.
type measureOptions struct {
	target       targetOptions
	sql, file    string
	transactions int
	ours         string // NAME=VALUE of sessions that were there before

	repetitions, warmup int
	firstTouch          bool
	background          time.Duration

	max            []string
	budget         string // a file
	base           string // a saved measurement
	save, out      string
	format         string
	quiet, verbose bool
}

func newMeasureCommand(env Env) *cobra.Command {
	var o measureOptions
	cmd := &cobra.Command{
		Use:   "measure [FLAGS] -- COMMAND [ARGUMENT...]",
		Short: "Say what a command, a statement or a script costs in WAL, fsyncs and storage I/O",
		Long: `Say what a command, a statement or a script costs a server: rows, WAL records and bytes, fsyncs, pages, and what the device did.

It reads all counters before and after, repeats, and takes off what the server does by itself. COMMAND finds the server by
PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE and DATABASE_URL, and what it prints passes through; the report then goes to
standard error, as perf stat's does, or to a file with -o.

The WAL of the rows, their index entries and commits (own_wal_records, own_wal_bytes) is told apart from images of whole
pages and from upkeep, so that it can be held to a budget: the one is the operation's, the other depends on when the last
checkpoint was.`,
		Example: `  realiops measure --dsn test --sql 'update orders set paid = true where id = 7'
  realiops measure --dsn test --max own_wal_bytes=24KiB,wal_fsyncs=3 -- ./place-order
  realiops measure --pg-version 17 -r 20 -- psql -q -f migration.sql
  realiops measure --dsn test --save before.jsonl --file order.sql
  realiops measure --dsn test --compare before.jsonl --file order.sql --format md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMeasure(cmd.Context(), env, o, cmd.Flags(), args)
		},
	}
	groups := append(o.target.groups(), group("What to measure", o.addOperationFlags), group("What to tell", o.addReportFlags))
	return describe(env, cmd, measureCommandExitHelp, groups...)
}

const measureCommandExitHelp = `0  done, and all budgets are met
1  wrong usage, or no server to measure: nothing was measured
2  it failed or was interrupted
3  done, and whether a budget is met cannot be told
4  done, and a budget is not met
N  the status of COMMAND, where that failed, or 3 where a statement did: no budget is judged then`

func (o *measureOptions) addOperationFlags(f *pflag.FlagSet) {
	f.StringVar(&o.sql, "sql", "", "measure these `statements` instead of a command")
	f.StringVarP(&o.file, "file", "f", "", "measure this `script`, in the language of pgbench, instead of a command")
	f.IntVarP(&o.transactions, "transactions", "t", 1, "run the script `N` times in each repetition")
	f.IntVarP(&o.repetitions, "repetitions", "r", 10, "measure it `N` times")
	f.IntVar(&o.warmup, "warmup", 1, "do it `N` times before, of which nothing is counted")
	f.BoolVar(&o.firstTouch, "first-touch", false, "a checkpoint before each repetition: what is changed first goes into the WAL as whole pages")
	f.DurationVar(&o.background, "background", 2*time.Second, "how long to measure, twice, what the server does by itself")
	f.StringVar(&o.ours, "count", "", "sessions that were connected before and work for COMMAND, by `NAME=VALUE`: application_name or user")
}

func (o *measureOptions) addReportFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.max, "max", nil, "`BUDGETS`: NAME=MOST for each time it is done, NAME=MOST/tx for a transaction, with commas between; k is 1,000, Ki 1,024")
	f.StringVar(&o.budget, "budget", "", "a `file` of budgets, one a line")
	f.StringVar(&o.base, "compare", "", "compare with this `FILE` of --save")
	f.StringVar(&o.save, "save", "", "keep the measurement in this `FILE`, for --compare")
	f.StringVar(&o.format, "format", formatText, "the `format`: "+costFormatNames())
	f.StringVarP(&o.out, "output", "o", "", "write the report to this `FILE`")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say what each count is")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "show no progress")
}

// costFormat writes a result.
type costFormat struct {
	name  string
	write func(io.Writer, cost.Result) error
}

// costFormats are all; only text knows a width, and what each count is where that is asked for.
func costFormats(width int, meanings bool) []costFormat {
	return []costFormat{
		{formatText, func(w io.Writer, r cost.Result) error { return document.Text(w, r.Document(meanings), width) }},
		{formatJSON, func(w io.Writer, r cost.Result) error { return report.JSON(w, r) }},
		{formatMarkdown, func(w io.Writer, r cost.Result) error { return document.Markdown(w, r.Document(false)) }},
		{"go", cost.GoBench}, {"junit", cost.JUnit}, {"github", cost.GitHub}, {"bencher", cost.Bencher},
	}
}

func costFormatNames() string {
	var names []string
	for _, f := range costFormats(0, false) {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// runMeasure measures, and reports from the record.
func runMeasure(ctx context.Context, env Env, o measureOptions, flags *pflag.FlagSet, args []string) error {
	render, err := costWriter(env, o.format, o.verbose)
	if err != nil {
		return err
	}
	m, err := o.measuring(ctx, env, flags, args)
	if err != nil {
		return err
	}
	budgets, err := o.budgets(ctx)
	if err != nil {
		return err
	}
	base, err := o.compared(env)
	if err != nil {
		return err
	}
	if m.server, err = o.target.target(env); err != nil {
		return err
	}
	remove, err := o.keepIn(&m)
	if err != nil {
		return err
	}
	defer remove()
	mode := progress.Auto
	if o.quiet {
		mode = progress.None
	}
	show := env.display(mode)
	m.show = show
	recorded, err := m.do(ctx)
	show.Close()
	failed, own := errors.AsType[*operation.FailedError](err)
	switch {
	case own:
		return withCode(failed.Status, err)
	case err != nil && recorded:
		return withCode(exitFailed, err)
	case err != nil:
		return err
	}
	result, err := resultOf(m.path, budgets, base)
	if err != nil {
		return withCode(exitFailed, err)
	}
	if err := writeTo(o.out, o.stream(env, args), func(w io.Writer) error { return render(w, result) }); err != nil {
		return err
	}
	return budgetsMet(result)
}

// stream is where the report goes: what a command prints is not to be mixed with it.
func (o *measureOptions) stream(env Env, args []string) io.Writer {
	if len(args) > 0 {
		return env.Err
	}
	return env.Out
}

func costWriter(env Env, format string, meanings bool) (func(io.Writer, cost.Result) error, error) {
	for _, f := range costFormats(env.columns(), meanings) {
		if f.name == format {
			return f.write, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q: there are %s", format, costFormatNames())
}

// writeCost shows again what a saved measurement has shown.
func writeCost(env Env, run *drivers.Run, format string, verbose bool) error {
	write, err := costWriter(env, format, verbose)
	if err != nil {
		return err
	}
	c, err := cost.Of(run)
	if err != nil {
		return err
	}
	return write(env.Out, cost.Result{Cost: c})
}

// measuring is what is to be measured.
func (o *measureOptions) measuring(ctx context.Context, env Env, flags *pflag.FlagSet, args []string) (m measuring, err error) {
	m.Options = operation.Options{Repetitions: o.repetitions, Warmup: o.warmup, FirstTouch: o.firstTouch, Background: o.background}
	switch {
	case o.repetitions < 1 || o.warmup < 0 || o.transactions < 1 || o.background <= 0:
		return m, errors.New("--repetitions and --transactions are 1 or more, --warmup 0 or more, and --background is a time")
	case countGiven(len(args) > 0, o.sql != "", o.file != "") != 1:
		return m, errors.New("name one thing to measure: a COMMAND behind --, --sql STATEMENTS or --file SCRIPT")
	}
	if m.Ours, err = sessionsOf(o.ours); err != nil {
		return m, err
	}
	text := cmp.Or(o.sql, filepath.Base(o.file))
	if len(args) > 0 {
		text = strings.Join(args, " ")
		m.operationOn = func(on *postgres.Endpoint) operation.Operation {
			return operation.Command(on, args, func(c *exec.Cmd) { c.Stdin, c.Stdout, c.Stderr = env.In, env.Out, env.Err })
		}
	} else {
		script, err := o.script(ctx)
		if err != nil {
			return m, err
		}
		m.operationOn = func(on *postgres.Endpoint) operation.Operation { return script.On(on, o.transactions) }
	}
	m.Head = headOf(env, flags)
	m.Head.Operation = &runfile.Operation{Text: text, Warmup: o.warmup, FirstTouch: o.firstTouch}
	return m, nil
}

// script is that of --sql or --file.
func (o *measureOptions) script(ctx context.Context) (operation.Script, error) {
	if o.sql != "" {
		return operation.ParseScript("--sql", o.sql)
	}
	text, err := input.Read(ctx, o.file)
	if err != nil {
		return operation.Script{}, fmt.Errorf("read the script: %w", err)
	}
	return operation.ParseScript(o.file, string(text))
}

func countGiven(given ...bool) (n int) {
	for _, g := range given {
		if g {
			n++
		}
	}
	return n
}

func sessionsOf(text string) (s postgres.Sessions, err error) {
	name, value, _ := strings.Cut(text, "=")
	switch {
	case text == "":
	case value == "":
		err = fmt.Errorf("--count %q: say application_name=NAME or user=NAME", text)
	case name == "application_name":
		s.ApplicationName = value
	case name == "user":
		s.User = value
	default:
		err = fmt.Errorf("--count %q: sessions are known by application_name and by user", text)
	}
	return s, err
}

// budgets are those of the flags and of the file.
func (o *measureOptions) budgets(ctx context.Context) (all []cost.Budget, err error) {
	lists := o.max
	if o.budget != "" {
		text, err := input.Read(ctx, o.budget)
		if err != nil {
			return nil, fmt.Errorf("read the budgets: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
				lists = append(lists, line)
			}
		}
	}
	for _, list := range lists {
		some, err := cost.ParseBudgets(list)
		if err != nil {
			return nil, fmt.Errorf("a budget: %w", err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// compared is the measurement to compare with; nil: none was named.
func (o *measureOptions) compared(env Env) (*cost.Compared, error) {
	if o.base == "" {
		return nil, nil
	}
	run, err := namedRun(env, o.base)
	if err != nil {
		return nil, err
	}
	base, err := cost.Of(run)
	if err != nil {
		return nil, fmt.Errorf("--compare %s: %w", o.base, err)
	}
	return &cost.Compared{File: o.base, Cost: base}, nil
}

// keepIn names the file of the record: the user's, or one that goes when the report is written.
func (o *measureOptions) keepIn(m *measuring) (remove func(), err error) {
	m.path = o.save
	if o.save != "" {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "realiops-measure-")
	m.path = filepath.Join(dir, "measure.jsonl")
	return func() { _ = os.RemoveAll(dir) }, err
}

func resultOf(path string, budgets []cost.Budget, base *cost.Compared) (cost.Result, error) {
	run, err := drivers.FromFile(path)
	if err != nil {
		return cost.Result{}, err
	}
	c, err := cost.Of(run)
	result := cost.Result{Cost: c, Base: base}
	for _, b := range budgets {
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
		return withCode(exitGate, errors.New("over the budget: "+strings.Join(said[cost.Over], "; ")))
	case len(said[cost.CannotTell]) > 0:
		return withCode(exitUndetermined, errors.New(strings.Join(said[cost.CannotTell], "; ")))
	}
	return nil
}
