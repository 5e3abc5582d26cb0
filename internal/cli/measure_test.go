package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The user is told which repetition it is, unless they turn progress off; a file or a pipe is not.
func TestMeasureTellsItsRepetitions(t *testing.T) {
	t.Parallel()
	server := servertest.Start(t, embedded.Options{Version: "17"})
	for _, c := range []struct {
		terminal bool
		flags    []string
		told     bool
	}{{true, nil, true}, {true, []string{"--quiet"}, false}, {false, nil, false}} {
		var out, said bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &out, Err: &said, ErrTerminal: c.terminal, Getenv: os.Getenv,
			Now: time.Now, Width: func() int {
				return 80
			}}
		args := append([]string{"measure", "--dsn", server.DSN(), "-r", "2", "--sql", "select 1"}, c.flags...)
		if code := Main(env, args); code != command.ExitDone {
			t.Fatalf("exit status %d\n%s%s", code, &out, &said)
		}
		if got := strings.Contains(said.String(), "repetition 2 of 2\n"); got != c.told {
			t.Errorf("on a terminal: %t, flags %q: told: %t, want %t\n%s", c.terminal, c.flags, got, c.told, &said)
		}
	}
}
