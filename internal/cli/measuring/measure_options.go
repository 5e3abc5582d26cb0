package measuring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/operation"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/scratch"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

type measureOptions struct {
	target       command.TargetOptions
	sql, file    string
	transactions int
	ours         string // NAME=VALUE of existing sessions

	operation.Options

	max            []string
	base           string // a saved measurement
	save           string
	out            []string
	format         command.FormatFlag
	quiet, verbose bool
}

// mostRepetitions bounds the size of a measurement.
const mostRepetitions = 10_000

func (o *measureOptions) measurement(ctx context.Context, env command.Env, flags *pflag.FlagSet,
	args []string) (m measurement, err error) {
	m.Options = o.Options
	switch {
	case max(o.Repetitions, o.Warmup) > mostRepetitions:
		return m, fmt.Errorf("--repetitions and --warmup must be at most %s", printable.Count(mostRepetitions))
	case o.Repetitions < 1:
		return m, fmt.Errorf("--repetitions is %d and must be at least 1", o.Repetitions)
	case o.transactions < 1:
		return m, fmt.Errorf("--transactions is %d and must be at least 1", o.transactions)
	case o.Warmup < 0:
		return m, fmt.Errorf("--warmup is %d and must be at least 0", o.Warmup)
	case o.Background <= 0:
		return m, fmt.Errorf("--background is %s and must be more than 0 s", printable.Duration(o.Background))
	case command.CountGiven(len(args) > 0, o.sql != "", o.file != "") != 1:
		return m, errors.New("name one thing to measure: a COMMAND after --, --sql STATEMENTS or --file SCRIPT")
	}
	if m.Ours, err = sessionsOf(o.ours); err != nil {
		return m, err
	}
	text, setsCommit := cmp.Or(o.sql, filepath.Base(o.file)), false
	if len(args) > 0 {
		does := strings.Join(args, " ")
		text, setsCommit = commandText(args), namesCommitSetting(does) || inFilesNamed(ctx, does)
		m.operationOn = func(t *target.Target) operation.Operation {
			return operation.Command(t.Endpoint, t.HostForAll(), args, func(c *exec.Cmd) {
				c.Stdin, c.Stdout, c.Stderr, c.Env = env.In, itself(env.Out), env.Err, os.Environ()
			})
		}
	} else {
		script, err := o.script(ctx)
		if err != nil {
			return m, err
		}
		setsCommit = namesCommitSetting(script.Text())
		m.operationOn = func(t *target.Target) operation.Operation { return script.On(t.Endpoint, o.transactions) }
		m.Ours.Known = o.ours == ""
	}
	m.Head = headOf(env, flags)
	m.Head.Operation = &runfile.Operation{Text: text, Warmup: o.Warmup, FirstTouch: o.FirstTouch,
		SessionsKnown: m.Ours.Known, SessionsNamed: o.ours != "", SetsCommit: setsCommit}
	if o.transactions > 1 {
		m.Head.Operation.Times = o.transactions
	}
	return m, nil
}

// itself returns the file behind an output. A command gets it without a copy in between: a terminal stays one, processes
// left behind may keep it, and if nobody reads it, the command ends and not the measurement.
func itself(out io.Writer) io.Writer {
	if wrapped, ok := out.(interface{ Unwrap() io.Writer }); ok {
		return wrapped.Unwrap()
	}
	return out
}

func namesCommitSetting(text string) bool {
	return strings.Contains(strings.ToLower(text), "synchronous_commit")
}

// inFilesNamed reports whether a file that a command names, such as a script, names the setting. It reads one at a time,
// since a shell may have put thousands in place of a pattern.
func inFilesNamed(ctx context.Context, command string) bool {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"=<>;|&()", r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(slices.Compact([]string{word, strings.TrimPrefix(word, "-f")}), func(path string) bool {
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() {
				return false
			}
			text, err := input.ReadExported(ctx, path)
			return err == nil && namesCommitSetting(string(text)) // what cannot be read says nothing
		})
	})
}

