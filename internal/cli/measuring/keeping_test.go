package measuring

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

// TestKeptUnderAnyName: the suggested command shows the run again, by its name only if no shell would change it.
func TestKeptUnderAnyName(t *testing.T) {
	for path, want := range map[string]string{
		"": "realiops report LAST shows", "a.jsonl": "realiops report a.jsonl shows",
		"-a.jsonl": "realiops report ./-a.jsonl shows",
		"LAST":     "realiops report ./LAST shows", "a b.jsonl": "realiops report FILE shows",
		"a;$(id).jsonl": "realiops report FILE shows",
		"\u202ea":       "realiops report FILE shows",
	} {
		for _, columns := range []string{"", "40"} {
			var messages bytes.Buffer
			env := command.Env{Err: &messages, Getenv: func(name string) string {
				return map[string]string{"COLUMNS": columns}[name]
			}}
			if err := (keepingOptions{out: path}).conclude(env, path, nil); err != nil {
				t.Fatal(err)
			}
			if command, _, _ := strings.Cut(want, " shows"); !strings.Contains(messages.String(), command) {
				t.Errorf("%q in %s columns: %s", path, columns, messages.String())
			}
		}
		err := keepingOptions{}.conclude(command.Env{}, path, fmt.Errorf("full"))
		if want := strings.Replace(want, "shows", "tries", 1); path != "" && !strings.Contains(err.Error(), want) {
			t.Errorf("%q fails: %v", path, err)
		}
	}
}
