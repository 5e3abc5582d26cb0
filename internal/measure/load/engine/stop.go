package engine

import (
	"context"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/load/session"
)

// How long a stopped client may take: for its transaction, then for the cancelled statement.
// After that its session is cut.
const (
	untilCancel = 100 * time.Millisecond
	untilCut    = time.Second
)

// stopper ends the clients that do not stop by themselves when the load is stopped.
func (l *load) stopper(done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-l.stopping:
	}
	l.stoppedAt = l.clock.now()
	for _, c := range l.clients {
		if c.alarm != nil {
			c.alarm.silence()
		}
	}
	select {
	case <-done:
		return
	case <-time.After(untilCancel):
	}
	cut := time.AfterFunc(untilCut, func() { l.eachOpen(func(s *session.Session) { s.Interrupt() }) })
	defer cut.Stop()
	l.cancelStatements()
	<-done
}

// cancelStatements cancels running statements on the server, which would otherwise go on after we are gone.
func (l *load) cancelStatements() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), untilCut)
	defer cancel()
	room := make(chan struct{}, atATime)
	var requests sync.WaitGroup
	l.eachOpen(func(s *session.Session) {
		room <- struct{}{}
		requests.Go(func() {
			_ = s.Cancel(ctx) // the session is cut later if this fails
			<-room
		})
	})
	requests.Wait()
}

func (l *load) eachOpen(do func(*session.Session)) {
	for _, c := range l.clients {
		if s := c.open.Load(); s != nil {
			do(s)
		}
	}
}
