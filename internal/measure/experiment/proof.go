package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// countedWithin bounds the wait for the server's counter of rows, which is half a
	// second late up to PostgreSQL 14.
	countedWithin = 2 * time.Second
	lookEvery     = 20 * time.Millisecond
)

// awaitCounted waits until the server has counted as many rows as it confirmed. A timeout is not an error: the
// readings and the proof show it.
func (e *Experiment) awaitCounted(ctx context.Context, w *load.Workload, rows int64) error {
	own := context.WithoutCancel(ctx)
	for began := time.Now(); !e.uncounted; {
		if counted, err := w.Written(own, e.Control); err != nil || counted >= rows {
			return err
		}
		if time.Since(began) > countedWithin {
			e.uncounted = true // track_counts is off, or the counter was reset
			break
		}
		if err := Wait(ctx, lookEvery); err != nil {
			return err
		}
	}
	return nil
}

// Bounds of the time to count a repetition's rows one by one. Counting takes a tenth of the load's time, or as long
// as the load if hint bits are logged and each page goes into the WAL first.
const (
	shortestCount = 2 * time.Second
	longestCount  = 10 * time.Second
)

// prove counts the rows of the load's table. It runs after the end event, so that no load is charged for it.
func (e *Experiment) prove(ctx context.Context, s step, w *load.Workload) error {
	if w == nil {
		return nil
	}
	proof := runfile.Proof{At: time.Now(), Load: s.load.Name, Repetition: s.repetition}
	within := min(max(e.loadLength(), shortestCount), longestCount)
	lookedAt, err := w.LookedAt(context.WithoutCancel(ctx), e.Control) // before the count adds to it
	if err != nil {
		return err
	}
	proof.Returned = lookedAt
	rows, err := e.countRows(ctx, w, within)
	proof.Took = time.Since(proof.At).Seconds()
	switch timeout, ok := errors.AsType[*pgconn.PgError](err); {
	case err == nil:
		proof.Rows = rows
	case ok && timeout.Code == "57014" && ctx.Err() == nil: // query_canceled
		proof.Missing = fmt.Sprintf("count(*) took longer than %s", printable.Duration(within))
	default:
		proof.Missing = err.Error()
	}
	return errors.Join(e.Record(proof), context.Cause(ctx))
}

// countRows counts in its own session, which reports its counters when it disconnects: later they would fall into the
// next load. The limit applies to the transaction alone, because a pooler may hand the session on.
func (e *Experiment) countRows(ctx context.Context, w *load.Workload, within time.Duration) (rows int64, err error) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), within+answerWithin)
	defer cancel()
	conn, err := e.Connect(own)
	if err != nil {
		return 0, err
	}
	defer conn.Close(own) //nolint:errcheck // it has done its work
	// Cancel the query on the server, which would otherwise go on and keep the table from being dropped.
	defer context.AfterFunc(ctx, func() { _ = conn.PgConn().CancelRequest(own) })()
	err = pgx.BeginFunc(own, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(own, fmt.Sprintf("set local statement_timeout = %d", within.Milliseconds())); err != nil {
			return err
		}
		rows, err = w.Rows(own, tx)
		return err
	})
	return rows, err
}
