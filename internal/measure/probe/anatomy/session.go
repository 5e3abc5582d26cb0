package anatomy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// mark tells the server's people, in its log and its statistics, whose statement it is.
const mark = "/* realiops */ "

// limits hold for the transaction, which [postgres.SafeTransaction] has opened: a reading must fail soon, and a pooler
// must not hand our limits on.
const limits = mark +
	"select pg_catalog.set_config('statement_timeout', '1s', true), pg_catalog.set_config('lock_timeout', '100ms', " +
	"true)"

// positions are the ends of the WAL, in this order: what was put into it before the question what of it is flushed.
const positions = mark + `select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')::bigint,
	pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_flush_lsn(), '0/0')::bigint`

const (
	// readWithin bounds a look back, in which the server does nothing else for us.
	readWithin = time.Second
	// flushedWithin is the longest wait for the WAL's last records to be flushed: three rounds of the WAL writer.
	flushedWithin = 600 * time.Millisecond
	askEvery      = 20 * time.Millisecond
)

// session is a connection to a server that lets us read its WAL.
type session struct {
	conn   *pgx.Conn
	page   uint64 // bytes in a page of the WAL
	reader string // the statement that counts a window; empty with files
	ender  string // and the one that finds the end of its last record
	files  *Files // nil where the server reads its WAL itself

	blocks   string // the statement that tells a window by files
	noBlocks error  // why there is none

	inserted, flushed uint64 // the ends of what was put into the WAL and of what of it is flushed, as last asked
}

// connect opens a session and sees to it that the WAL can be read in it, or else from the files.
func connect(ctx context.Context, config *pgx.ConnConfig, schema string, files *Files) (*session, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, files: files}
	if err := s.learn(ctx, schema); err != nil {
		_ = conn.Close(ctx) // the error before says it all
		return nil, err
	}
	return s, nil
}

func (s *session) learn(ctx context.Context, schema string) error {
	var backend int
	err := postgres.QueryRow(ctx, s.conn,
		mark+"select pg_catalog.current_setting('wal_block_size')::bigint, pg_catalog.pg_backend_pid()").Scan(&s.page,
		&backend)
	if err != nil {
		return fmt.Errorf("ask for the size of a page of the WAL: %w", err)
	}
	pooled := postgres.BehindPooler(s.conn, backend)
	if !pooled {
		if err := postgres.Prepare(ctx, s.conn, postgres.SafeTransaction, limits, positions); err != nil {
			return err
		}
	}
	if s.files != nil {
		return s.files.prepare(ctx, s)
	}
	home, err := findExtension(ctx, s.conn, schema)
	if err != nil {
		return err
	}
	s.reader, s.ender = reader(home), ender(home)
	if s.blocks, s.noBlocks = blockReader(ctx, s.conn, home); s.noBlocks != nil && !lasts(s.noBlocks) {
		return s.noBlocks
	}
	if pooled {
		return nil
	}
	return postgres.Prepare(ctx, s.conn, s.reader)
}

// reader counts the records from the first beginning of one to the second. Ends that are not known to be one ($3, $4)
// are moved on to the next, so that a record longer than others has no smaller chance to be counted.
func reader(home pgx.Identifier) string {
	function := func(name string) string { return append(home, name).Sanitize() }
	end := func(position, known string) string {
		return fmt.Sprintf("case when %s::boolean then %s::pg_catalog.pg_lsn else (select start_lsn from "+
			"%s(%s::pg_catalog.pg_lsn)) end", known, position, function(recordInfo), position)
	}
	return mark +
		fmt.Sprintf(
			`select pg_catalog.pg_wal_lsn_diff(w.first, '0/0')::bigint, pg_catalog.pg_wal_lsn_diff(w.last, '0/0')::bigint,
		coalesce(s."resource_manager/record_type", ''), coalesce(s.count, 0)::pg_catalog.float8,
		coalesce(s.combined_size, 0)::pg_catalog.float8, coalesce(s.fpi_size, 0)::pg_catalog.float8
		from (select %s as first, %s as last offset 0) w
		left join lateral (select * from %s(w.first, w.last, true) where count > 0) s on w.first < w.last`,
			end("$1", "$3"), end("$2", "$4"), function(walStats))
}

// ender finds the end of the last record that lies between two positions whole.
func ender(home pgx.Identifier) string {
	return mark + fmt.Sprintf(`select pg_catalog.pg_wal_lsn_diff(pg_catalog.max(end_lsn), '0/0')::bigint
		from %s($1::pg_catalog.pg_lsn, $2::pg_catalog.pg_lsn)`, append(home, recordsInfo).Sanitize())
}

