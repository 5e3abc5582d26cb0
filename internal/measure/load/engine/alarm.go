package engine

import (
	"sync"
	"time"
)

// alarm lets a client sleep. Only silence may be called by other goroutines.
type alarm interface {
	// sleep returns after wait, or returns false as soon as the alarm is silenced.
	sleep(wait time.Duration) bool
	// silence ends the current sleep and all later ones.
	silence()
	close()
}

// timer is an alarm that uses Go's timers. On Linux these fire up to a millisecond late in an idle process, which is
// longer than many transactions take.
type timer struct {
	once     sync.Once
	silenced chan struct{}
}

func newTimer() *timer { return &timer{silenced: make(chan struct{})} }

func (t *timer) sleep(wait time.Duration) bool {
	select {
	case <-time.After(wait):
		return true
	case <-t.silenced:
		return false
	}
}

func (t *timer) silence() { t.once.Do(func() { close(t.silenced) }) }
func (t *timer) close()   {}
