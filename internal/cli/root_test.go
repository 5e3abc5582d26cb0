package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

func TestErrorsDriveNoTerminal(t *testing.T) {
	t.Parallel()
	check := func(want string, args ...string) {
		t.Helper()
		var out, messages bytes.Buffer
		Main(command.Env{Out: &out, Err: &messages, Getenv: func(string) string { return "" }}, args)
		if said := messages.String(); !strings.Contains(said, want) || strings.Count(said, "\n") != 1 ||
			strings.ContainsAny(said, "\x1b\x07\u202E") {
			t.Errorf("%q says %q, and not %s", args, said, want)
		}
	}
	check(`none\x1B[2J\u202Elnosj.jsonl`, "report", "none\x1b[2J\u202Elnosj.jsonl")
	// Quoted names in messages are escaped as in Go.
	check(`\x1b]0;x\a`, "explain", "\x1b]0;x\x07")
	check(`no\x1b[1Asuch`, "no\x1b[1Asuch")
}