// end returns the last known beginning of a record up to which everything is flushed, and so can be read. Where none is
// known it is the end of what is flushed, which may lie inside of a record.
func (s *session) end(ctx context.Context) (end uint64, known bool, err error) {
	before := s.inserted
	if err := postgres.QueryRow(ctx, s.conn, positions).Scan(&s.inserted, &s.flushed); err != nil {
		return 0, false, err
	}
	if end, known = boundary(before, s.inserted, s.flushed, s.page); !known {
		end = s.flushed
	}
	return end, known, nil
}

// boundary returns the last of the positions that is a beginning of a record and flushed. What was put into the WAL
// ends where the next record will begin. Flushes end with a record or with a page, which may lie inside of one.
func boundary(insertedBefore, inserted, flushed, page uint64) (uint64, bool) {
	switch {
	case inserted <= flushed:
		return inserted, true
	case flushed%page != 0:
		return flushed, true
	default:
		return insertedBefore, insertedBefore != 0 && insertedBefore <= flushed
	}
}

// flushedEnd waits until all that was put into the WAL is flushed. What no transaction waits for may stay behind for
// long: then the end is that of the last record before it, which is looked for after a beginning of one.
func (s *session) flushedEnd(ctx context.Context, after uint64) (end uint64, known bool, err error) {
	for began := time.Now(); ; {
		end, known, err = s.end(ctx)
		switch overdue := time.Since(began) > flushedWithin; {
		case err != nil, known && end == s.inserted, known && overdue && end == s.flushed:
			return end, known, err
		case overdue:
			return s.lastEnd(ctx, after)
		}
		select {
		case <-ctx.Done():
			return 0, false, context.Cause(ctx)
		case <-time.After(askEvery):
		}
	}
}

// lastEnd returns the end of the last record that is flushed whole, where the end of what is flushed may lie inside of
// one. It is not known where the server does not read its WAL itself or refuses to, or where that record is a long one.
func (s *session) lastEnd(ctx context.Context, after uint64) (end uint64, known bool, err error) {
	flushed := s.flushed
	if s.files != nil || after >= flushed {
		return flushed, false, nil
	}
	from := max(after, flushed-min(flushed, margin))
	var found *uint64
	err = s.ask(ctx, s.ender, []any{position(from), position(flushed)}, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&found}, func() error { return nil })
		return err
	})
	refused, isRefused := isRefusal(err)
	switch nothing := err == nil && found == nil || isRefused && refused.Code == internalError; {
	case nothing && from == after:
		return after, true, nil
	case nothing, isRefused:
		return flushed, false, nil
	case err != nil:
		return 0, false, err
	default:
		return *found, true, nil
	}
}

func (s *session) count(ctx context.Context, p place) (w window, err error) {
	err = s.ask(ctx, s.reader, p.arguments(), func(rows pgx.Rows) (err error) {
		w, err = windowOf(rows)
		return err
	})
	return w, err
}

// ask asks one thing in a transaction of its own.
func (s *session) ask(ctx context.Context, sql string, arguments []any, read func(pgx.Rows) error) (err error) {
	batch := &pgx.Batch{}
	batch.Queue(postgres.SafeTransaction)
	batch.Queue(limits)
	batch.Queue(sql, arguments...)
	results := s.conn.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	for range batch.Len() - 1 {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	return read(rows)
}

// report has the few records that our own session writes, when it clears pages of the system's tables, counted with the
// next transaction and not seconds later.
const report = mark + "select pg_catalog.pg_stat_force_next_flush()"

// countAll reads one window after the other, all in one transaction, until the time for that is over.
func (s *session) countAll(ctx context.Context, places []place, add func(window)) error {
	if s.files != nil {
		return s.files.countAll(ctx, places, add)
	}
	return pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error {
		for _, sql := range []string{postgres.SafeTransaction, limits, report} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		for began := time.Now(); len(places) > 0 && time.Since(began) < readWithin; places = places[1:] {
			rows, err := tx.Query(ctx, s.reader, places[0].arguments()...)
			if err != nil {
				return err
			}
			w, err := windowOf(rows)
			if err != nil {
				return err
			}
			add(w)
		}
		return nil
	})
}

func windowOf(rows pgx.Rows) (w window, err error) {
	var k kind
	_, err = pgx.ForEachRow(rows, []any{&w.span.first, &w.span.last, &k.name, &k.records, &k.bytes, &k.images},
		func() error {
			w.kinds = append(w.kinds, k)
			return nil
		})
	return w, err
}
