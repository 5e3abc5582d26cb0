package measuring

import (
	"fmt"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

// TestKeptUnderAnyName: the suggested command names the run only if no shell would change its name.
func TestKeptUnderAnyName(t *testing.T) {
	for path, want := range map[string]string{
		"a.jsonl": "realiops report a.jsonl tries", "-a.jsonl": "realiops report ./-a.jsonl tries",
		"LAST": "realiops report ./LAST tries", "a b.jsonl": "realiops report FILE tries",
		"a;$(id).jsonl": "realiops report FILE tries", "\u202ea": "realiops report FILE tries",
	} {
		err := keepingOptions{}.conclude(command.Env{}, path, fmt.Errorf("full"))
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q fails: %v", path, err)
		}
	}
}
