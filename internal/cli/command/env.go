package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/collect"
)

// Env is a command's world, which a test can replace.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	// Tempo relates AWS's clock to ours: they run alike, except with a stand-in that publishes hours in minutes.
	Tempo collect.Tempo

	InTerminal, OutTerminal, ErrTerminal bool
	// Width returns the terminal's current columns, or 80 if there is none.
	Width func() int
	// Height returns the lines of the terminal that standard output is; nil or 0: unknown.
	Height func() int
}

// DefaultWidth is the default number of columns of a report.
const DefaultWidth = 80

// SystemEnv returns the world of the process.
func SystemEnv() Env {
	return Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Width:       terminalWidth,
		Height: func() int {
			_, height, _ := term.GetSize(int(os.Stdout.Fd()))
			return height
		},
	}
}

// Columns returns the width of reports: COLUMNS, or else the width of the terminal they go to, or else 80.
func (e Env) Columns() int { return cmp.Or(e.saidColumns(), e.terminal(e.OutTerminal), DefaultWidth) }

// MessageColumns returns the width of messages on standard error by the same rule; 0: standard error is no
// terminal, and a message is one line.
func (e Env) MessageColumns() int { return cmp.Or(e.saidColumns(), e.terminal(e.ErrTerminal)) }

// Tell writes a message to standard error.
func (e Env) Tell(format string, values ...any) {
	fmt.Fprintln(e.Err, e.message(fmt.Sprintf(format, values...)))
}

func (e Env) message(text string) string { return document.Message(text, e.MessageColumns()) }

// Display returns a display on standard error.
func (e Env) Display(mode progress.Mode) *progress.Display {
	d := progress.New(e.Err, mode, e.Width)
	locale := strings.ToLower(cmp.Or(e.get("LC_ALL"), e.get("LC_CTYPE"), e.get("LANG"))) // as in POSIX
	d.Layout, d.Letters = e.message, strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
	return d
}

// Progress returns the style of progress. On a terminal that cannot move its cursor, lines replace a bar.
func (e Env) Progress(asked string) (progress.Mode, error) {
	if asked == string(progress.Auto) && e.ErrTerminal && e.dumb() {
		return progress.Plain, nil
	}
	return progress.Resolve(asked, e.ErrTerminal)
}

// dumb reports whether the terminal understands no escape sequences.
func (e Env) dumb() bool { return e.get("TERM") == "dumb" }

// Write writes a document to standard output, in color if that is a capable terminal. The answer comes again at the end
// if it has scrolled off the terminal.
func (e Env) Write(d document.Document) error {
	var text strings.Builder
	if err := document.Text(&text, d, e.Columns()); err != nil {
		return err
	}
	if lines := e.lines(); d.Lead != nil && lines > 0 && strings.Count(text.String(), "\n") >= lines {
		text.WriteByte('\n')
		if err := document.Text(&text, document.Document{Blocks: []document.Block{d.Lead}}, e.Columns()); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(e.Coloured(e.Out, e.OutTerminal), text.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// lines returns the terminal's height; 0: standard output is none, or its height is unknown.
func (e Env) lines() int {
	if !e.OutTerminal || e.Height == nil {
		return 0
	}
	return e.Height()
}

// Coloured returns a writer that keeps colors if it leads to a terminal, unless the user
// disabled them (no-color.org).
func (e Env) Coloured(out io.Writer, terminal bool) io.Writer {
	if !terminal || e.get("NO_COLOR") != "" || e.dumb() {
		return out
	}
	return document.Coloured(out)
}

// get returns an environment variable; a test may have no environment.
func (e Env) get(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// saidColumns returns the value of COLUMNS, or 0 if it is not a width.
func (e Env) saidColumns() int {
	width, err := strconv.Atoi(e.get("COLUMNS"))
	if err != nil || width < 0 {
		return 0
	}
	return width
}

func (e Env) terminal(is bool) int {
	if !is || e.Width == nil {
		return 0
	}
	return e.Width()
}

func terminalWidth() int {
	for _, f := range []*os.File{os.Stderr, os.Stdout} {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return DefaultWidth
}
