package measuring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/printable"

	jobs "github.com/realiops/realiops/internal/measure/baseline"
	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/runfile"
)

type baselineOptions struct {
	jobs.Wishes
	yes bool
	keepingOptions
}

func NewBaselineCommand(env command.Env) *cobra.Command {
	o := baselineOptions{Wishes: jobs.Wishes{Size: defaultTestFile}}
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Measure storage with fio, and count the device's own requests",
		Long: `Measure storage with the fio installed on this machine, and show the kernel's count of device requests
beside fio's figures. One fio operation is not one device request.

It works on files in a directory of its own and removes them at the end, even after kill -9. The set "database" has
jobs like a database: random page reads and writes, a long write, and a page written and flushed as a commit does. The
set "published" has the jobs behind figures that people quote. --job takes your own job file, which must stay within
the directory.

With --until-throttled, one job runs until storage slows down for good. The report says when, to what rate, and which
published credit bucket fits. This uses up the volume's credits.`,
		Example: `  realiops baseline
  realiops baseline --dir /var/lib/postgresql --size 8G --runtime 60s
  realiops baseline --show-buffered
  realiops baseline --dir /mnt/data --until-throttled=1h --only random-write
  realiops baseline --job my.fio --format json
  realiops size RUN --baseline LAST`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBaseline(cmd.Context(), env, o, cmd.Flags()) },
	}
	where, subject := command.Group("Where"), command.Group("What to measure")
	where.StringVar(&o.Directory, "dir", "",
		"a `directory` on the storage to measure (default: where realiops run puts its data)")
	where.BoolVar(&o.AllowRAM, "allow-ram", false, "allow a directory in memory, where nothing reaches a disk")
	where.BoolVar(&o.yes, "yes", false,
		"do not ask before loading storage that holds other files, or using up its credits")
	subject.StringVar(&o.Set, "set", fio.SetDatabase, "the `set` of jobs: database or published")
	subject.StringVar(&o.File, "job", "", "your own job `file` instead")
	subject.StringSliceVar(&o.Only, "only", nil, "only these jobs, by `name`")
	subject.Var((*command.Size)(&o.Size), "size", "`size` of the test files, such as 1G")
	subject.DurationVar(&o.Runtime, "runtime", 0,
		"how long each job runs (default: 10s, or as published, or as the job file says)")
	subject.BoolVar(&o.Buffered, "show-buffered", false, "repeat the sequential write through the page cache, as "+
		"dd does")
	subject.DurationVar(&o.Until, "until-throttled", 0,
		"run one job until storage slows down for good, or for this long")
	subject.Lookup("until-throttled").NoOptDefVal = defaultUntil.String()
	return command.Describe(env, cmd, baselineExitHelp, where, subject,
		command.Group("Output", o.keepingOptions.addFlags))
}

const baselineExitHelp = `0  done
1  wrong usage, no fio, or no place to measure: nothing was measured
2  it failed or was interrupted; what was measured is kept`

// defaultTestFile exceeds most disks' caches, and is written in seconds.
const defaultTestFile = 1 << 30

// defaultUntil is enough for a bucket of gp2, which lasts at least 31 minutes.
const defaultUntil = 45 * time.Minute

// Bounds of the flags.
const (
	leastTestFile  = 1 << 20
	longestRuntime = 24 * time.Hour
	shortestJob    = time.Second
)

func (o baselineOptions) check() error {
	switch {
	case o.Set != fio.SetDatabase && o.Set != fio.SetPublished:
		return fmt.Errorf("unknown set %q; use %s or %s", o.Set, fio.SetDatabase, fio.SetPublished)
	case o.Size < leastTestFile:
		return errors.New("--size must be at least 1M")
	case o.Runtime != 0 && (o.Runtime < shortestJob || o.Runtime > longestRuntime):
		return fmt.Errorf("--runtime is %s; want %s to %s", printable.Duration(o.Runtime), printable.Duration(shortestJob),
			printable.Duration(longestRuntime))
	case o.Until != 0 && (o.Until < time.Minute/2 || o.Until > longestRuntime):
		return fmt.Errorf("--until-throttled is %s; want 30 s to %s", printable.Duration(o.Until),
			printable.Duration(longestRuntime))
	case o.Until != 0 && o.Runtime != 0:
		return errors.New("--until-throttled and --runtime cannot be combined")
	case o.Until != 0 && o.Buffered, o.File != "" && o.Buffered:
		return errors.New("--show-buffered works only with a set of jobs")
	}
	return nil
}

// runBaseline measures, always keeps the record, and reports from it.
func runBaseline(ctx context.Context, env command.Env, o baselineOptions, flags *pflag.FlagSet) error {
	if err := o.check(); err != nil {
		return err
	}
	mode, err := env.Progress(o.progress)
	if err != nil {
		return err
	}
	head := headOf(env, flags)
	plan, err := jobs.NewPlan(ctx, o.Wishes)
	if err != nil {
		return err
	}
	if question := plan.Question(o.Directory != ""); question != "" {
		if err := command.Agree(env, o.yes, question); err != nil {
			return err
		}
	}
	path := cmp.Or(o.out, runfile.DefaultPath(head.ID))
	show := env.Display(mode)
	show.Message(announcement(plan, path))
	recorded, err := jobs.Do(ctx, jobs.Options{Head: head, Path: path, Plan: plan, Show: show, Throttled: throttled()})
	show.Close()
	if !recorded {
		return err
	}
	failed := command.WithCode(command.ExitFailed, err)
	measured, err := command.ReadRun(env, path)
	if err == nil {
		err = reading.WriteBaseline(env, measured, o.format.Chosen)
	}
	return errors.Join(failed, o.conclude(env, path, err))
}

// announcement describes the baseline before it begins.
func announcement(p *jobs.Plan, path string) string {
	direct, most := "direct I/O", "about"
	if !p.Place.Direct {
		direct = "no direct I/O there, so the page cache takes part"
	} else if !slices.ContainsFunc(p.Jobs, func(j fio.Job) bool { return !j.Buffered }) { // by the job file
		direct = "through the page cache"
	}
	if p.Until != 0 {
		most = "at most"
	}
	files := command.Size(fio.TestBytes(p.Jobs))
	return fmt.Sprintf("fio %s on %s (%s): %s of test files, then %s for %s %s; run file: %s",
		p.Program.Version, p.Directory, direct, files.String(), strings.Join(p.Names(), ", "), most,
		printable.About(p.Lasts()), path)
}

// throttled returns a function that reports, after each second of a job, whether storage has slowed down for
// good. It checks every few seconds.
func throttled() func(jobs.Second) bool {
	const every = 5
	var points []baseline.Point
	return func(s jobs.Second) bool {
		points = append(points, baseline.Point(s))
		return len(points)%every == 0 && baseline.Throttled(points).Settled()
	}
}
