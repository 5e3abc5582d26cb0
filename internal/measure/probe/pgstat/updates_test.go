package pgstat

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inHundredPages creates a table of a thousand rows, ten in each half-empty page, with an index on value.
const inHundredPages = `create table load.updated (id int primary key, value int, filler text) with (fillfactor = 45, autovacuum_enabled = off);
	insert into load.updated select id, id, repeat('x', 300) from generate_series(1, 1000) id; create index on load.updated (value)`

// updatesAgree: updated rows are the statement's; HOT are those that change no indexed column; and the first change
// of a page after a checkpoint dirties it and writes its image, so both are as many as the table's pages.
func updatesAgree(t *testing.T, s server) {
	const rows = 1000
	exec(t, s.boss, inHundredPages)
	var heap, all float64
	row(t, s.boss, "select pg_relation_size('load.updated')::float8 / 8192", &heap)
	if heap < 90 || heap > 110 {
		t.Fatalf("the table has %v pages, and this is no test", heap)
	}
	sampler := s.sampler(t)
	after := func(sql string) func(name string) float64 {
		exec(t, s.boss, "vacuum load.updated")
		exec(t, s.boss, "checkpoint")
		before := settled(t, sampler)
		s.work(t, sql)
		now := settled(t, sampler)
		return func(name string) float64 { return now[Name+"."+name] - before[Name+"."+name] }
	}
	const few = 12 // catalog and map pages, and images of pages with new hint bits
	within := func(sql string, what string, got, least, most float64) {
		t.Helper()
		if got < least || got > most {
			t.Errorf("%s: %s is %v, want %v to %v", sql, what, got, least, most)
		}
	}
	images := func(sql string, grew func(string) float64, least, most float64) {
		t.Helper()
		within(sql, "pages dirtied by statements", grew("statements/shared_blks_dirtied"), least, most)
		within(sql, "page images of statements", grew("statements/wal_fpi"), least,
			grew("statements/shared_blks_dirtied")+few)
		if s.number >= 140000 {
			// other sessions' are included
			within(sql, "page images", grew("wal/wal_fpi"), grew("statements/wal_fpi"), math.Inf(1))
		}
	}
	counted := []string{"tables/n_tup_upd", "tables/n_tup_hot_upd", "tables/n_tup_del"}
	for _, c := range []struct {
		sql  string
		want []float64
	}{
		{"update load.updated set filler = 'y' || filler", []float64{rows, rows, 0}},
		{"update load.updated set value = value + 1", []float64{rows, 0, 0}},
		{"delete from load.updated where id <= 500", []float64{0, 0, rows / 2}},
	} {
		grew := after(c.sql)
		row(t, s.boss, "select pg_total_relation_size('load.updated')::float8 / 8192", &all)
		var got []float64
		for _, name := range counted {
			got = append(got, grew(name))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.sql, counted, diff)
		}
		switch most := heap + few; {
		case c.want[1] > 0: // no index is touched
			images(c.sql, grew, heap, most)
		case c.want[0] > 0:
			images(c.sql, grew, heap+1, all+few)
		default:
			images(c.sql, grew, heap/2, most)
		}
	}
}

// fetchesAgree: rows fetched by an index are tup_fetched; rows of a scanned table and entries of a
// scanned index are tup_returned.
func fetchesAgree(t *testing.T, s server) {
	const times, rows = 100, 1000.0
	sampler := s.sampler(t)
	grown := func(setting, sql string) map[string]float64 {
		before := settled(t, sampler)
		s.work(t, append([]string{setting}, slices.Repeat([]string{sql}, times)...)...)
		return growth(before, settled(t, sampler), []string{"database/tup_fetched", "database/tup_returned"})
	}
	byIndex := grown("set enable_seqscan = off; set enable_bitmapscan = off",
		"select sum(length(v)) from load.fetched where id > 0")
	byScan := grown("set enable_indexscan = off; set enable_bitmapscan = off", "select sum(length(v)) from load.fetched")
	for what, c := range map[string]struct{ got, want float64 }{
		"fetched by the index":    {byIndex["database/tup_fetched"], times * rows},
		"entries of the index":    {byIndex["database/tup_returned"], times * rows},
		"fetched of the scan":     {byScan["database/tup_fetched"], 0},
		"rows of the whole table": {byScan["database/tup_returned"], times * rows},
	} {
		// Includes catalog rows, which planning and our readings look up.
		if c.got < c.want || c.got > c.want+0.3*times*rows {
			t.Errorf("%s: %v, want %v and those of the system's tables", what, c.got, c.want)
		}
	}
}
