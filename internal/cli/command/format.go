package command

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/view"
)

type outputFormat struct {
	Name       string
	extensions []string // of files in this format
	// write is nil if only a finding's own form can write the format.
	write func(Env, Finding) error
}

// Finding is a command's result. A format writes its value or its words, or uses the finding's own form.
type Finding struct {
	What  string                           // in messages: a baseline
	Value any                              // for programs
	Words func() document.Document         // for people, and for spreadsheets
	Forms map[string]func(io.Writer) error // by format, replacing the format's own way
}

// Names of formats.
const (
	FormatText        = "text"
	FormatHTML        = "html"
	FormatMarkdown    = "md"
	FormatCSV         = "csv"
	FormatJSON        = "json"
	FormatPNG         = "png"
	FormatSVG         = "svg"
	FormatOpenMetrics = "openmetrics"
	FormatTerraform   = "terraform"
	FormatGo          = "go"
	FormatJUnit       = "junit"
	FormatGitHub      = "github"
	FormatBencher     = "bencher"
	FormatBase        = "base" // of measure, for --compare
)

// Formats returns every format that any command writes.
func Formats() []outputFormat {
	return []outputFormat{
		{FormatText, []string{".txt"}, func(e Env, f Finding) error { return e.Write(f.Words()) }},
		{FormatHTML, []string{".html", ".htm"}, func(e Env, f Finding) error {
			return document.HTML(e.Out, f.Words())
		}},
		{FormatMarkdown, []string{".md"}, func(e Env, f Finding) error { return document.Markdown(e.Out, f.Words()) }},
		{FormatCSV, []string{".csv"}, func(e Env, f Finding) error { return document.CSV(e.Out, f.Words()) }},
		{FormatJSON, []string{".json"}, func(e Env, f Finding) error { return view.JSON(e.Out, f.Value) }},
		{Name: FormatPNG, extensions: []string{".png"}},
		{Name: FormatSVG, extensions: []string{".svg"}},
		{Name: FormatOpenMetrics, extensions: []string{".prom"}},
		{Name: FormatTerraform, extensions: []string{".tf"}},
		{Name: FormatGo},
		{Name: FormatJUnit, extensions: []string{".xml"}},
		{Name: FormatGitHub},
		{Name: FormatBencher},
		{Name: FormatBase, extensions: []string{".jsonl"}},
	}
}

// Answer writes a finding to standard output in a format.
func (e Env) Answer(name string, f Finding) error {
	if own := f.Forms[name]; own != nil {
		return own(e.Out)
	}
	var others []string
	for _, known := range Formats() {
		if known.Name == name && known.write != nil {
			return known.write(e, f)
		}
		if known.write != nil || f.Forms[known.Name] != nil {
			others = append(others, known.Name)
		}
	}
	return fmt.Errorf("%s cannot be written as %s: want %s", f.What, name, either(others))
}

// FormatFlag is the chosen format, of those that a command offers.
type FormatFlag struct {
	Offered []string
	Chosen  string
	general int    // the first of Offered, which any file can be written as
	only    string // what the others are for
	given   bool   // by the user
}

// Add adds --format with the offered formats. The first is the default.
func (f *FormatFlag) Add(flags *pflag.FlagSet, offered ...string) {
	f.AddSome(flags, offered, "", nil)
}

// AddSome adds --format with formats for every file that the command reads, and further ones only for some.
func (f *FormatFlag) AddSome(flags *pflag.FlagSet, every []string, only string, some []string) {
	f.Offered, f.general, f.only, f.Chosen = slices.Concat(every, some), len(every), only, every[0]
	flags.Var(f, "format", "the `format`: "+f.list())
}

func (f *FormatFlag) String() string { return f.Chosen }
func (*FormatFlag) Type() string     { return "string" }

// Set chooses a format by name.
func (f *FormatFlag) Set(name string) error {
	if !slices.Contains(f.Offered, name) {
		return fmt.Errorf("want %s", f.list())
	}
	f.Chosen, f.given = name, true
	return nil
}

func (f *FormatFlag) list() string {
	text := either(f.Offered[:f.general])
	if some := f.Offered[f.general:]; len(some) > 0 {
		text += "; for " + f.only + " also " + either(some)
	}
	return text
}

func either(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Follow chooses the format of a file's extension, unless the user chose one. Standard output has none.
func (f *FormatFlag) Follow(file string) error {
	extension := strings.ToLower(filepath.Ext(file))
	if file == StandardInput || len(extension) <= len(".") { // as of ".."
		return nil
	}
	name := strings.TrimPrefix(extension, ".")
	for _, known := range Formats() {
		if slices.Contains(known.extensions, extension) {
			name = known.Name
		}
	}
	if f.given {
		return f.contradicts(file, name)
	}
	if err := f.Set(name); err != nil {
		return fmt.Errorf("-o %s: unknown format %q: %w", file, name, err)
	}
	return nil
}

// contradicts rejects a file whose extension belongs to another format than the chosen one.
func (f *FormatFlag) contradicts(file, name string) error {
	for _, known := range Formats() {
		if known.Name == f.Chosen && name != f.Chosen && len(known.extensions) > 0 && slices.Contains(f.Offered, name) {
			return fmt.Errorf("-o %s means %s, but --format is %s; leave out --format, or end the name with %s", file, name,
				f.Chosen, known.extensions[0])
		}
	}
	return nil
}

// WriteTo writes a result to a file, which appears when complete, or to standard output if there is no name. An
// existing device or pipe is written to directly.
func WriteTo(name string, out io.Writer, write func(io.Writer) error) error {
	if name == "" || name == StandardInput {
		return write(out)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // the file replaces its target, not the link
	}
	existing, err := os.Stat(name)
	switch {
	case err == nil && existing.IsDir():
		err = errors.New("it is a directory; name a file in it")
	case err == nil && !existing.Mode().IsRegular():
		err = writeInto(name, write)
	default:
		err = replace(name, existing, write)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func writeInto(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return plainly(err)
	}
	return plainly(errors.Join(write(file), file.Close()))
}

// replace writes a temporary file next to the named one, and renames it when complete. Its mode follows the
// umask, or the file it replaces.
func replace(name string, existing fs.FileInfo, write func(io.Writer) error) error {
	part, err := os.OpenFile(filepath.Join(filepath.Dir(name), ".realiops-"+rand.Text()),
		os.O_WRONLY|os.O_CREATE|os.O_EXCL, modeOf(existing))
	if err != nil {
		return plainly(err)
	}
	if existing != nil {
		err = part.Chmod(modeOf(existing))
	}
	err = errors.Join(err, write(part), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), name)
	}
	if err != nil {
		return errors.Join(plainly(err), os.Remove(part.Name()))
	}
	return nil
}

func modeOf(existing fs.FileInfo) fs.FileMode {
	if existing == nil {
		return 0o666 // less the umask
	}
	return existing.Mode().Perm()
}

// plainly reduces a file error to its reason, if the user did not choose the file's name.
func plainly(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// SameFile reports whether two names lead to the same existing file.
func SameFile(a, b string) bool {
	first, errFirst := os.Stat(a)
	second, errSecond := os.Stat(b)
	return errFirst == nil && errSecond == nil && os.SameFile(first, second)
}
