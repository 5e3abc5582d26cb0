package pgstat

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// entriesOf holds the metrics of index entries.
type entriesOf struct{ Least, Most, Indexes, Inexact float64 }

func entriesNow(t *testing.T, sampler *Sampler) entriesOf {
	t.Helper()
	now := settled(t, sampler)
	return entriesOf{
		now["pgstat.tables/index_entries_least"], now["pgstat.tables/index_entries_most"],
		now["pgstat.tables/indexes"], now["pgstat.tables/indexes_inexact"],
	}
}

// inIndexes counts the entries in the leaves of the named indexes by pgstattuple or
// pageinspect, for B-trees and hash indexes.
func inIndexes(t *testing.T, s server, indexes string) (n float64) {
	t.Helper()
	row(t, s.boss, "select sum((pgstattuple(i)).tuple_count)::float8 from unnest('{"+indexes+"}'::regclass[]) i", &n)
	return n
}

// inGiST counts the entries of a small GiST index, which are all in its first page.
func inGiST(t *testing.T, s server, index string) (n float64) {
	t.Helper()
	if s.number < 140000 {
		return 80 // pageinspect cannot read it
	}
	row(t, s.boss, "select count(*)::float8 from gist_page_items_bytea(get_raw_page('"+index+"', 0))", &n)
	return n
}

// The computed entries must be in the indexes: nothing has been vacuumed, and the tables are too small for the
// server to merge or drop entries.
func TestEntriesAreInTheIndexes(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		servertest.Exec(t, s.boss, `create extension pgstattuple; create extension pageinspect; create schema load;
			create table load.t (id int primary key, v int, w text, place point) with (fillfactor = 50);
			create index by_expression on load.t (lower(w)); create index by_place on load.t using gist (place);
			create index by_hash on load.t using hash (id);
			create table load.bare (v int); create table load.long (v text); create table public.others (v int primary key)`)
		sampler := s.sampler(t)
		check := func(what string, want entriesOf) {
			t.Helper()
			if diff := cmp.Diff(want, entriesNow(t, sampler)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		s.work(t, "insert into load.t select g, g, 'a' || g, null from generate_series(1, 60) g",
			"insert into load.bare select generate_series(1, 100)",
			"insert into public.others select generate_series(1, 100)",
			"update load.t set v = v + 100 where id <= 10", // HOT: v is in no index
			"update load.t set w = 'b' || id where id <= 20", "delete from load.t where id > 50")
		exact := float64((60 + 20) * 4)
		check("exact", entriesOf{exact, exact, 4, 0})
		if there := inIndexes(t, s, "load.t_pkey,load.by_expression,load.by_hash") +
			inGiST(t, s, "load.by_place"); there != exact {
			t.Errorf("%v entries lie in the indexes, and %v are reckoned", there, exact)
		}

		// 3 of 7 rows are in the partial index, 2 of 7 in the index of a value that is otherwise NULL.
		servertest.Exec(t, s.boss, `create table load.p (id int primary key, v int);
			create index partial on load.p (id) where v > 4; create index nulls on load.p using hash (v)`)
		s.work(t, "insert into load.p select g, g from generate_series(6, 7) g", "insert into load.p values (8, 8)",
			"insert into load.p select g from generate_series(1, 4) g")
		check("bounds", entriesOf{exact + 7, exact + 3*7, 7, 2})
		there := inIndexes(t, s, "load.p_pkey,load.partial,load.nulls")
		if there != 7+3+3 {
			t.Errorf("%v entries lie in the second table's indexes", there)
		}

		// A summary of many rows takes none or one, from 16 on for HOT updates, too.
		servertest.Exec(t, s.boss,
			"create table load.s (v int, w int) with (fillfactor = 50); create index on load.s using brin (v)")
		s.work(t, "insert into load.s select g, g from generate_series(1, 10) g", "update load.s set w = 0 where w "+
			"<= 4")
		most := 10.0
		if s.number >= 160000 {
			most += 4
		}
		check("a summary", entriesOf{exact + 7, exact + 21 + most, 8, 3})

		toasted := settled(t, sampler)["pgstat.tables/toast_tup_ins"]
		s.work(t, "alter table load.long alter v set storage external",
			"insert into load.long values (repeat('x', 10000))")
		var table string
		var chunks float64
		row(t, s.boss, "select reltoastrelid::regclass::text from pg_class where oid = 'load.long'::regclass", &table)
		row(t, s.boss, "select count(*)::float8 from "+table, &chunks)
		if got := settled(t, sampler)["pgstat.tables/toast_tup_ins"] - toasted; got != chunks || chunks < 5 {
			t.Errorf("%v pieces of a long value, and %v are there", got, chunks)
		}
	})
}

func TestEntriesOfAnIndexOfManyKeysAreUnbounded(t *testing.T) {
	s := serverOf(t, "17")
	servertest.Exec(t, s.boss,
		"create schema load; create table load.t (id int primary key, tags int[]); create index on load.t "+
			"using gin (tags)")
	sampler := s.sampler(t)
	if got := entriesNow(t, sampler); got != (entriesOf{0, 0, 2, 1}) {
		t.Errorf("of no rows: %+v", got)
	}
	s.work(t, "insert into load.t select g, array[g, 1, 2] from generate_series(1, 10) g")
	if got := entriesNow(t, sampler); got != (entriesOf{20, 0, 2, 1}) {
		t.Errorf("%+v", got)
	}
	want := runfile.Gap{Metric: "pgstat.tables/index_entries_most", Reason: runfile.Unsupported,
		Detail: boundless.detail}
	if diff := cmp.Diff(want, gapsOf(t, sampler)[want.Metric]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An index that is being created concurrently takes no entries until it is ready.
func TestEntriesOfAnIndexThatIsNotReadyAreNone(t *testing.T) {
	s := serverOf(t, "17")
	servertest.Exec(t, s.boss, "create schema load; create table load.t (id int primary key, v int)")
	servertest.Exec(t, s.boss, `set allow_system_table_mods = on; create index waiting on load.t (v);
		update pg_catalog.pg_index set indisready = false, indisvalid = false where indexrelid = 'load.waiting'::regclass`)
	sampler := s.sampler(t)
	s.work(t, "insert into load.t select g, g from generate_series(1, 5) g")
	if got := entriesNow(t, sampler); got != (entriesOf{5, 5, 1, 0}) {
		t.Errorf("%+v", got)
	}
}
