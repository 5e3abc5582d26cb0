package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/realiops/realiops/internal/cli/command"
)

// commandNames holds names that a shell would split or interpret.
var commandNames = []string{
	"20261123;touch${IFS}PWNED;$(touch PWNED)", "-oPWNED&&`touch PWNED`", "a\ntouch PWNED\n\x1b[2J\u202Egpj",
	"'; touch PWNED; '", `"; touch PWNED # "`,
}

// TestSuggestedCommands gives runs hostile ids, loads, plans and instances, and pastes every suggested command into a
// shell without programs: only the command may result, and nothing may be created.
func TestSuggestedCommands(t *testing.T) {
	t.Parallel()
	for _, name := range commandNames {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			dir := t.TempDir()
			var runs []string
			for _, shipped := range []string{"local-pg17.jsonl.zst", "observed-pg17.jsonl.zst", "baseline.jsonl.zst"} {
				runs = append(runs, renamedRun(t, shipped, name, dir))
			}
			for _, args := range [][]string{
				{"report", runs[0], "-v"}, {"report", runs[0], "--format", "html"},
				{"report", runs[0], "--format", "md"},
				{"report", runs[1], "--format", "md"}, {"report", runs[2], "-v"},
				{"report", runs[2], "--format", "html"}, {"size", runs[0]},
				{"size", runs[0], "--baseline", runs[2]}, {"compare", runs[0], runs[1]},
				{"share", runs[0], "-o", filepath.Join(dir, "shared.jsonl")},
			} {
				var out, messages bytes.Buffer
				Main(command.Env{Out: &out, Err: &messages, Getenv: func(string) string {
					return ""
				}, Now: time.Now}, args)
				text := out.String() + messages.String()
				if slices.Contains(args, "html") {
					text = html.UnescapeString(text)
				}
				pasted(t, strings.Join(args, " "), text, name)
			}
		})
	}
}

// renamedRun returns a shipped run with a hostile name.
func renamedRun(t *testing.T, shipped, name, dir string) string {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(shippedRuns, shipped))
	if err != nil {
		t.Fatal(err)
	}
	unpacker, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacker.Close()
	text, err := unpacker.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	as, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"id":"[^"]*"`, `"instance":"[^"]*"`, `"cluster":"[^"]*"`, `"database":"[^"]*"`,
		`"name":"wide"`, `"load":"wide"`} {
		key, _, _ := strings.Cut(field, ":")
		text = regexp.MustCompile(field).ReplaceAllLiteral(text, append([]byte(key+":"), as...))
	}
	path := filepath.Join(dir, strings.TrimSuffix(shipped, ".zst"))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// suggested matches a line with a suggested command.
var suggested = regexp.MustCompile(`^[\s>|*-]*(<code>)?((realiops|aws|docker) [a-z].*)$`)

// inSentence matches a command within a sentence, up to its necessary end.
var inSentence = regexp.MustCompile(`realiops (analyze|size|report|collect|share|compare|run|observe) [^.,;:]*`)

// pasted checks that each command is one command, and has the name only in quotes.
func pasted(t *testing.T, what, text, name string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		found := suggested.FindStringSubmatch(line)
		if found == nil {
			for _, command := range inSentence.FindAllString(line, -1) {
				if len(name) > 2 && strings.Contains(command, name) {
					t.Errorf("%s: a sentence suggests %q", what, command)
				}
			}
			continue
		}
		dir := t.TempDir()
		c := exec.Command("sh", "-c",
			"PATH=/nonexistent\nrealiops() { echo one; }\naws() { echo one; }\ndocker() { echo one; }\nset -e\n"+
				found[2])
		c.Dir = dir
		got, err := c.CombinedOutput()
		made, _ := os.ReadDir(dir)
		if err != nil || string(got) != "one\n" || len(made) > 0 {
			t.Errorf("%s suggests %q, which does %q, makes %v, %v", what, found[2], got, made, err)
		}
	}
}
