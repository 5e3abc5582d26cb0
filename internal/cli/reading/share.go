package reading

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

func NewShareCommand(env command.Env) *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "share FILE",
		Short: "Write a copy of a run without names, to share with others",
		Long: `Write a copy of a run without names, addresses, statements and identifiers, to share with others.

The copy keeps the server's version, instance class, kind of storage and settings that affect I/O, what each load did,
and every reading with its time. Names of loads, instances and tables become load-1, instance-1, table-1. Free text
that may contain names is removed.

FILE is a run file, compressed or not; LAST is the run in ./` + runfile.Directory + ` that was written last.`,
		Example: `  realiops share LAST
  realiops share run.jsonl -o for-others.jsonl.zst`,
		Args: command.OneRunFile,
		RunE: func(_ *cobra.Command, args []string) error { return runShare(env, args[0], out) },
	}
	flags := command.Group("Flags")
	flags.StringVarP(&out, "output", "o", "",
		"the `file` to write; compressed if its name ends in .zst (default: FILE with -shared in its name)")
	return command.Describe(env, cmd, shareExitHelp, flags)
}

const shareExitHelp = `0  the copy was written
1  wrong usage, FILE cannot be read as a run file, or the copy cannot be written`

func runShare(env command.Env, name, out string) error {
	path, err := runfile.Resolve(name)
	if err != nil {
		return err
	}
	if path == command.StandardInput {
		return errors.New("share reads a file, not standard input")
	}
	if out == "" { // run.jsonl.zst becomes run-shared.jsonl.zst
		directory, file := filepath.Split(path)
		base, rest, _ := strings.Cut(file, ".")
		out = filepath.Join(directory, base+"-shared."+rest)
	}
	a, lines, err := shareTo(path, out)
	if err != nil {
		return err
	}
	return env.Write(shared(out, a, lines))
}

// shareTo copies a run without what identifies its owner, and counts the lines of each kind.
func shareTo(path, out string) (*runfile.Anonymizer, map[runfile.Kind]int, error) {
	records, file, err := runfile.Open(path)
	if err != nil {
		return nil, nil, command.Naming(path, err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	w, err := runfile.Create(out)
	if err != nil {
		return nil, nil, err
	}
	a, lines := &runfile.Anonymizer{}, map[runfile.Kind]int{}
	for record, err := range records {
		if _, torn := errors.AsType[*runfile.TornError](err); torn && len(lines) > 0 {
			break
		}
		if err != nil {
			return nil, nil, errors.Join(command.Naming(path, err), w.Discard())
		}
		clean, shared := a.Of(record)
		if !shared {
			continue
		}
		lines[clean.Kind()]++
		if err := w.Write(clean); err != nil {
			return nil, nil, errors.Join(err, w.Discard())
		}
	}
	return a, lines, w.Close()
}

// shared says what the copy contains, what was removed, and how to pass it on.
func shared(out string, a *runfile.Anonymizer, count map[runfile.Kind]int) document.Document {
	var lines []string
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		lines = append(lines, printable.Count(count[kind])+" "+string(kind))
	}
	taken := slices.Sorted(maps.Keys(a.Taken))
	if len(taken) == 0 {
		taken = []string{"nothing: the file had no names"}
	}
	return document.Document{Blocks: []document.Block{
		document.Paragraph{Text: out + " holds the server's version, settings and kind of storage, " +
			"what each load did, and all readings."},
		document.Terms{
			{Name: "kept", Texts: []string{"lines: " + strings.Join(lines, ", ")}},
			{Name: "taken out", Texts: taken},
		},
		document.Paragraph{Text: "Read it before you pass it on: each line is JSON (docs/reference/run-file.md has " +
			"every field). To contribute it, attach it to an issue: https://github.com/realiops/realiops/issues. " +
			"docs/evidence.md lists the contributions so far."},
	}}
}