// commandText returns a command as a base names it. A line that a shell runs, as in the GitHub action, is the same
// command as without the shell.
func commandText(args []string) string {
	if len(args) > 2 && (args[0] == "bash" || args[0] == "sh") {
		line := len(args) - 1
		if flags := strings.Join(args[1:line], " "); flags == "-c" || flags == "-eo pipefail -c" {
			return args[line]
		}
	}
	return strings.Join(args, " ")
}

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

func sessionsOf(text string) (s postgres.Sessions, err error) {
	switch name, value, _ := strings.Cut(text, "="); {
	case text == "":
	case value == "":
		err = fmt.Errorf("--count %q: want application_name=NAME or user=NAME", text)
	case name == "application_name":
		s.ApplicationName = value
	case name == "user":
		s.User = value
	default:
		err = fmt.Errorf("--count %q: select sessions by application_name or user", text)
	}
	return s, err
}

func (o *measureOptions) budgets(ctx context.Context) (all []cost.Budget, err error) {
	for _, text := range o.max {
		from := "--max"
		if file, isFile := strings.CutPrefix(text, "@"); isFile {
			read, err := input.Read(ctx, file)
			if err != nil {
				return nil, fmt.Errorf("read the budgets: %w", err)
			}
			text, from = string(read), file
		}
		before := len(all)
		for line := range strings.Lines(text) {
			if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) == "" {
				continue
			}
			parsed, err := cost.ParseBudgets(line)
			if err != nil {
				return nil, fmt.Errorf("--max: %w", err)
			}
			all = append(all, parsed...)
		}
		if len(all) == before {
			return nil, fmt.Errorf("no budgets in %s; write one per line, such as own_wal_bytes=base+3%%", from)
		}
	}
	for _, b := range all {
		if b.OverBase != nil && o.base == "" {
			return nil, fmt.Errorf("%s refers to a base; name one with --compare", b.Text)
		}
	}
	return all, nil
}

// compared returns the measurement to compare with; nil: none was named.
func (o *measureOptions) compared(ctx context.Context, env command.Env) (*cost.Compared, error) {
	if o.base == "" {
		return nil, nil
	}
	c, err := input.Await(ctx, func() (cost.Cost, error) { return reading.NamedCost(env, o.base) })
	if err != nil {
		return nil, fmt.Errorf("--compare: %w", err)
	}
	return &cost.Compared{File: o.base, Cost: c}, nil
}

// keepIn names the record's file: the user's, or one that is removed after the report.
func (o *measureOptions) keepIn(m *measurement) (remove func(), err error) {
	m.path = o.save
	if o.save != "" {
		return func() {}, nil
	}
	dir, lock, err := recordDirectory()
	m.path = filepath.Join(dir, "measure.jsonl")
	return func() {
		// Remove by name, which needs no file descriptor: there may be none left.
		for _, name := range []string{m.path, filepath.Join(dir, scratch.LockName), dir} {
			_ = os.Remove(name)
		}
		_, _ = os.RemoveAll(dir), lock.Close()
	}, err
}

// recordDirectory creates a directory for a temporary record, and removes those of killed measurements. A nil
// lock is closed without effect.
func recordDirectory() (dir string, lock *os.File, err error) {
	const prefix = "realiops-measure-"
	if runtime.GOOS == "windows" { // it has no such locks
		dir, err = os.MkdirTemp("", prefix)
		return dir, nil, err
	}
	scratch.Sweep(os.TempDir(), prefix, os.RemoveAll)
	dir, lock, err = scratch.Make(os.TempDir(), prefix)
	if err != nil {
		return "", nil, fmt.Errorf("keep the readings: %w; set TMPDIR to another directory, or name a file with --save", err)
	}
	return dir, lock, os.Chmod(dir, 0o700) //nolint:gosec // a directory
}
