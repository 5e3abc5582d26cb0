package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
)

// questions holds a reader's twelve questions, with the command that answers each, as
// printed in README.md or the help.
var questions = []struct{ question, command, unreached string }{
	{"What could a run tell of my server?", "realiops doctor --dsn URL", "connection refused"},
	{"What do the counters of my server count?", "realiops run --dsn URL", "connection refused"},
	{"What does a server do where I may add no load?", "realiops observe --dsn URL", "connection refused"},
	{"What did it do last week?", "realiops history --prometheus URL", "connection refused"},
	{"What did the last run find?", "realiops report LAST", ""},
	{"What does a metric count?", "realiops explain WriteIOPS", ""},
	{"What storage do I order for a run?", "realiops size LAST", ""},
	{"Which of my databases have too much storage?", "realiops fleet --prometheus URL", "connection refused"},
	{"What are 800,000 WriteIOPS in I/O?", "realiops size --from-metric WriteIOPS=800000 --flavor aurora", ""},
	{"What does a statement cost in I/O?", "realiops measure --dsn URL -- COMMAND", "connection refused"},
	{"What changed between two runs?", "realiops compare A B", ""},
	{"How do I put pgbench's load on a server?", "realiops load -c 8 -T 60 test", "connection refused"},
}

// TestTwelveQuestions: each command is in README.md or the help, and works as printed, as
// far as it can without a server.
func TestTwelveQuestions(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := string(readme) + mustRun(t, "--help")
	runs := map[string]string{"realiops-runs/20261123-012941-77kp.jsonl.zst": "default-pg17", "A": "local-pg15",
		"B": "local-pg17"}
	for name, shipped := range runs {
		text, err := os.ReadFile(filepath.Join(shippedRuns, shipped+".jsonl.zst"))
		if err != nil {
			t.Fatal(err)
		}
		runs[name] = string(text)
	}
	t.Chdir(t.TempDir())
	t.Setenv("PGHOST", "127.0.0.1") // as in libpq, for load
	t.Setenv("PGPORT", "1")
	if err := os.Mkdir("realiops-runs", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range runs {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range questions {
		if !strings.Contains(printed, q.command) {
			t.Errorf("%s: neither README.md nor the help has %q", q.question, q.command)
		}
		var args []string
		for _, word := range strings.Fields(q.command)[1:] {
			switch {
			case word == "URL" && strings.Contains(q.command, "--prometheus"):
				word = "http://127.0.0.1:1"
			case word == "URL":
				word = "postgres://nobody@127.0.0.1:1/test"
			case word == "COMMAND":
				word = "true"
			}
			args = append(args, word)
		}
		var out, messages bytes.Buffer
		env := command.Env{Out: &out, Err: &messages, Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"PGHOST": "127.0.0.1", "PGPORT": "1", "PGUSER": "nobody"}[name]
		}}
		if strings.Contains(q.command, " run ") {
			env.Getenv = func(string) string { return "" }
		}
		code := Main(env, args)
		switch {
		case q.unreached == "" && (code != command.ExitDone || out.Len() == 0):
			t.Errorf("%s: %s ends with %d: %s", q.question, q.command, code, &messages)
		case q.unreached != "" && (code == command.ExitDone || !strings.Contains(messages.String(), q.unreached)):
			t.Errorf("%s: %s ends with %d, and does not ask the server: %s", q.question, q.command, code, &messages)
		}
	}
}
