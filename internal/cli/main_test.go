package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/workers"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// withAWS runs tests that share a stand-in for AWS.
type withAWS struct{ *testing.M }

func (m withAWS) Run() int { return accounttest.Main(m.M) }

func TestMain(m *testing.M) {
	os.Exit(servertest.Main(withAWS{m}, workers.Role()))
}

// mustRun runs one of our commands, which must succeed, and returns its output.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	var out, messages bytes.Buffer
	if code := Main(command.Env{Out: &out, Err: &messages, Getenv: func(string) string {
		return ""
	}}, args); code != command.ExitDone {
		t.Fatalf("realiops %s ends with %d: %s", strings.Join(args, " "), code, &messages)
	}
	return out.String()
}
