package standin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Kind is a kind of a server's work that a rule may count.
type Kind string

// The kinds, by their names in verdicts.
const (
	Rows    Kind = "rows"
	Entries Kind = "entries" // rows and their index entries
	Records Kind = "wal_records"
	Bytes   Kind = "wal_bytes"

	Missed   Kind = "pages_missed"
	Touched  Kind = "buffers_touched"
	Returned Kind = "rows_returned"
	Lookups  Kind = "lookups"

	Writes Kind = "wal_writes"
	Syncs  Kind = "wal_syncs"
)

// OfWrites returns the kinds that writing loads cause, and OfReads those of reading loads.
func OfWrites() []Kind { return []Kind{Rows, Entries, Records, Bytes} }

func OfReads() []Kind { return []Kind{Missed, Touched, Returned, Lookups} }

// Blind returns the kinds that Aurora's users cannot see.
func Blind() []Kind { return []Kind{Writes, Syncs} }

// sample is the server's total work at a time.
type sample struct {
	at       time.Time
	position float64 // in the WAL, in bytes; known immediately
	looked   float64 // buffers, by all finished statements; known immediately
	counts   map[Kind]float64
	quiet    bool // without clients, so that the counts were final
}

// Course records a server's work, from the superuser's counters.
type Course struct {
	Clients string // application name of the load's sessions: when they have left, all is counted

	mu      sync.Mutex
	samples []sample
	tables  map[uint32]table
}

// table is the state of one of the loads' tables, with the reads of its indexes.
type table struct{ rows, entries, read, lookups float64 }

// every is the interval of looks at the server.
const every = 100 * time.Millisecond

// look reads everything at once. Sessions report up to a second late, and when they leave. The WAL position shows
// immediately, and pg_stat_statements has a statement's buffers as soon as it ends.
const look = `with t as materialized (
		select c.oid::int8 as oid, pg_stat_get_tuples_inserted(c.oid) as rows, i.n as indexes, i.entries, i.lookups
		from pg_class c, lateral (
			select count(*) as n, coalesce(sum(pg_stat_get_tuples_returned(indexrelid)), 0)::int8 as entries, coalesce(sum(pg_stat_get_numscans(indexrelid)), 0)::int8 as lookups
			from pg_index where indrelid = c.oid) i
		where c.relkind = 'r' and c.relnamespace = to_regnamespace('realiops'))
	select (select count(*) from pg_stat_activity where application_name = $1), clock_timestamp(), pg_current_wal_insert_lsn() - '0/0'::pg_lsn,
	(select sum(shared_blks_hit + shared_blks_read)::float8 from pg_stat_statements(false)), w.wal_records, w.wal_write, w.wal_sync,
	pg_stat_get_db_blocks_fetched(d.oid), pg_stat_get_db_blocks_fetched(d.oid) - pg_stat_get_db_blocks_hit(d.oid),
	(pg_stat_get_db_tuples_returned(d.oid) + pg_stat_get_db_tuples_fetched(d.oid))::float8,
	array(select oid from t order by oid), array(select rows from t order by oid), array(select indexes from t order by oid),
	array(select entries from t order by oid), array(select lookups from t order by oid)
	from pg_database d, pg_stat_get_wal() w where d.datname = current_database()`

