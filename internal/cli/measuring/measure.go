package measuring

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"
)

func NewMeasureCommand(env command.Env) *cobra.Command {
	var o measureOptions
	cmd := &cobra.Command{
		Use: "measure [FLAGS] -- COMMAND [ARGUMENT...]", DisableFlagsInUseLine: true,
		Short: "Measure what a command or statement costs in WAL and storage I/O",
		Long: `Measure what a command, statement or script costs a server: rows, WAL records and bytes, fsyncs, pages
and device requests, and which statements and tables cause them.

It reads all counters before and after, several times, and subtracts what the server does by itself. Without --dsn it
uses the server that the environment names (PGHOST, PGHOSTADDR, PGSERVICE, DATABASE_URL); if it names none, it starts
a PostgreSQL and removes it afterwards. Set REALIOPS_DSN instead of --dsn where others can see arguments. COMMAND gets
the server in PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE and DATABASE_URL. Its output passes through; the report
goes to standard error, or to a file with -o.

own_wal_records and own_wal_bytes are the WAL of the rows, their index entries, commits and rollbacks. They depend
only on the operation, so you can set a budget for them. Page images, which depend on the last checkpoint, and upkeep
are counted separately.`,
		Example: `  realiops measure -- ./place-order
  realiops measure --dsn test --sql 'update orders set paid = true where id = 7'
  realiops measure --dsn test --max own_wal_bytes=24KiB -- ./place-order
  realiops measure --pg-version 17 -r 20 -- psql -q -f migration.sql
  realiops measure --dsn test --save before.jsonl --file order.sql
  realiops measure --dsn test --compare before.jsonl --file order.sql --format md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := withoutDashes(cmd, args); err != nil {
				return err
			}
			if err := o.target.UseHandedOver(env); err != nil {
				return err
			}
			return runMeasure(cmd.Context(), env, o, cmd.Flags(), args)
		},
	}
	subject, output := command.Group("What to measure"), command.Group("Output")
	subject.StringVar(&o.sql, "sql", "", "measure these `statements` instead of a command")
	subject.StringVarP(&o.file, "file", "f", "", "measure this pgbench `script` instead of a command")
	subject.IntVarP(&o.transactions, "transactions", "t", 1, "run the script `N` times in each repetition")
	subject.IntVarP(&o.Repetitions, "repetitions", "r", 10, "measure it `N` times")
	subject.IntVar(&o.Warmup, "warmup", 1, "run it `N` times first, uncounted")
	subject.BoolVar(&o.FirstTouch, "first-touch", false,
		"make a checkpoint before each repetition, so that the first change of a page writes the whole page to the WAL")
	subject.DurationVar(&o.Background, "background", 2*time.Second,
		"how long to measure the idle server, twice, before the first repetition")
	subject.BoolVar(&o.target.Yes, "yes", false, "do not ask before using a server on another machine that only "+
		"the environment names")
	subject.StringVar(&o.ours, "count", "",
		"also count sessions that were already connected, selected by `NAME=VALUE`: application_name or user")
	output.StringArrayVar(&o.max, "max", nil, "`BUDGETS`, separated by commas: NAME=MOST per execution or "+
		"NAME=MOST/tx per transaction; k is 1,000, Ki 1,024; MOST can be base, base+3% or base+N; @FILE has one per "+
		"line (repeatable)")
	output.StringVar(&o.base, "compare", "", "compare with this `FILE`, written by -o or --save")
	output.StringVar(&o.save, "save", "", "save all readings to this run `FILE`, for report and --compare")
	o.format.Add(output.FlagSet, append([]string{command.FormatText, command.FormatJSON, command.FormatHTML,
		command.FormatMarkdown, command.FormatCSV}, reading.CostForms...)...)
	output.StringArrayVarP(&o.out, "output", "o", nil,
		"write the report to this `FILE`; its extension sets the format: .txt, .json, .html, .md, .csv, .xml (JUnit) "+
			"or .jsonl (a base) (repeatable)")
	output.BoolVarP(&o.verbose, "verbose", "v", false, "explain each count")
	output.BoolVarP(&o.quiet, "quiet", "q", false, "show no progress")
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return cmp.Or(withoutDashes(c, c.Flags().Args()), command.FlagMistake(c, err))
	})
	return command.Describe(env, cmd, measureCommandExitHelp, append(o.target.Groups(), subject, output)...)
}

// withoutDashes rejects a command that does not follow --, because its flags would be ours;
// nil: it does, or there is none.
func withoutDashes(c *cobra.Command, args []string) error {
	if len(args) == 0 || c.ArgsLenAtDash() == 0 {
		return nil
	}
	return fmt.Errorf("put -- before %q, so that realiops does not read its flags: %s [FLAGS] -- COMMAND [ARGUMENT...] %s",
		args[0], c.CommandPath(), command.SeeHelp(c))
}

const measureCommandExitHelp = `0  done, and all budgets are met
1  wrong usage, or no server: nothing was measured
2  it failed, a statement failed, or it was interrupted; what was measured so far is shown
3  done, but whether a budget is met is unknown
4  done, and a budget is exceeded
N  COMMAND failed with this status: no budget was checked`

// failureForms lists the formats that are written even if the operation failed before anything was counted.
var failureForms = []string{command.FormatJUnit, command.FormatGitHub}
