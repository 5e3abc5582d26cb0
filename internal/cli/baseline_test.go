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
	check(`--until-throttled is 1 s; want 30 s to 24 h`, "--until-throttled=1s")
	check("--show-buffered works only with a set of jobs", "--show-buffered", "--job", "x")
	check("--show-buffered works only with a set of jobs", "--show-buffered", "--until-throttled")
	check(`--progress "x": want auto, bar, plain or none`, "--progress", "x")
}
