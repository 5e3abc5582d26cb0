package measuring

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// keepingOptions are the flags of a command that measures, keeps a run file, and reports from it.
type keepingOptions struct {
	out      string
	format   command.FormatFlag
	progress string
}

func (o *keepingOptions) addFlags(f *pflag.FlagSet) {
	f.VarP((*recordFlag)(&o.out), "output", "o", "the run `file` to write; .zst compresses (default: a new one in ./"+
		runfile.Directory+")")
	o.format.Add(f, command.FormatText, command.FormatJSON)
	f.StringVar(&o.progress, "progress", string(progress.Auto),
		"`how` to show progress on standard error: bar, plain or none; auto is a bar on a terminal")
}

// recordFlag is the name of a run file to write. It rejects a name that looks like a report's.
type recordFlag string

func (r *recordFlag) String() string { return string(*r) }
func (*recordFlag) Type() string     { return "string" }

func (r *recordFlag) Set(name string) error {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".html", ".htm", ".md", ".csv", ".json", ".txt", ".png", ".svg":
		how := shell.InText("realiops report RUN").Flag("-o", name, "FILE")
		return fmt.Errorf("this writes a run file, such as run.jsonl or run.jsonl.zst; %s then writes the report", how)
	}
	*r = recordFlag(name)
	return nil
}

// conclude names the record's file after the report, or says that err left none.
func (o keepingOptions) conclude(env command.Env, path string, err error) error {
	if err != nil && command.CodeOf(err) != command.ExitCannotTell {
		return command.WithCode(command.ExitFailed, fmt.Errorf("report on %s: %w; %s tries again", path, err,
			again(path)))
	}
	env.Tell("The run is kept in %s.", path)
	return err
}

// named returns the run's name in commands; empty: its path.
func (o keepingOptions) named() string {
	if o.out == "" {
		return runfile.Latest
	}
	return ""
}

func again(path string) shell.Command {
	if path == runfile.Latest {
		path = "./" + path
	}
	return shell.InText("realiops report").File(path, "FILE")
}

// readingOptions are the flags of a command that reads counters repeatedly, and reports what each counts.
type readingOptions struct {
	keepingOptions
	interval time.Duration
	level    reading.Level
	require  reading.RequireOptions
}

func (o *readingOptions) addFlags(f *pflag.FlagSet) {
	o.keepingOptions.addFlags(f)
	o.require.AddFlags(f)
	f.DurationVar(&o.interval, "interval", time.Second, "how often the probes read")
	o.level.AddFlags(f)
}

// Bounds of the interval of readings: shorter ones disturb the server, longer ones miss loads.
const (
	shortestInterval = 100 * time.Millisecond
	longestInterval  = time.Minute
)

// resolve rejects contradictory options before anything is done.
func (o readingOptions) resolve(env command.Env) (progress.Mode, error) {
	mode, err := env.Progress(o.progress)
	if err != nil {
		return "", err
	}
	if o.interval < shortestInterval || o.interval > longestInterval {
		return "", fmt.Errorf("--interval is %s; want %s to %s", printable.Duration(o.interval),
			printable.Duration(shortestInterval), printable.Duration(longestInterval))
	}
	return mode, nil
}

// report prints the report on the file, and the file's name.
func (o readingOptions) report(env command.Env, path string) error {
	return o.conclude(env, path, reading.AnalyzeOptions{Format: o.format, Level: o.level, Require: o.require,
		Named: o.named()}.AnalyzeFile(env, path))
}
