package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
)

// COLUMNS decides, then the terminal; line-based output is never wrapped.
func TestColumns(t *testing.T) {
	t.Parallel()
	check := func(said string, terminal bool, report, message int) {
		t.Helper()
		env := command.Env{OutTerminal: terminal, ErrTerminal: terminal, Width: func() int {
			return 120
		}, Getenv: func(string) string { return said }}
		if env.Columns() != report || env.MessageColumns() != message {
			t.Errorf("COLUMNS=%s, terminal %v: %d and %d, want %d and %d", said, terminal, env.Columns(),
				env.MessageColumns(), report, message)
		}
	}
	check("", false, 80, 0)
	check("", true, 120, 120)
	check("40", false, 40, 40)
	check("40", true, 40, 40)
	check("wide", false, 80, 0)
	check("-1", true, 120, 120)
}

// Reports, explanations, help, errors and progress fit the columns. A command to copy stays on one line.
func TestOutputFitsTheColumns(t *testing.T) {
	t.Parallel()
	check := func(lines int, args ...string) {
		t.Helper()
		var out bytes.Buffer
		Main(command.Env{Out: &out, Err: &out, Now: time.Now, Getenv: func(string) string { return "60" }}, args)
		for line := range strings.Lines(out.String()) {
			if words := strings.Fields(line); !strings.HasPrefix(line, "  realiops ") &&
				len([]rune(strings.TrimSuffix(line, "\n"))) > 60 && len(words) > 1 {
				t.Errorf("%q, %d columns: %s", args, len(line)-1, line)
			}
		}
		if n := strings.Count(out.String(), "\n"); n < lines {
			t.Errorf("%q: %d lines: %s", args, n, out.String())
		}
	}
	run := "../../testdata/runs/local-pg17.jsonl.zst"
	check(600, "explain", "--all")
	check(20, "explain")
	check(8, "explain", "WriteIOPS")
	check(20, "report", run)
	check(20, "compare", run, "../../testdata/runs/local-pg18.jsonl.zst")
	check(20, "size", run)
	check(2, "run", "--budget", "120")
	check(2, "report", "there/is/no/file/of/this/name/in/this/directory.jsonl")
	check(2, "load", "-c", "0")
}

func TestErrorsFitTheColumns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	Main(command.Env{Out: &out, Err: &out, Getenv: func(string) string {
		return "40"
	}}, []string{"run", "--budget", "120"})
	for line := range strings.Lines(out.String()) {
		if len(strings.TrimSuffix(line, "\n")) > 40 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	if strings.Count(out.String(), "\n") < 3 {
		t.Errorf("one line: %s", out.String())
	}
}
