package output

import (
	"strconv"
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

type aggregate struct {
	begin time.Time

	done, skipped, retried, retries, serialization, deadlocks int64
	latency, lag                                              sums
}

// sums holds microseconds.
type sums struct {
	count                  int64
	sum, sum2, least, most float64
}

func (s *sums) add(d time.Duration) {
	us := float64(d.Microseconds())
	if s.count == 0 || us < s.least {
		s.least = us
	}
	s.most = max(s.most, us)
	s.count++
	s.sum += us
	s.sum2 += us * us
}

// begin starts the intervals at the whole second in which the load began, as pgbench does.
func (l *Log) begin(load time.Time) {
	if l.interim.begin.IsZero() {
		l.interim.begin = load.Truncate(time.Second)
	}
}

// endIntervals writes every interval that has ended, including empty ones.
func (l *Log) endIntervals(now time.Time) error {
	for next := l.interim.begin.Add(l.interval); !next.After(now); next = next.Add(l.interval) {
		l.scratch = l.interim.append(l.scratch[:0])
		if err := l.write(); err != nil {
			return err
		}
		l.interim = aggregate{begin: next}
	}
	return nil
}

// add counts as pgbench does: skipped transactions only as such, retries even of failed ones, times only of
// successful ones, and kinds of failures only if asked for.
func (a *aggregate) add(t engine.Transaction, asked Asked) {
	if t.Outcome == engine.Skipped {
		a.skipped++
		return
	}
	if t.Retries > 0 {
		a.retried++
		a.retries += int64(t.Retries)
	}
	switch {
	case t.Outcome == engine.Done:
		a.done++
		a.latency.add(t.Latency)
		if asked.Rate > 0 {
			a.lag.add(t.Lag)
		}
	case asked.FailuresDetailed && t.Outcome == engine.FailedSerializing:
		a.serialization++
	case asked.FailuresDetailed && t.Outcome == engine.FailedByDeadlock:
		a.deadlocks++
	}
}

// append writes the 15 columns of pgbench 15 and later.
func (a *aggregate) append(b []byte) []byte {
	b = strconv.AppendInt(b, a.begin.Unix(), 10)
	b = appendInt(b, a.done)
	for _, s := range []sums{a.latency, a.lag} {
		for _, v := range []float64{s.sum, s.sum2, s.least, s.most} {
			b = strconv.AppendFloat(append(b, ' '), v, 'f', 0, 64)
		}
	}
	for _, n := range []int64{a.skipped, a.retried, a.retries, a.serialization, a.deadlocks} {
		b = appendInt(b, n)
	}
	return append(b, '\n')
}
