package command

import (
	"testing"

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
