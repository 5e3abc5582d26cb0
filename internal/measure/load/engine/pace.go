package engine

import (
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// schedule decides when transactions are due: at random, as if many independent users sent them (Poisson). It is
// anchored at the start and never moves, however late the clients are.
type schedule struct {
	random script.Random
	mean   float64 // microseconds between transactions
	due    time.Duration
}

// newSchedule returns a schedule that begins at start. rate is in transactions a second.
func newSchedule(random script.Random, rate float64, start time.Duration) schedule {
	return schedule{random: random, mean: 1e6 / rate, due: start}
}

// next returns when the next transaction is due, in whole microseconds as in pgbench.
func (s *schedule) next() time.Duration {
	s.due += time.Duration(s.random.Poisson(s.mean)) * time.Microsecond
	return s.due
}

// turn is a client's decision about its next transaction.
type turn uint8

const (
	waits turn = iota // wait until it is due, then run it
	skips             // skip it, since it is too late
	ends              // end, since it is due after the load
)

// turnOf decides about a transaction. Without a limit it skips none.
func turnOf(due, now, limit, end time.Duration) turn {
	switch {
	case limit > 0 && due < now-limit:
		return skips
	case due > end:
		return ends
	default:
		return waits
	}
}
