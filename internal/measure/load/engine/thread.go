package engine

import (
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// thread stands for a thread of pgbench's -j: the clients that share it draw their scripts and times from the same
// streams. It is not a thread here; package workers gives each one a process.
type thread struct {
	weights []int

	mu       sync.Mutex
	choices  script.Random
	sample   script.Random // of the log; its own lock is that of all reports
	pauses   script.Random
	schedule schedule
}

// choose says which script is next.
func (t *thread) choose() int {
	if len(t.weights) == 1 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.choices.Choose(t.weights)
}

// next says when the next transaction is due.
func (t *thread) next() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.schedule.next()
}
