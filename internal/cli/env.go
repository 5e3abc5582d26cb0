package cli

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/realiops/realiops/internal/measure/collect"
)

// Env is the world as a command sees it, so that a test can hand in another one.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	// Tempo is how the clock of what AWS publishes goes beside ours: the same, but where a stand-in publishes hours in
	// minutes.
	Tempo collect.Tempo

	InTerminal, OutTerminal, ErrTerminal bool
	// Width is how many columns the terminal has, asked anew because people resize; 80 where there is none.
	Width func() int
}

// defaultWidth is what reports are laid out for when nobody says otherwise.
const defaultWidth = 80

// SystemEnv is the world of the process.
func SystemEnv() Env {
	return Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Width:       terminalWidth,
	}
}

func terminalWidth() int {
	for _, f := range []*os.File{os.Stderr, os.Stdout} {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return defaultWidth
}
