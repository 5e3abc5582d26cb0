package anatomy

import (
	"context"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// Mark is a place in the WAL, and what PostgreSQL had counted of it there. The zero value is none, since which nothing
// is known.
type Mark struct {
	at      uint64
	known   bool // and a record begins there
	counted float64
}

const countedRecords = mark + "select wal_records::pg_catalog.float8 from pg_catalog.pg_stat_wal"

// Mark remembers where the WAL ends. All sessions have reported what they did.
func (s *Sampler) Mark(ctx context.Context) (Mark, error) {
	var marked Mark
	err := s.do(ctx, func() (err error) {
		var m Mark
		// what our own session wrote before is not of what comes
		if err := postgres.Exec(ctx, s.session.conn, report); err != nil {
			return err
		}
		if m.at, m.known, err = s.session.flushedEnd(ctx, 0); err != nil {
			return err
		}
		if err := postgres.QueryRow(ctx, s.session.conn, countedRecords).Scan(&m.counted); err != nil {
			return err
		}
		marked = m
		return nil
	})
	return marked, err
}

// Reported reports whether as many WAL records have been counted since a mark as there are, so that no idle session
// keeps to itself what it wrote. A session reports all that it did at once: what it may keep is what it only read
// afterwards. The server's background writer may have reported one record more, of before the mark, and hide a
// transaction of a single record, which changed no row of a logged table.
func (s *Sampler) Reported(ctx context.Context, since Mark) (all bool, err error) {
	if since == (Mark{}) {
		return false, nil
	}
	err = s.do(ctx, func() error {
		var counted float64
		if err := postgres.QueryRow(ctx, s.session.conn, countedRecords).Scan(&counted); err != nil {
			return err
		}
		end, known, err := s.session.end(ctx)
		if err != nil || end < since.at || s.session.flushed < s.session.inserted {
			return err // what is not flushed yet cannot be read
		}
		if end == since.at {
			all = true
			return nil
		}
		w, err := s.session.count(ctx, place{span{since.at, end}, since.known, known})
		if err != nil {
			return err
		}
		var written float64
		for _, k := range w.kinds {
			written += k.records
		}
		all = counted-since.counted >= written
		return nil
	})
	return all, err
}

// do asks something in the session, one after the other. What the server refuses is no error of it.
func (s *Sampler) do(ctx context.Context, what func() error) error {
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	if s.refused != nil || s.files != nil {
		return nil
	}
	err := s.connected(ctx)
	if err == nil {
		err = what()
	}
	if err != nil && ctx.Err() == nil {
		_ = s.failed(ctx, err)
	}
	return ctx.Err()
}
