package workers

import (
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// sums adds up the reports of all workers. Their ticks come at the same times of the load, so
// the n-th ticks belong together.
type sums struct {
	options engine.Options
	grain   time.Duration // between workers' ticks: shorter than the load's own, so that little is lost with a worker

	total      *engine.Record
	processor  time.Duration
	connecting time.Duration
	until      time.Time // the end of the last tick added

	next *engine.Tick // the sum in progress, or nil
}

func newSums(o engine.Options) *sums {
	s := &sums{options: o, grain: heartbeat, total: engine.NewRecord(o.Scripts)}
	if o.Every > 0 {
		parts := (o.Every + heartbeat - 1) / heartbeat
		s.grain = o.Every / parts
	}
	return s
}

// addUp adds the ticks that all workers have reported; workers that are done do not hold it up.
func (s *sums) addUp(workers []*process) error {
	for {
		warmup, more := false, false
		for _, p := range workers {
			if len(p.ticks) == 0 && !p.silent() {
				return nil
			}
			if len(p.ticks) > 0 {
				more = true
				warmup = warmup || p.ticks[0].Warmup
			}
		}
		if !more {
			return nil
		}
		var together []*tick
		last := true
		for _, p := range workers {
			if len(p.ticks) > 0 && p.ticks[0].Warmup == warmup {
				together = append(together, p.ticks[0])
				p.silenced = p.ticks[0].Last
				p.ticks = p.ticks[1:]
			}
			last = last && p.silent() && len(p.ticks) == 0
		}
		if err := s.add(together, last); err != nil {
			return err
		}
	}
}

// add merges ticks of the same time into the current one, and reports it once it is as long as the load's ticks.
func (s *sums) add(together []*tick, last bool) error {
	if s.next != nil && s.next.Warmup != together[0].Warmup {
		if err := s.tell(); err != nil {
			return err
		}
	}
	if s.next == nil {
		s.next = &engine.Tick{From: s.until, Warmup: together[0].Warmup, Record: engine.NewRecord(s.options.Scripts)}
	}
	t := s.next
	t.Last, t.Running = last, 0
	for _, m := range together {
		r, err := m.record(s.options.Scripts)
		if err != nil {
			return err
		}
		t.Record.Add(r, false)
		s.total.Add(r, m.Warmup)
		t.Running += m.Running
		t.Processor += m.Processor
		if !m.Warmup {
			s.processor += m.Processor
		}
		if t.From.IsZero() || s.until.IsZero() && m.From.Before(t.From) {
			t.From = m.From
		}
	}
	t.To = end(together, last)
	s.until = t.To
	if t.To.Sub(t.From) > s.options.Every-s.grain/2 || last {
		return s.tell()
	}
	return nil
}

// end returns when ticks of the same time end: the first tick of a running worker, or the last worker's end.
func end(together []*tick, last bool) time.Time {
	to := together[0].To
	for _, m := range together[1:] {
		if last == m.To.After(to) && (last || !m.Last) {
			to = m.To
		}
	}
	return to
}

func (s *sums) tell() error {
	t := s.next
	s.next = nil
	if s.options.Tick == nil || s.options.Every == 0 || !t.To.After(t.From) {
		return nil
	}
	t.Totals = t.Record.Totals()
	return s.options.Tick(*t)
}

// finish reports what is left when workers were lost.
func (s *sums) finish() error {
	if s.next == nil {
		return nil
	}
	s.next.Last = true
	return s.tell()
}
