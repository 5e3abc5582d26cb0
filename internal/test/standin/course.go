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

// Kind is something that a server does, and that a rule may count.
type Kind string

// The kinds, by the names that verdicts give them.
const (
	Rows    Kind = "rows"
	Entries Kind = "entries" // rows and their index entries
	Records Kind = "wal_records"
	Bytes   Kind = "wal_bytes"
)

// Kinds lists them.
func Kinds() []Kind { return []Kind{Rows, Entries, Records, Bytes} }

// sample is what the server had done at a moment.
type sample struct {
	at       time.Time
	position float64 // in the WAL, in bytes; known at once
	counts   map[Kind]float64
	quiet    bool // no client was there, so that the counts were final
}

// Course is what a server did, by the superuser's own counters.
type Course struct {
	Clients string // the application name of the sessions that put load on it: when they have left, all is counted

	mu      sync.Mutex
	samples []sample
	tables  map[uint32]table
}

type table struct{ rows, entries float64 }

// Every is how often the server is looked at.
const every = 100 * time.Millisecond

// look asks for everything at once. What sessions did shows up to a second after, and when they leave; the position in the
// log shows at once.
const look = `select (select count(*) from pg_stat_activity where application_name = $1), clock_timestamp(), pg_current_wal_insert_lsn() - '0/0'::pg_lsn, (pg_stat_get_wal()).wal_records,
	array(select c.oid::int8 from pg_class c where c.relkind = 'r' and c.relnamespace = to_regnamespace('realiops') order by c.oid),
	array(select pg_stat_get_tuples_inserted(c.oid) from pg_class c where c.relkind = 'r' and c.relnamespace = to_regnamespace('realiops') order by c.oid),
	array(select (select count(*) from pg_index i where i.indrelid = c.oid) from pg_class c where c.relkind = 'r' and c.relnamespace = to_regnamespace('realiops') order by c.oid)`

// Watch looks at the server until ctx ends, over a superuser's session.
func (c *Course) Watch(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "set stats_fetch_consistency = none; set synchronous_commit = off", pgx.QueryExecModeSimpleProtocol); err != nil {
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
	var position, records float64
	var oids, rows, indexes []int64
	if err := conn.QueryRow(ctx, look, c.Clients).Scan(&clients, &at, &position, &records, &oids, &rows, &indexes); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables == nil {
		c.tables = map[uint32]table{}
	}
	for i, oid := range oids {
		if i < len(rows) && i < len(indexes) { // three looks at a catalog that may change in between
			c.tables[uint32(oid)] = table{float64(rows[i]), float64(rows[i] * (1 + indexes[i]))}
		}
	}
	s := sample{at: at, position: position, counts: map[Kind]float64{Records: records, Bytes: position}}
	for _, t := range c.tables {
		s.counts[Rows] += t.rows
		s.counts[Entries] += t.entries
	}
	s.quiet = clients == 0
	c.samples = append(c.samples, s)
	return nil
}

// ErrBusy is a course whose loads cannot be told apart.
var ErrBusy = errors.New("the machine is too busy for a stand-in: two loads followed each other without a pause in which to count")

// many rows are a load, and not a trial of an arm.
const many = 1000

// Check tells whether every load was followed by a pause: what lies between two pauses is spread by its log, which tells
// the truth only of one load at a time.
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

// Known tells whether what was done until a moment is known by now: a pause has come since.
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

// Between is how much was done between two moments, of each kind. Within a load it goes by the WAL, and so knows no
// delay.
func (c *Course) Between(from, to time.Time) map[Kind]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	begin, end := c.at(from), c.at(to)
	done := map[Kind]float64{}
	for _, kind := range Kinds() {
		done[kind] = max(0, end[kind]-begin[kind])
	}
	return done
}

// at is what had been done at a moment; the caller holds the lock.
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
	part := float64(moment.Sub(before.at)) / float64(after.at.Sub(before.at))
	return c.byLog(i-1, before.position+part*(after.position-before.position))
}

// byLog is what had been done when the WAL had come to a position, by the pauses around the sample.
func (c *Course) byLog(i int, position float64) map[Kind]float64 {
	begin, end := i, i+1
	for begin > 0 && !c.samples[begin].quiet {
		begin--
	}
	for end < len(c.samples)-1 && !c.samples[end].quiet {
		end++
	}
	a, b := c.samples[begin], c.samples[end]
	part := 0.0
	if b.position > a.position {
		part = (position - a.position) / (b.position - a.position)
	}
	counts := map[Kind]float64{}
	for _, kind := range Kinds() {
		counts[kind] = a.counts[kind] + part*(b.counts[kind]-a.counts[kind])
	}
	return counts
}
