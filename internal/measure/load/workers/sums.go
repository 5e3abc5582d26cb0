package workers

import (
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// sums add up what workers report. Their ticks come at the same times of the load, so that the first of each, the
// second of each and so on belong together.
type sums struct {
	options engine.Options
	grain   time.Duration // of the workers' ticks: a part of the load's own, so that little is lost with a worker

	total      *engine.Record
	processor  time.Duration
	connecting time.Duration
	until      time.Time // how far they have come

	next *engine.Tick // that is being put together of several; nil: nothing is
}

func newSums(o engine.Options) *sums {
	s := &sums{options: o, grain: heartbeat, total: engine.NewRecord(o.Scripts)}
	if o.Every > 0 {
		parts := (o.Every + heartbeat - 1) / heartbeat
		s.grain = o.Every / parts
	}
	return s
}

// addUp takes the ticks that all workers have reported, but for those that will report no more.
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

// add puts ticks of the same time into one, and tells it when it is as long as the load's are to be.
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

// end is when ticks of the same time end: when the first worker that goes on looked, or the last one was done.
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
