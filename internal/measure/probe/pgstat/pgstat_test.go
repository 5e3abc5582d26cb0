package pgstat

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/test/probetest"
)

var (
	_ probe.Sampler = (*Sampler)(nil)
	_ probe.Lagging = (*Sampler)(nil)
)

const madeTable = "create schema load; create table load.t (id int primary key, v int) with (fillfactor = 50)"

func TestSampler(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		s.work(t, madeTable)
		sampler := s.sampler(t)
		rises := []string{"pgstat.database/tup_inserted", "pgstat.database/xact_commit", "pgstat.tables/n_tup_ins",
			"pgstat.lsn/insert", "pgstat.lsn/write", "pgstat.lsn/flush"}
		if s.number >= 140000 {
			rises = append(rises, "pgstat.wal/wal_records", "pgstat.wal/wal_bytes")
		}
		if s.number >= 160000 {
			rises = append(rises, "pgstat.io/extends", "pgstat.io/extend_bytes")
		}
		if s.number >= 180000 {
			rises = append(rises, "pgstat.io/wal_writes", "pgstat.io/wal_fsyncs")
		}
		probetest.Suite{
			Sampler: sampler,
			Rises:   rises,
			Work: func(t *testing.T) {
				s.work(t, "insert into load.t select g, 0 from generate_series(1, 5000) g")
				settled(t, sampler)
			},
		}.Run(t)
	})
}

// The statements and count(*) give the true numbers. The counters must equal them as soon as they stand still.
func TestRowsAreCountedExactly(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		s.work(t, madeTable)
		sampler := s.sampler(t)
		before := settled(t, sampler)
		for round := 1.0; round <= 4; round++ {
			s.work(t, fmt.Sprintf("insert into load.t select 1000 * %v + g, 0 from generate_series(1, 1000) g", round),
				"update load.t set v = v + 1 where id <= 1050", "delete from load.t where id % 1000 = 7",
			)
			after := settled(t, sampler)
			want := map[string]float64{
				"database/tup_inserted": 1000 * round, "tables/n_tup_ins": 1000 * round,
				"database/tup_updated": 49*round + 1, "tables/n_tup_upd": 49*round + 1, // 1007 is deleted in the first
				"database/tup_deleted": round, "tables/n_tup_del": round,
			}
			if diff := cmp.Diff(want, growth(before, after, slices.Collect(maps.Keys(want)))); diff != "" {
				t.Errorf("after round %v (-want +got):\n%s", round, diff)
			}
			var there float64
			row(t, s.boss, "select count(*) from load.t", &there)
			if there != 999*round || after["pgstat.tables/tables"] != 1 {
				t.Errorf("%v rows are in %v tables after round %v", there, after["pgstat.tables/tables"], round)
			}
		}
	})
}

func growth(before, after map[string]float64, names []string) map[string]float64 {
	grown := map[string]float64{}
	for _, name := range names {
		grown[name] = after[Name+"."+name] - before[Name+"."+name]
	}
	return grown
}

// The positions are read by other means just before and after.
func TestPositionsInTheLog(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		sampler := s.sampler(t)
		const ask = `select (pg_current_wal_insert_lsn() - '0/0')::float8, (pg_current_wal_lsn() - '0/0')::float8,
			(pg_current_wal_flush_lsn() - '0/0')::float8`
		exec(t, s.boss, "create table t as select generate_series(1, 10000)")
		var low, high [3]float64
		row(t, s.boss, ask, &low[0], &low[1], &low[2])
		got := read(t, sampler)
		row(t, s.boss, ask, &high[0], &high[1], &high[2])
		for i, name := range []string{"insert", "write", "flush"} {
			if v := got[Name+".lsn/"+name]; v < low[i] || v > high[i] || v == 0 {
				t.Errorf("%s is %v, and must lie between %v and %v", name, v, low[i], high[i])
			}
		}
	})
}

// Only this table grows, so the bytes extended are the size of its files.
func TestGrowthIsTheSizeOfTheFiles(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		if s.number < 160000 {
			return // there is no pg_stat_io, see TestWhatAVersionLacksIsAGap
		}
		s.work(t, "create schema load; create table load.t (v int)")
		sampler := s.sampler(t)
		before := settled(t, sampler)
		s.work(t, "insert into load.t select generate_series(1, 100000)", "vacuum (analyze false) load.t")
		after := settled(t, sampler)
		var size float64
		row(t, s.boss, "select pg_table_size('load.t')", &size)
		if got := after["pgstat.io/extend_bytes"] - before["pgstat.io/extend_bytes"]; got != size {
			t.Errorf("extended by %v bytes, and the table's files have %v", got, size)
		}
	})
}

func TestWaitForCountersGivesUpOnCountersThatOthersMove(t *testing.T) {
	s := serverOf(t, "17")
	s.work(t, madeTable)
	sampler := s.sampler(t)
	ctx, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	for range 4 { // so that a pause of one does not look like quiet
		hasty := login(t, s.config)
		others.Go(func() {
			for ctx.Err() == nil {
				insertAndCount(ctx, hasty)
			}
		})
	}
	began := time.Now()
	err := sampler.WaitForCounters(t.Context())
	took := time.Since(began)
	stop()
	others.Wait()
	if err != nil || took < quietWithin || took > 10*quietWithin {
		t.Errorf("after %v: %v", took, err)
	}
}

// insertAndCount inserts rows and reports them immediately. It ignores errors after the test.
func insertAndCount(ctx context.Context, conn *pgx.Conn) {
	_, _ = conn.Exec(ctx, `set synchronous_commit = off; select pg_stat_force_next_flush();
		insert into load.t select count(*) from load.t on conflict do nothing`, pgx.QueryExecModeSimpleProtocol)
}
