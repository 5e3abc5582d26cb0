package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
)

// baselineOptions are the flags of realiops baseline.
type baselineOptions struct {
	dir      string
	allowRAM bool
	yes      bool

	set     string
	job     string
	only    []string
	size    size
	runtime time.Duration

	buffered bool
	until    time.Duration

	keepingOptions
}

func newBaselineCommand(env Env) *cobra.Command {
	o := baselineOptions{size: defaultTestFile}
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Measure what storage delivers, by fio and by the device itself",
		Long: `Measure what storage delivers with the fio of this machine, and put beside what fio says what the kernel counted of the
device meanwhile: one operation of fio's is not one request of the device.

It works on files of its own in a directory of its own, which go whatever happens. The set database has the jobs that
bound a database: pages read and written anywhere, a long write, and a page written and flushed as each commit does.
The set published has the jobs behind figures that people quote, with their parameters. --job takes your own job file;
what would reach beyond the directory is refused.

With --until-throttled one job goes on until storage slows down for good, and the record says when, to what, and which
published bucket of credits that fits. It empties the credits of the volume, if it has any.`,
		Example: `  realiops baseline
  realiops baseline --dir /var/lib/postgresql --size 8G --runtime 60s
  realiops baseline --show-buffered
  realiops baseline --dir /mnt/data --until-throttled=1h --only random-write
  realiops baseline --job my.fio --format json
  realiops size RUN --baseline LAST`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBaseline(cmd.Context(), env, o, cmd.Flags()) },
	}
	return describe(env, cmd, baselineExitHelp, group("Where", o.addPlaceFlags), group("What to measure", o.addFlags), group("What to tell", o.keepingOptions.addFlags))
}

const baselineExitHelp = `0  done
1  wrong usage, or nothing to measure with or on: nothing was measured
2  it failed or was interrupted; what was measured is kept`

// defaultTestFile is more than most caches of a disk, and little enough to be written in seconds.
const defaultTestFile = 1 << 30

// defaultUntil is time enough for a bucket of gp2, which lasts 31 minutes and more.
const defaultUntil = 45 * time.Minute

func (o *baselineOptions) addPlaceFlags(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "dir", "", "a `directory` on the storage to measure (default: where the data of a server of ours would lie)")
	f.BoolVar(&o.allowRAM, "allow-ram", false, "take a directory that lies in memory, where nothing reaches a disk")
	f.BoolVar(&o.yes, "yes", false, "do not ask before loading storage that holds others' files, or emptying its credits")
}

func (o *baselineOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.set, "set", fio.SetDatabase, "the `set` of jobs: database or published")
	f.StringVar(&o.job, "job", "", "a job `file` of yours instead")
	f.StringSliceVar(&o.only, "only", nil, "only these jobs, by `name`")
	f.Var(&o.size, "size", "`size` of the test files, as 1G")
	f.DurationVar(&o.runtime, "runtime", 0, "how long each job runs (default: 10s, or what was published, or what the job file says)")
	f.BoolVar(&o.buffered, "show-buffered", false, "repeat the sequential write through the page cache, as dd would")
	f.DurationVar(&o.until, "until-throttled", 0, "go on with one job until storage slows down for good, for so long at most")
	f.Lookup("until-throttled").NoOptDefVal = defaultUntil.String()
}

// Bounds of what may be asked for.
const (
	leastTestFile  = 1 << 20
	longestRuntime = 24 * time.Hour
	shortestJob    = time.Second
)

// check refuses what no baseline can be.
func (o baselineOptions) check() error {
	switch {
	case o.format != formatText && o.format != formatJSON:
		return fmt.Errorf("unknown format %q: there are %s and %s", o.format, formatText, formatJSON)
	case o.set != fio.SetDatabase && o.set != fio.SetPublished:
		return fmt.Errorf("unknown set %q: there are %s and %s", o.set, fio.SetDatabase, fio.SetPublished)
	case o.size < leastTestFile:
		return errors.New("--size is at least 1M")
	case o.runtime != 0 && (o.runtime < shortestJob || o.runtime > longestRuntime):
		return fmt.Errorf("--runtime is %v: from %v to %v", o.runtime, shortestJob, longestRuntime)
	case o.until != 0 && (o.until < time.Minute/2 || o.until > longestRuntime):
		return fmt.Errorf("--until-throttled is %v: from 30s to %v", o.until, longestRuntime)
	case o.until != 0 && o.runtime != 0:
		return errors.New("--until-throttled and --runtime exclude each other")
	case o.until != 0 && o.buffered, o.job != "" && o.buffered:
		return errors.New("--show-buffered goes with the jobs of a set alone")
	}
	return nil
}

