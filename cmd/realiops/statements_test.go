package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

var update = flag.Bool("update", false, "write the statements that a server saw into docs/security.md")

// What stands between these lines of the page are the statements.
const (
	statementsBegin = "<!-- what a server saw -->\n```sql\n"
	statementsEnd   = "```\n<!-- end -->\n"
)

// docs/security.md lists every statement that a server sees of doctor, observe and run, by the server's own log.
func TestDocsListEveryStatement(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"log_statement=all", "log_line_prefix=@%a@", "autovacuum=off"}})
	place := t.TempDir()
	plan := planFile(t, `{"name": "async", "method": "insert", "rows_per_tx": 2, "synchronous_commit": "off", "clients": 1}, {"name": "idle"}, {"name": "bulk", "method": "insert-select", "rows_per_tx": 10, "indexes": 2, "width": 100, "clients": 1}, {"name": "copy", "method": "copy", "rows_per_tx": 10, "clients": 1}`, "1")
	runs(t, "doctor", "--dsn", s.DSN())
	runs(t, "observe", "--dsn", s.DSN(), "--for", "3s", "-o", filepath.Join(place, "observed.jsonl"))
	runs(t, "run", "--dsn", s.DSN(), "--plan", plan, "-o", filepath.Join(place, "run.jsonl"))
	seen := statementsIn(t, filepath.Join(filepath.Dir(s.Target().Storage.Directory), "server.log"))

	const page = "../../docs/security.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), statementsBegin)
	listed, after, ended := strings.Cut(rest, statementsEnd)
	if !begun || !ended {
		t.Fatal("the page has no place for the statements")
	}
	if *update {
		text := before + statementsBegin + strings.Join(seen, "\n") + "\n" + statementsEnd + after
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(listed), "\n"), seen); diff != "" {
		t.Errorf("go test ./cmd/realiops -run TestDocsListEveryStatement -update writes them (-listed +seen):\n%s", diff)
	}
}

var (
	logged   = regexp.MustCompile(`(?s)^realiops[^@]*@LOG:  (?:statement|execute [^:]*): (.*)$`)
	literals = regexp.MustCompile(`\b\d+(\.\d+)?\b`)
)

// statementsIn are those of sessions of ours in a server's log, each once. Numbers are N, since they are others each time.
func statementsIn(t *testing.T, log string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for entry := range strings.SplitSeq(string(text), "\n@") {
		found := logged.FindStringSubmatch(strings.TrimPrefix(entry, "@"))
		if found == nil {
			continue
		}
		statement := literals.ReplaceAllString(strings.Join(strings.Fields(found[1]), " "), "N")
		if !slices.Contains(all, statement) {
			all = append(all, statement)
		}
	}
	slices.Sort(all)
	return all
}
