package engine

import (
	"runtime"
	"time"
)

// governor keeps as few threads running Go code as the load needs. A load waits most of the time, and threads that have
// nothing to do wake each other up: on two processors, a second one took a third more CPU for every transaction, away
// from a server on the same machine.
type governor struct {
	threads, most int
	used          time.Duration // processor time of the process
	at            time.Duration
}

const (
	// governEvery is how often it looks: soon enough for a load that needs more, and seldom enough to cost nothing.
	governEvery = 100 * time.Millisecond
	// A thread is added when those there are are busy for more than this share of the time…
	busy = 0.85
	// …and taken away when the others would have been busy for less than this.
	idle = 0.5
)

// next is how many threads there should be, where the process has used so much processor time by now.
func (g *governor) next(used, now time.Duration) int {
	share := float64(used-g.used) / float64(max(now-g.at, 1))
	g.used, g.at = used, now
	switch {
	case share > busy*float64(g.threads):
		g.threads = min(2*g.threads, g.most)
	case share < idle*float64(g.threads-1):
		g.threads--
	}
	return g.threads
}

// govern sets GOMAXPROCS until the clients are done, and puts it back. What it was is the most that it may be.
func (l *load) govern(done <-chan struct{}) {
	most := runtime.GOMAXPROCS(0)
	used, known := processorTime()
	if !known || most == 1 {
		return
	}
	defer runtime.GOMAXPROCS(most)
	g := governor{threads: 1, most: most, used: used, at: l.clock.now()}
	runtime.GOMAXPROCS(g.threads)
	for !endsWithin(done, governEvery) {
		used, _ := processorTime()
		if before := g.threads; g.next(used, l.clock.now()) != before {
			runtime.GOMAXPROCS(g.threads)
		}
	}
}
