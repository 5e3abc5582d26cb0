package engine

import (
	"sync"
	"time"
)

// alarm lets a client sleep. It belongs to the client, except that anybody may call silence.
type alarm interface {
	// sleep returns after so long, or earlier and false when the alarm is silenced.
	sleep(wait time.Duration) bool
	// silence ends the sleep under way, and all later ones at once.
	silence()
	close()
}

// timer is an alarm of the language's own. On Linux it rings up to a millisecond late when nothing else happens in the
// process, which is longer than many a transaction.
type timer struct {
	timer    *time.Timer
	once     sync.Once
	silenced chan struct{}
}

func newTimer() *timer {
	t := &timer{timer: time.NewTimer(0), silenced: make(chan struct{})}
	<-t.timer.C
	return t
}

func (t *timer) sleep(wait time.Duration) bool {
	t.timer.Reset(wait)
	select {
	case <-t.timer.C:
		return true
	case <-t.silenced:
		return false
	}
}

func (t *timer) silence() { t.once.Do(func() { close(t.silenced) }) }
func (t *timer) close()   { t.timer.Stop() }
