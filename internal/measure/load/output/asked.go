package output

import (
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Asked holds the settings of a load, as far as output depends on them.
type Asked struct {
	engine.Options

	Program string // our version
	Server  string // the server's

	Scale           int
	PartitionMethod string // of pgbench_accounts: "" where it has no partitions
	Partitions      int

	ShowProgress     bool // -P: with it, as with -R and -L, pgbench shows the deviation too
	FailuresDetailed bool
}

// tries is pgbench's --max-tries, in which 0 means no bound.
func (a Asked) tries() int {
	if a.Unlimited {
		return 0
	}
	return max(a.MaxTries, 1)
}

func (a Asked) mayRetry() bool { return a.tries() != 1 }

func (a Asked) maySkip() bool { return a.Rate > 0 && a.LatencyLimit > 0 }

// timed decides what pgbench's average is made from: the transactions, or the length of the run.
func (a Asked) timed() bool { return a.Rate > 0 || a.LatencyLimit > 0 || a.ShowProgress }

// clients and threads are as many as there really are.
func (a Asked) clients() int { return max(a.Clients, 1) }
func (a Asked) threads() int { return min(max(a.Threads, 1), a.clients()) }

// transactions returns those of each client, pgbench's default where nothing was asked.
func (a Asked) transactions() int {
	if a.Transactions == 0 && a.Duration == 0 {
		return DefaultTransactions
	}
	return a.Transactions
}

// DefaultTransactions is pgbench's -t where neither -t nor -T is given.
const DefaultTransactions = 10

func (a Asked) mode() engine.Mode {
	if a.Mode == "" {
		return engine.Simple
	}
	return a.Mode
}

// milliseconds returns what pgbench shows lengths of time in.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