// Watch reads the server over a superuser's session until ctx ends.
func (c *Course) Watch(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "set stats_fetch_consistency = none; set synchronous_commit = off",
		pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("prepare to watch the server: %w", err)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := c.sample(ctx, conn); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("watch the server: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (c *Course) sample(ctx context.Context, conn *pgx.Conn) error {
	var clients int
	var at time.Time
	var position, looked, records, writes, syncs, touched, missed, returned float64
	var oids, rows, indexes, read, lookups []int64
	if err := conn.QueryRow(ctx, look, c.Clients).Scan(
		&clients, &at, &position, &looked, &records, &writes, &syncs, &touched, &missed, &returned, &oids, &rows,
		&indexes, &read, &lookups,
	); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables == nil {
		c.tables = map[uint32]table{}
	}
	for i, oid := range oids {
		c.tables[uint32(oid)] = table{float64(rows[i]), float64(rows[i] * (1 + indexes[i])), float64(read[i]),
			float64(lookups[i])}
	}
	s := sample{at: at, position: position, looked: looked, counts: map[Kind]float64{
		Records: records, Bytes: position, Writes: writes, Syncs: syncs, Touched: touched, Missed: missed,
		Returned: returned,
	}}
	for _, t := range c.tables {
		s.counts[Rows] += t.rows
		s.counts[Entries] += t.entries
		s.counts[Returned] -= t.read // entries of indexes are not rows
		s.counts[Lookups] += t.lookups
	}
	s.quiet = clients == 0
	c.samples = append(c.samples, s)
	return nil
}

// ErrBusy says that the loads of a course cannot be told apart.
var ErrBusy = errors.New("the machine is too busy for a stand-in: two loads followed each other without a pause " +
	"in which to count")

// many rows are a load, not the rehearsal of one.
const many = 1000

// Check returns an error unless a pause followed every load: work between two pauses is divided by its WAL,
// which is right only for one load.
func (c *Course) Check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	loads, tables := 0, 0
	var last *sample
	for i, s := range c.samples {
		if !s.quiet {
			continue
		}
		if last != nil && s.counts[Rows]-last.counts[Rows] > many {
			loads++
		}
		last = &c.samples[i]
	}
	for _, t := range c.tables {
		if t.rows > many {
			tables++
		}
	}
	if loads < tables {
		return fmt.Errorf("%w (%d tables, %d pauses)", ErrBusy, tables, loads)
	}
	return nil
}

// Known reports whether the work up to a moment is known: a pause has come since.
func (c *Course) Known(moment time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range slices.Backward(c.samples) {
		if s.at.Before(moment) {
			return false
		}
		if s.quiet {
			return true
		}
	}
	return false
}

// Between returns the work of each kind between two moments. Within a load it is divided without delay: writes by the
// WAL, and reads by the statements' buffers.
func (c *Course) Between(from, to time.Time) map[Kind]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	begin, end := c.at(from), c.at(to)
	done := map[Kind]float64{}
	for kind, until := range end {
		done[kind] = max(0, until-begin[kind])
	}
	return done
}

// at returns the total work at a moment; the caller holds the lock.
func (c *Course) at(moment time.Time) map[Kind]float64 {
	i, _ := slices.BinarySearchFunc(c.samples, moment, func(s sample, t time.Time) int { return s.at.Compare(t) })
	switch {
	case len(c.samples) == 0:
		return nil
	case i == 0:
		return c.samples[0].counts
	case i == len(c.samples):
		return c.samples[i-1].counts
	}
	before, after := c.samples[i-1], c.samples[i]
	passed := float64(moment.Sub(before.at)) / float64(after.at.Sub(before.at))
	begin, end := i-1, i // the samples without clients before and after
	for begin > 0 && !c.samples[begin].quiet {
		begin--
	}
	for end < len(c.samples)-1 && !c.samples[end].quiet {
		end++
	}
	a, b := c.samples[begin], c.samples[end]
	counts := map[Kind]float64{}
	spread := func(kinds []Kind, part float64) {
		for _, kind := range kinds {
			counts[kind] = a.counts[kind] + part*(b.counts[kind]-a.counts[kind])
		}
	}
	between := func(from, to float64) float64 { return from + passed*(to-from) }
	spread(slices.Concat(OfWrites(), Blind()), share(a.position, between(before.position, after.position), b.position))
	spread(OfReads(), share(a.looked, between(before.looked, after.looked), b.looked))
	return counts
}

// share returns how far value lies between from and to.
func share(from, value, to float64) float64 {
	if to <= from {
		return 0
	}
	return min(1, max(0, (value-from)/(to-from)))
}