// runBaseline measures, keeps the record whatever happens, and reports from the record.
func runBaseline(ctx context.Context, env Env, o baselineOptions, flags *pflag.FlagSet) error {
	if err := o.check(); err != nil {
		return err
	}
	mode, err := progress.Resolve(o.progress, env.ErrTerminal)
	if err != nil {
		return err
	}
	m := baselineRun{env: env, options: o, parameters: parametersOf(flags), id: runfile.NewID(env.Now()), started: env.Now()}
	if err := m.prepare(ctx); err != nil {
		return err
	}
	path := cmp.Or(o.out, runfile.DefaultPath(m.id))
	m.show = env.display(mode)
	m.show.Message(m.announcement(path))
	err = m.run(ctx, path)
	m.show.Close()
	if !m.recorded {
		return err
	}
	return errors.Join(withCode(exitFailed, err), o.report(env, path))
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
	return document.Text(env.Out, view.Document(run), env.columns())
}

// prepare finds out everything that can be known before a file is written: the program, the place, the jobs.
func (m *baselineRun) prepare(ctx context.Context) (err error) {
	if m.program, err = fio.Find(ctx, ""); err != nil {
		return err
	}
	if err := m.findPlace(); err != nil {
		return err
	}
	if err := m.chooseJobs(ctx); err != nil {
		return err
	}
	return m.admit()
}

func (m *baselineRun) findPlace() (err error) {
	m.dir = m.options.dir
	if m.dir == "" {
		if m.dir, err = embedded.TemporaryPlace(m.options.allowRAM); err != nil {
			return err
		}
	}
	if m.dir, err = filepath.Abs(m.dir); err != nil {
		return err
	}
	if m.place, err = fio.Examine(m.dir); err != nil {
		return err
	}
	storage, err := block.StorageOf(m.dir)
	if err == nil && storage.RAM && !m.options.allowRAM {
		return fmt.Errorf("%s is %s and lives in memory, so nothing written there reaches a disk: name another with --dir, or allow it with --allow-ram", m.dir, storage.FileSystem)
	}
	return nil
}

// spare is what a file system keeps beside the test files, so that nobody else there runs out of room.
const spare = 256 << 20

// admit decides whether the load may begin: whether there is room, and what the owner of the place must agree to.
func (m *baselineRun) admit() error {
	if need := fio.TestBytes(m.jobs) + spare; m.place.Free < need {
		return fmt.Errorf("%s has %d MB free and the test files need %d MB, with %d MB to spare: make room, name another with --dir, or less with --size",
			m.dir, m.place.Free/1e6, need/1e6, spare/1_000_000)
	}
	question := m.question()
	if question == "" || m.options.yes {
		return nil
	}
	if !m.env.InTerminal {
		return errors.New(question + " Agree with --yes")
	}
	return confirm(m.env, question)
}

// question is what somebody must agree to; empty: nothing.
func (m *baselineRun) question() string {
	if m.options.until != 0 {
		return fmt.Sprintf("For up to %s, storage under %s gets all the load that it takes, until its credits are used up, if it has any: "+
			"whatever else is on it will wait.", experiment.About(m.options.until), m.dir)
	}
	if m.options.dir == "" {
		return ""
	}
	entries, err := os.ReadDir(m.dir)
	if err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != "lost+found" }) {
		return ""
	}
	return fmt.Sprintf("%s holds files of others. They stay as they are, but for about %s their storage gets all the load that it takes.",
		m.dir, experiment.About(m.duration()))
}

// duration is how long the jobs take, with what lies between them.
func (m *baselineRun) duration() time.Duration {
	const between = time.Second
	sum := idleFor
	for _, j := range m.jobs {
		sum += j.Runtime + between
	}
	return sum
}

// announcement says beforehand what will be done.
func (m *baselineRun) announcement(path string) string {
	direct := "direct I/O"
	if !m.place.Direct {
		direct = "no direct I/O there, so the page cache takes part"
	}
	most := "about"
	if m.options.until != 0 {
		most = "at most"
	}
	return fmt.Sprintf("fio %s on %s (%s): %s of test files, then %s for %s %s; run file: %s",
		m.program.Version, m.dir, direct, bytesText(fio.TestBytes(m.jobs)), strings.Join(m.names(), ", "), most, experiment.About(m.duration()), path)
}

func bytesText(n int64) string { return (*size)(&n).String() }
