package cli

import (
	"os"
	"testing"

	"github.com/realiops/realiops/internal/measure/load/workers"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// withAWS are tests that share a stand-in for AWS.
type withAWS struct{ *testing.M }

func (m withAWS) Run() int { return accounttest.Main(m.M) }

func TestMain(m *testing.M) {
	os.Exit(servertest.Main(withAWS{m}, workers.Role()))
}
