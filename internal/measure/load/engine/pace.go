package engine

import (
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// schedule says when transactions are due: at random, so that they come as from many people who know nothing of each
// other (Poisson). It is anchored at the start and never moves, however late the clients are.
type schedule struct {
	random script.Random
	mean   float64 // microseconds between transactions
	due    time.Duration
}

// newSchedule begins at start. rate is in transactions a second.
func newSchedule(random script.Random, rate float64, start time.Duration) schedule {
	return schedule{random: random, mean: 1e6 / rate, due: start}
}

// next is when the next transaction is due, in whole microseconds as in pgbench.
func (s *schedule) next() time.Duration {
	s.due += time.Duration(s.random.Poisson(s.mean)) * time.Microsecond
	return s.due
}

// turn is a client's next step with its transaction.
type turn uint8

const (
	waits turn = iota // until it is due, if that is not past
	skips             // it could not be in time any more
	ends              // it is due when the load is over
)

// turnOf decides about a transaction. Without a limit nothing is skipped.
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
