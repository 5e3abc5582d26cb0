package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
)

// outputFormat is a way to write what a command found.
type outputFormat struct {
	name       string
	extensions []string // of the files that hold it
	// write is nil for a format that only the form of a finding can write.
	write func(Env, finding) error
}

// finding is what a command found. A format writes its value or its words, or the form that the finding itself has for it.
type finding struct {
	what  string                           // as a message says it: a baseline
	value any                              // for programs
	words func() document.Document         // for people, and for spreadsheets
	forms map[string]func(io.Writer) error // by the name of the format, in place of the format's own way
}

// Names of formats.
const (
	formatText        = "text"
	formatHTML        = "html"
	formatMarkdown    = "md"
	formatCSV         = "csv"
	formatJSON        = "json"
	formatPNG         = "png"
	formatSVG         = "svg"
	formatOpenMetrics = "openmetrics"
	formatTerraform   = "terraform"
	formatGo          = "go"
	formatJUnit       = "junit"
	formatGitHub      = "github"
	formatBencher     = "bencher"
	formatBase        = "base" // of measure, for --compare
)

// formats returns every format that any command writes.
func formats() []outputFormat {
	return []outputFormat{
		{formatText, []string{".txt"}, func(e Env, f finding) error { return e.write(f.words()) }},
		{formatHTML, []string{".html", ".htm"}, func(e Env, f finding) error { return document.HTML(e.Out, f.words()) }},
		{formatMarkdown, []string{".md"}, func(e Env, f finding) error { return document.Markdown(e.Out, f.words()) }},
		{formatCSV, []string{".csv"}, func(e Env, f finding) error { return document.CSV(e.Out, f.words()) }},
		{formatJSON, []string{".json"}, func(e Env, f finding) error { return report.JSON(e.Out, f.value) }},
		{name: formatPNG, extensions: []string{".png"}},
		{name: formatSVG, extensions: []string{".svg"}},
		{name: formatOpenMetrics, extensions: []string{".prom"}},
		{name: formatTerraform, extensions: []string{".tf"}},
		{name: formatGo},
		{name: formatJUnit, extensions: []string{".xml"}},
		{name: formatGitHub},
		{name: formatBencher},
		{name: formatBase, extensions: []string{".jsonl"}},
	}
}

// answer writes a finding to standard output in a format.
func (e Env) answer(name string, f finding) error {
	if own := f.forms[name]; own != nil {
		return own(e.Out)
	}
	for _, known := range formats() {
		if known.name == name && known.write != nil {
			return known.write(e, f)
		}
	}
	return fmt.Errorf("%s cannot be written as %s", f.what, name)
}

// formatFlag is the format that was chosen, of those that a command offers.
type formatFlag struct {
	offered []string
	chosen  string
	given   bool // by the user
}

// add offers formats under --format; the first is the one that goes without saying.
func (f *formatFlag) add(flags *pflag.FlagSet, offered ...string) {
	f.offered, f.chosen = offered, offered[0]
	flags.Var(f, "format", "the `format`: "+f.list())
}

func (f *formatFlag) String() string { return f.chosen }
func (*formatFlag) Type() string     { return "string" }

// Set chooses a format by its name.
func (f *formatFlag) Set(name string) error {
	if !slices.Contains(f.offered, name) {
		return fmt.Errorf("want %s", f.list())
	}
	f.chosen, f.given = name, true
	return nil
}

// list names the formats that are offered.
func (f *formatFlag) list() string {
	last := len(f.offered) - 1
	return strings.Join(f.offered[:last], ", ") + " or " + f.offered[last]
}

// follow chooses the format that belongs to the extension of a file, unless the user chose one. Standard output has none.
func (f *formatFlag) follow(file string) error {
	extension := strings.ToLower(filepath.Ext(file))
	if f.given || file == standardInput || extension == "" {
		return nil
	}
	name := strings.TrimPrefix(extension, ".")
	for _, known := range formats() {
		if slices.Contains(known.extensions, extension) {
			name = known.name
		}
	}
	if err := f.Set(name); err != nil {
		return fmt.Errorf("-o %s: unknown format %q: %w", file, name, err)
	}
	return nil
}
