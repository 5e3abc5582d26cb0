package engine

import "time"

// tick reports at regular times. A late tick does not shift the next.
func (l *load) tick(done <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for from, at := l.began, l.nextTick(l.began); ; at = l.nextTick(at) {
		timer.Reset(at - l.clock.now())
		select {
		case <-done:
			l.ticked = from
			return
		case <-timer.C:
		}
		to := l.clock.now()
		if at == l.warm {
			to = l.warm
		}
		l.tell(from, to, at <= l.warm, false)
		from = to
	}
}

// nextTick returns the time of the tick after last. The warm-up ends with a tick.
func (l *load) nextTick(last time.Duration) time.Duration {
	next := last + l.Every
	if last < l.warm && next > l.warm {
		return l.warm
	}
	return next
}

func (l *load) tell(from, to time.Duration, warmup, last bool) {
	if !last {
		for _, c := range l.clients {
			c.tally.handOver()
		}
	}
	done := l.totals.take(warmup)
	if l.Tick == nil || l.Every == 0 || to <= from {
		return
	}
	err := l.Tick(Tick{
		From: l.clock.time(from), To: l.clock.time(to), Warmup: warmup, Last: last,
		Running: int(l.running.Load()), Totals: done.Totals(), Record: done,
	})
	if err != nil {
		l.cancel(err)
	}
}
