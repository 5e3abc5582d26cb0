package anatomy

import (
	"context"
	"time"
)

// ReadWAL reads the WAL since the last WaitForCounters and counts what no window has covered. It is to be called when a
// load is over and before the next checkpoint, after which the server may recycle that WAL. What it cannot read stays
// uncovered; the error is about ctx only.
func (s *Sampler) ReadWAL(ctx context.Context) error { return s.lookBack(ctx, true) }

// WaitForCounters moves on to the end of the WAL. What has come since a ReadWAL is counted, so that a load ends with
// all of its own; without a ReadWAL before it the WAL since the last WaitForCounters is of no load, and passed over.
func (s *Sampler) WaitForCounters(ctx context.Context) error { return s.lookBack(ctx, false) }

// lookBack ends the course at the end of the WAL, and counts what lies before it where a load is over.
func (s *Sampler) lookBack(ctx context.Context, loadOver bool) error {
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	if s.refused != nil {
		return nil
	}
	s.walRead = s.walRead || loadOver // and stays so until an end is known, up to which it can be counted
	if err := s.countBack(ctx, loadOver); err != nil && ctx.Err() == nil {
		_ = s.failed(ctx, err) // the next reading says it, if it lasts
	}
	return ctx.Err()
}

func (s *Sampler) countBack(ctx context.Context, loadOver bool) error {
	if err := s.connected(ctx); err != nil {
		return err
	}
	end, known, err := s.session.flushedEnd(ctx, s.course.at)
	if err != nil {
		return err
	}
	if s.begin(end); !known {
		s.counted.pass(s.course.pass(end)) // so that what is read of it only later is of no load
		return nil
	}
	end = max(end, s.course.at)
	s.counted.pass(s.course.advance(end, time.Now()))
	var places []place
	if s.walRead {
		places = s.course.rest(end)
	}
	s.walRead = loadOver
	s.course.begin(end)
	return s.session.countAll(ctx, places, s.counted.add)
}
