package anatomy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// mark identifies our statements in the server's log and statistics.
const mark = "/* realiops */ "

// limits apply to the transaction that [postgres.SafeTransaction] opened: a reading must fail soon, and a
// pooler must not pass our limits on.
const limits = mark +
	"select pg_catalog.set_config('statement_timeout', '1s', true), pg_catalog.set_config('lock_timeout', '100ms', " +
	"true)"

// positions selects the ends of the WAL: inserted before, inserted, and flushed.
const positions = mark + `select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')::bigint,
	pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_flush_lsn(), '0/0')::bigint`

const (
	// readWithin bounds a look back, during which the server does nothing else for us.
	readWithin = time.Second
	// flushedWithin bounds the wait for the last records' flush: three rounds of the WAL writer.
	flushedWithin = 600 * time.Millisecond
	askEvery      = 20 * time.Millisecond
)

// session is a connection to a server that lets us read its WAL.
type session struct {
	conn   *pgx.Conn
	files  *Files // nil if the server reads its WAL itself
	reader string // the statement that counts a window; empty with files
	ender  string // the statement that finds the end of its last record
	finder string // the statement that finds the first record after a position

	page, segment uint64            // sizes of the WAL's pages and files
	zeros         map[uint64]uint64 // by segment: zeros begin here, or earlier

	blocks   string // the statement that sums up a window by file
	noBlocks error  // why there is none

	inserted, flushed uint64 // the ends of the inserted and the flushed WAL, at the last query
}

// connect opens a session in which the WAL can be read, or from the files.
func connect(ctx context.Context, config *pgx.ConnConfig, schema string, files *Files) (*session, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, files: files, zeros: map[uint64]uint64{}}
	if err := s.learn(ctx, schema); err != nil {
		_ = conn.Close(ctx) // the earlier error is the one to report
		return nil, err
	}
	return s, nil
}

