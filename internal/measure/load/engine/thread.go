package engine

import (
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// thread stands for a thread of pgbench's -j: its clients draw their scripts and times from the same streams. It is
// not an operating system thread; package workers gives each one a process.
type thread struct {
	weights []int

	mu       sync.Mutex
	choices  script.Random
	sample   script.Random // of the log; guarded by the lock of reports
	pauses   script.Random
	schedule schedule
}

// choose returns the next script.
func (t *thread) choose() int {
	if len(t.weights) == 1 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.choices.Choose(t.weights)
}

// next returns when the next transaction is due.
func (t *thread) next() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.schedule.next()
}
