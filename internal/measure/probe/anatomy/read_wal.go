package anatomy

import (
	"context"
	"time"
)

// ReadWAL reads and counts the WAL since the last WaitForCounters that no window has covered. Call it after a load
// and before the next checkpoint, after which the server may recycle that WAL. WAL that it cannot read stays
// uncovered; the error is about ctx only.
func (s *Sampler) ReadWAL(ctx context.Context) error { return s.lookBack(ctx, true) }

// WaitForCounters moves on to the end of the WAL. After a ReadWAL, it counts the WAL since then, which completes a
// load's. Otherwise the WAL since the last WaitForCounters belongs to no load, and is skipped.
func (s *Sampler) WaitForCounters(ctx context.Context) error { return s.lookBack(ctx, false) }

// lookBack ends the course at the end of the WAL, and counts the WAL before it if a load is over.
func (s *Sampler) lookBack(ctx context.Context, loadOver bool) error {
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	if s.refused != nil {
		return nil
	}
	s.walRead = s.walRead || loadOver // stays so until the end is known, up to which the WAL is counted
	if err := s.countBack(ctx, loadOver); err != nil && ctx.Err() == nil {
		_ = s.failed(ctx, err) // the next reading reports it, if it lasts
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
		s.counted.pass(s.course.pass(end)) // later WAL belongs to no load
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
