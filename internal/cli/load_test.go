package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestLoadNamesStandbys: a load that writes says whose queries it may cancel; one that reads has nothing to say.
func TestLoadNamesStandbys(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, embedded.Options{Version: "17"})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	servertest.Standby(ctx, t, servertest.Endpoint(t, s.DSN()), "sb")
	const want = "realiops: warning: this load may cancel long queries on the standby sb, which sends no hot_standby_feedback\n"
	for _, c := range []struct {
		args string
		said bool
	}{{"-i", true}, {"-t 1", true}, {"-S -t 1", false}} {
		_, said := runs(t, command.ExitDone, append(append([]string{"load"}, strings.Fields(c.args)...), s.DSN())...)
		if strings.Contains(said, want) != c.said {
			t.Errorf("load %s said %q", c.args, said)
		}
	}
}
