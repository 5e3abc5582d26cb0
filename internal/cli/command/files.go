package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/history/sysstat"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// StandardInput as a file name means standard input.
const StandardInput = "-"

func OneRunFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one run file, or LAST for the last run (see %s --help)", cmd.CommandPath())
	}
	return nil
}

// NamedRun reads the run that the user named: a file, LAST, or standard input.
func NamedRun(env Env, name string, options ...tally.Option) (*counts.Run, error) {
	path, err := runfile.Resolve(name)
	if err != nil {
		return nil, err
	}
	return ReadRun(env, path, options...)
}

func ReadRun(env Env, path string, options ...tally.Option) (*counts.Run, error) {
	if path == StandardInput {
		run, err := tally.FromRun(runfile.Possible(runfile.ReadRows(env.In)), options...)
		return run, Naming("standard input", err)
	}
	run, err := tally.FromFile(path, options...)
	if errors.Is(err, runfile.ErrNotRunFile) {
		err = cmp.Or(keptByOthers(path), err)
	}
	return run, Naming(path, err)
}

// keptByOthers says how to make a run file of another program's file; nil: the file is unknown.
func keptByOthers(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	const enough = 64 << 10
	begin := make([]byte, enough)
	n, _ := io.ReadFull(file, begin)
	begin = input.UTF8(begin[:n])
	keeper := sysstat.Keeper(begin)
	history := func(name string) string {
		return shell.InText("realiops history").File(name, "FILE").With("-o history.jsonl").String()
	}
	switch {
	case keeper == "":
		return nil
	case sysstat.IsOwn(begin):
		return fmt.Errorf("%w, but sysstat's binary file; run %s, then %s", runfile.ErrNotRunFile, sysstat.ToJSON(path),
			history(filepath.Base(path)+".json"))
	}
	return fmt.Errorf("%w, but the output of %s; convert it with %s", runfile.ErrNotRunFile, keeper, history(path))
}

// Naming adds the file's name to an error that does not have it.
func Naming(file string, err error) error {
	if err == nil {
		return nil
	}
	if path, named := errors.AsType[*fs.PathError](err); named {
		return fmt.Errorf("read the run file %s: %w", path.Path, path.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// ReadExported reads a file that another program wrote.
func ReadExported(ctx context.Context, env Env, name string) (text []byte, err error) {
	if name == StandardInput {
		text, err = input.ReadExportedFrom(ctx, env.In, "standard input")
	} else {
		text, err = input.ReadExported(ctx, name)
	}
	if bytes.HasPrefix(text, []byte(`{"kind":"run",`)) {
		return nil, fmt.Errorf("%s is a run file; realiops report and realiops size read it", name)
	}
	return text, err
}
