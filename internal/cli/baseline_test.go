package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
)

func TestBaselineRefuses(t *testing.T) {
	t.Parallel()
	check := func(want string, args ...string) {
		t.Helper()
		var out, err bytes.Buffer
		code := Main(command.Env{Out: &out, Err: &err, Now: time.Now, Getenv: func(string) string {
			return ""
		}}, append([]string{"baseline"}, args...))
		if code != command.ExitUsage || err.String() != "realiops: "+want+"\n" {
			t.Errorf("%q: %d, %s", args, code, &err)
		}
	}
	check(`--format "x": want text or json (see realiops baseline --help)`, "--format", "x")
	check(`--until-throttled is 1 s: from 30 s to 24 h`, "--until-throttled=1s")
	check("--show-buffered goes with the jobs of a set alone", "--show-buffered", "--job", "x")
	check("--show-buffered goes with the jobs of a set alone", "--show-buffered", "--until-throttled")
	check(`--progress is "x" and can be auto, bar, plain or none`, "--progress", "x")
}
