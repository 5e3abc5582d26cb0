package cli

import (
	"os"
	"testing"

	"github.com/realiops/realiops/internal/measure/account/accounttest"
	"github.com/realiops/realiops/internal/measure/server/servertest"
)

// withAWS are tests that share a stand-in for AWS.
type withAWS struct{ *testing.M }

func (m withAWS) Run() int { return accounttest.Main(m.M) }

func TestMain(m *testing.M) { os.Exit(servertest.Main(withAWS{m})) }
