package output

import (
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Asked holds the settings of a load that its output depends on.
type Asked struct {
	engine.Options

	Program string // our version
	Server  string // the server's

	Scale           int
	PartitionMethod string // of pgbench_accounts: "" without partitions
	Partitions      int

	ShowProgress     bool // -P: like -R and -L, it makes pgbench show the deviation
	FailuresDetailed bool
}

// tries returns pgbench's --max-tries, in which 0 means no limit.
func (a Asked) tries() int {
	if a.Unlimited {
		return 0
	}
	return max(a.MaxTries, 1)
}

func (a Asked) mayRetry() bool { return a.tries() != 1 }

func (a Asked) maySkip() bool { return a.Rate > 0 && a.LatencyLimit > 0 }

// timed reports whether pgbench averages the transactions' latencies, instead of dividing the run's length.
func (a Asked) timed() bool { return a.Rate > 0 || a.LatencyLimit > 0 || a.ShowProgress }

// clients and threads return the real numbers.
func (a Asked) clients() int { return max(a.Clients, 1) }
func (a Asked) threads() int { return min(max(a.Threads, 1), a.clients()) }

// transactions returns the number for each client, with pgbench's default.
func (a Asked) transactions() int {
	if a.Transactions == 0 && a.Duration == 0 {
		return DefaultTransactions
	}
	return a.Transactions
}

// DefaultTransactions is pgbench's -t if neither -t nor -T is given.
const DefaultTransactions = 10

func (a Asked) mode() engine.Mode {
	if a.Mode == "" {
		return engine.Simple
	}
	return a.Mode
}

// milliseconds converts a duration to pgbench's unit.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
