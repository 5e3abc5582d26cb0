package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// What the shell is told, as the scripts of realiops completion ask for it.
func TestCompletion(t *testing.T) {
	check := func(offered string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := Main(Env{Out: &out, Err: &bytes.Buffer{}}, append([]string{"__completeNoDesc"}, args...)); code != exitDone {
			t.Errorf("%q: exit status %d", args, code)
		}
		if lines := strings.Split(out.String(), "\n"); !slices.Contains(lines, offered) {
			t.Errorf("%q does not offer %q:\n%s", args, offered, &out)
		}
	}
	check("observe", "ob")
	check("--budget", "run", "--bu")
	check("terraform", "iam-policy", "--format", "")
	check("png", "report", "--format", "")
	check("published", "baseline", "--set", "")
	check("WriteIOPS", "explain", "Write")
	check(":0", "analyze", "run") // files
	check(":4", "run", "")        // none
}