func (s *session) learn(ctx context.Context, schema string) error {
	var backend int
	err := postgres.QueryRow(ctx, s.conn,
		mark+"select pg_catalog.current_setting('wal_block_size')::bigint, pg_catalog.pg_size_bytes("+
			"pg_catalog.current_setting('wal_segment_size')), pg_catalog.pg_backend_pid()").Scan(&s.page, &s.segment, &backend)
	if err != nil {
		return fmt.Errorf("read the sizes of the WAL's pages and files: %w", err)
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
	s.reader, s.ender, s.finder = reader(home), ender(home), finder(home)
	if s.blocks, s.noBlocks = blockReader(ctx, s.conn, home); s.noBlocks != nil && !lasts(s.noBlocks) {
		return s.noBlocks
	}
	if pooled {
		return nil
	}
	return postgres.Prepare(ctx, s.conn, s.reader)
}

// reader returns the statement that counts the records between two beginnings of records. An end not known to be one
// ($3, $4) moves on to the next, so that long records have the same chance to be counted.
func reader(home pgx.Identifier) string {
	function := func(name string) string { return append(home, name).Sanitize() }
	end := func(position, known string) string {
		return fmt.Sprintf("case when %s::boolean then %s::pg_catalog.pg_lsn else (select start_lsn from "+
			"%s(%s::pg_catalog.pg_lsn)) end", known, position, function(recordInfo), position)
	}
	return mark + fmt.Sprintf(
		`select pg_catalog.pg_wal_lsn_diff(w.first, '0/0')::bigint, pg_catalog.pg_wal_lsn_diff(w.last, '0/0')::bigint,
		coalesce(s."resource_manager/record_type", ''), coalesce(s.count, 0)::pg_catalog.float8,
		coalesce(s.combined_size, 0)::pg_catalog.float8, coalesce(s.fpi_size, 0)::pg_catalog.float8
		from (select %s as first, %s as last offset 0) w
		left join lateral (select * from %s(w.first, w.last, true) where count > 0) s on w.first < w.last`,
		end("$1", "$3"), end("$2", "$4"), function(walStats))
}

// ender returns the statement that finds the end of the last complete record between two positions.
func ender(home pgx.Identifier) string {
	return mark + fmt.Sprintf(`select pg_catalog.pg_wal_lsn_diff(pg_catalog.max(end_lsn), '0/0')::bigint
		from %s($1::pg_catalog.pg_lsn, $2::pg_catalog.pg_lsn)`, append(home, recordsInfo).Sanitize())
}

// finder returns the statement that finds the beginning of the first record after a position.
func finder(home pgx.Identifier) string {
	return mark + fmt.Sprintf(`select pg_catalog.pg_wal_lsn_diff(start_lsn, '0/0')::bigint
		from %s($1::pg_catalog.pg_lsn)`, append(home, recordInfo).Sanitize())
}

// end returns the last known beginning of a record before which everything is flushed, and so readable. If none is
// known, it returns the end of the flushed WAL, which may lie inside a record.
func (s *session) end(ctx context.Context) (end uint64, known bool, err error) {
	before := s.inserted
	if err := postgres.QueryRow(ctx, s.conn, positions).Scan(&s.inserted, &s.flushed); err != nil {
		return 0, false, err
	}
	s.inserted = beforeHeader(s.inserted, s.page, s.segment)
	if end, known = boundary(before, s.inserted, s.flushed, s.page); !known {
		end = s.flushed
	}
	return end, known, nil
}

// beforeHeader returns the end of the inserted WAL as the flushed WAL ends there. If the last record filled a page, or
// the server switched to the next segment, PostgreSQL says that WAL is inserted after the header of the next page, which
// is not written yet.
func beforeHeader(inserted, page, segment uint64) uint64 {
	const ofPage, ofSegment = 24, 40 // SizeOfXLogShortPHD and SizeOfXLogLongPHD
	switch {
	case inserted%segment == ofSegment:
		return inserted - ofSegment
	case inserted%page == ofPage:
		return inserted - ofPage
	default:
		return inserted
	}
}

// boundary returns the last position that is flushed and begins a record. Inserted WAL ends where the next record
// begins; flushed WAL ends with a record or a page, which may lie inside a record.
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

// flushedEnd waits until all inserted WAL is flushed. WAL that no transaction waits for may stay unflushed for long;
// then it finds the end of the last complete record, searching from after.
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

// lastEnd returns the end of the last completely flushed record. known is false if the server cannot or may not read
// its WAL, or if that record is a long one.
func (s *session) lastEnd(ctx context.Context, after uint64) (end uint64, known bool, err error) {
	flushed := s.flushed
	if s.files != nil || after >= flushed {
		return flushed, false, nil
	}
	from := max(after, flushed-min(flushed, margin))
	if from > after {
		if from, err = s.recordAt(ctx, from); err != nil {
			return 0, false, err
		}
	}
	found, err := s.askPosition(ctx, s.ender, position(from), position(flushed))
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
	err = s.outsideOfZeros(ctx, p, func(p place) error {
		if w = (window{span: p.span}); p.size() == 0 {
			return nil
		}
		return s.ask(ctx, s.reader, p.arguments(), func(rows pgx.Rows) (err error) {
			w, err = windowOf(rows)
			return err
		})
	})
	return w, err
}

// outsideOfZeros reads a place. If that fails since an end lies in the zeros after a switch, where no record is found,
// it moves the end to the next segment, and reads again.
func (s *session) outsideOfZeros(ctx context.Context, p place, read func(place) error) error {
	err := read(s.skipZeros(p))
	if refused, is := isRefusal(err); !is || refused.Code != internalError {
		return err
	}
	for _, end := range []struct {
		at    uint64
		known bool
	}{{p.first, p.firstKnown}, {p.last, p.lastKnown}} {
		if !end.known {
			if _, err := s.recordAt(ctx, end.at); err != nil {
				return err
			}
		}
	}
	if moved := s.skipZeros(p); moved != p {
		return read(moved)
	}
	return err
}

// skipZeros moves a place's ends out of known zeros. A record begins where the next segment does.
func (s *session) skipZeros(p place) place {
	move := func(at *uint64, known *bool) {
		if from, found := s.zeros[*at/s.segment]; found && *at >= from && !*known {
			*at, *known = (*at/s.segment+1)*s.segment, true
		}
	}
	move(&p.first, &p.firstKnown)
	move(&p.last, &p.lastKnown)
	p.first = min(p.first, p.last)
	return p
}

// recordAt returns where the first record after at begins. It is the next segment if there is none in this one.
func (s *session) recordAt(ctx context.Context, at uint64) (uint64, error) {
	next := (at/s.segment + 1) * s.segment
	found, err := s.askPosition(ctx, s.finder, position(at))
	if refused, is := isRefusal(err); is && refused.Code == internalError && next <= s.flushed {
		if from, known := s.zeros[at/s.segment]; !known || at < from {
			s.zeros[at/s.segment] = at
		}
		return next, nil
	}
	if err != nil || found == nil {
		return at, err
	}
	return *found, nil
}

// askPosition runs a query for one position; nil: there is none.
func (s *session) askPosition(ctx context.Context, sql string, arguments ...any) (found *uint64, err error) {
	err = s.ask(ctx, sql, arguments, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&found}, func() error { return nil })
		return err
	})
	return found, err
}

// ask runs one query in its own transaction.
func (s *session) ask(ctx context.Context, sql string, arguments []any, read func(pgx.Rows) error) (err error) {
	batch := &pgx.Batch{}
	batch.Queue(postgres.SafeTransaction)
	batch.Queue(limits)
	batch.Queue(report)
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

// report makes the transaction report what our session wrote, such as a few records when it prunes catalog pages, instead
// of seconds later.
const report = mark + "select pg_catalog.pg_stat_force_next_flush()"

// countAll reads windows in turn until time is up.
func (s *session) countAll(ctx context.Context, places []place, add func(window)) error {
	if s.files != nil {
		return s.files.countAll(ctx, places, add)
	}
	for began := time.Now(); len(places) > 0 && time.Since(began) < readWithin; places = places[1:] {
		w, err := s.count(ctx, places[0])
		if err != nil {
			return err
		}
		add(w)
	}
	return nil
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
