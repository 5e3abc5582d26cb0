package command

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/cli/progress"
)

// A terminal without escape sequences gets lines, unless its user asks otherwise.
func TestProgressFollowsTheTerminal(t *testing.T) {
	for _, c := range []struct {
		term, asked string
		terminal    bool
		want        progress.Mode
	}{
		{"xterm-256color", "auto", true, progress.Bar},
		{"dumb", "auto", true, progress.Plain},
		{"dumb", "auto", false, progress.None},
		{"dumb", "bar", true, progress.Bar},
		{"dumb", "none", true, progress.None},
		{"", "auto", true, progress.Bar},
	} {
		env := Env{ErrTerminal: c.terminal, Getenv: func(name string) string {
			return map[string]string{"TERM": c.term}[name]
		}}
		if got, err := env.Progress(c.asked); got != c.want || err != nil {
			t.Errorf("TERM=%q, --progress %s, terminal %v: %v, %v; want %v", c.term, c.asked, c.terminal,
				got, err, c.want)
		}
	}
}

// TestAnswerStaysOnScreen: a text that scrolls its answer off the terminal ends with it; a shorter one, a pipe, and a
// terminal of unknown height have it once.
func TestAnswerStaysOnScreen(t *testing.T) {
	answer := document.Paragraph{Text: "Order two."}
	list := document.List{"one", "two", "three"}
	d := document.Document{Lead: answer, Blocks: []document.Block{answer, list}}
	const text = "Order two.\n\n- one\n- two\n- three\n"
	for _, c := range []struct {
		terminal bool
		height   int
		want     string
	}{
		{true, 5, text + "\nOrder two.\n"},
		{true, 6, text}, // and a prompt
		{true, 0, text},
		{false, 5, text},
	} {
		var out strings.Builder
		env := Env{Out: &out, OutTerminal: c.terminal, Height: func() int { return c.height }}
		if err := env.Write(d); err != nil || out.String() != c.want {
			t.Errorf("%+v: %v\n%s", c, err, out.String())
		}
	}
}
