package anatomy

import (
	"context"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// Mark is a position in the WAL with PostgreSQL's counts there. The zero value is unknown.
type Mark struct {
	at      uint64
	known   bool // and a record begins there
	counted float64
}

const countedRecords = mark + "select wal_records::pg_catalog.float8 from pg_catalog.pg_stat_wal"

// Mark records the end of the WAL. All sessions must have reported their work.
func (s *Sampler) Mark(ctx context.Context) (Mark, error) {
	var marked Mark
	err := s.do(ctx, func() (err error) {
		var m Mark
		// our own session's earlier work must not count later
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

// Reported reports whether the server has counted all WAL records since a mark, so that no idle session holds
// back its writes. A session reports everything together, so only its later reads may be missing. The background
// writer may report one record from before the mark; that can hide a transaction of a single record, which
// changed no row of a logged table.
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
			return err // unflushed WAL cannot be read
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

// do runs what in the session, one call at a time. A refusal by the server is not an error.
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
