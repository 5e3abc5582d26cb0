package anatomy

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

const enough = time.Minute // on a busy machine

// begun begins at the end of the WAL.
func begun(t *testing.T, d database) *Sampler {
	t.Helper()
	s := d.sampler(t)
	if err := s.PassRelations(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func tells(t *testing.T, s *Sampler) runfile.WAL {
	t.Helper()
	w, err := s.Relations(t.Context(), enough)
	if err != nil || w.Missing != "" || w.Read > w.Bytes {
		t.Fatalf("%v, %+v", err, w)
	}
	return w
}

// usage is EXPLAIN's account of a statement's WAL.
type usage struct {
	Records int64 `json:"WAL Records"`
	Images  int64 `json:"WAL FPI"`
	Bytes   int64 `json:"WAL Bytes"`
}

func (d database) explained(t *testing.T, statement string) usage {
	t.Helper()
	var said []struct{ Plan usage }
	if err := json.Unmarshal([]byte(servertest.Value[string](t, d.boss,
		"explain (analyze, wal, costs off, format json) "+statement)), &said); err != nil {
		t.Fatal(err)
	}
	return said[0].Plan
}

func (u usage) and(i runfile.WALItem) usage {
	for _, p := range i.Parts {
		u = usage{u.Records + p.Records, u.Images + p.Images, u.Bytes + p.Bytes}
	}
	return u
}

// Attributed WAL adds up to the count of the session that wrote it, and each item to arithmetic.
func TestRelationsAddUp(t *testing.T) {
	const rows = 20_000
	for _, version := range readable() {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for disks
			d := databaseOf(t, version)
			servertest.Exec(t, d.boss,
				`create table item (id uuid primary key, n bigserial, sku int, note text) with (autovacuum_enabled = off);
				alter table item alter note set storage external; create index item_sku on item (sku); create index item_sku_again on item (sku);
				create extension if not exists pgcrypto`)
			servertest.Exec(t, d.boss,
				"insert into item (id, sku) select gen_random_uuid(), g from generate_series(1, 5000) g")
			servertest.Exec(t, d.boss, "checkpoint")
			s := begun(t, d)
			truth := d.explained(t, "insert into item (id, sku, note) select gen_random_uuid(), g, case g when 1 "+
				"then repeat('x', 50000) end from generate_series(1, 20000) g")
			w := tells(t, s)
			var sum, catalogs usage // hint bits, which the statement may have written
			got := map[string]int64{}
			for _, i := range w.Items {
				switch i.Is {
				case runfile.WALCatalog:
					catalogs = catalogs.and(i)
				case runfile.WALOfNone:
				default:
					sum = sum.and(i)
				}
				got[i.Name] = i.Parts["heap_insert"].Records + i.Parts["btree_insert_leaf"].Records +
					i.Parts["btree_split"].Records
			}
			if off := truth.Bytes - sum.Bytes; off < 0 || off > catalogs.Bytes || off > truth.Bytes/200 ||
				truth.Records-sum.Records > catalogs.Records ||
				truth.Images-sum.Images > catalogs.Images || truth.Images < 50 {
				t.Errorf("the session counted %+v, and tables and indexes come to %+v, catalogs to %+v", truth,
					sum, catalogs)
			}
			for _, name := range []string{"public.item", "public.item_pkey", "public.item_sku",
				"public.item_sku_again"} {
				if got[name] != rows {
					t.Errorf("%s: %d records, want %d of %v", name, got[name], rows, got)
				}
			}
			d.checkItems(t, w)
			if w.Read != w.Bytes || w.Bytes < truth.Bytes {
				t.Errorf("read %d bytes of %d", w.Read, w.Bytes)
			}
		})
	}
}

// checkItems checks the properties of each item.
func (d database) checkItems(t *testing.T, w runfile.WAL) {
	t.Helper()
	var got []runfile.WALItem
	for _, i := range w.Items {
		oversized := i.Is == runfile.WALOversized || i.Is == runfile.WALOversizedIndex
		if oversized || i.Is == runfile.WALIndex || i.Is == runfile.WALTable || i.Is == runfile.WALSequence {
			i.Parts, i.Since = nil, nil
			if oversized {
				i.Scans = nil // the insert may have read it
			}
			got = append(got, i)
		}
	}
	oversized := servertest.Value[string](t, d.boss,
		"select reltoastrelid::regclass::text from pg_class where relname = 'item'")
	none := new(int64(0))
	want := []runfile.WALItem{
		{Name: "public.item", Is: runfile.WALTable},
		{Name: "public.item_pkey", Is: runfile.WALIndex, Table: "public.item", Constraint: runfile.PrimaryKey,
			Scans: none},
		{Name: "public.item_sku", Is: runfile.WALIndex, Table: "public.item", Scans: none},
		{Name: "public.item_sku_again", Is: runfile.WALIndex, Table: "public.item", Scans: none,
			Like: "public.item_sku"},
		{Name: "public.item_n_seq", Is: runfile.WALSequence},
		{Name: oversized, Is: runfile.WALOversized, Table: "public.item"},
		{Name: oversized + "_index", Is: runfile.WALOversizedIndex, Table: "public.item",
			Constraint: runfile.PrimaryKey},
	}
	byName := cmpopts.SortSlices(func(a, b runfile.WALItem) bool { return a.Name < b.Name })
	if diff := cmp.Diff(want, got, byName); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A rewritten or dropped relation has its old name; one created and dropped meanwhile has
// none; another database is one item.
func TestRelationsThatAreGone(t *testing.T) {
	for _, version := range []string{"15", "18"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for disks
			d := databaseOf(t, version)
			elsewhere := databaseOf(t, version)
			servertest.Exec(t, d.boss,
				`create table emptied (id int); create table filled (id int primary key); insert into filled select generate_series(1, 2000);
				create table dropped (id int primary key); create table stays (id int)`)
			servertest.Exec(t, elsewhere.boss, "create table t (id int)")
			s := begun(t, d)
			servertest.Exec(t, d.boss, "insert into emptied select generate_series(1, 100)")
			servertest.Exec(t, d.boss, "truncate emptied")
			servertest.Exec(t, d.boss, "insert into emptied select generate_series(1, 10)")
			servertest.Exec(t, d.boss, "delete from filled where id <= 300")
			servertest.Exec(t, d.boss, "vacuum full filled")
			servertest.Exec(t, d.boss, "insert into dropped select generate_series(1, 40)")
			servertest.Exec(t, d.boss, "drop table dropped")
			servertest.Exec(t, d.boss, "create table brief (id int)")
			servertest.Exec(t, d.boss, "insert into brief select generate_series(1, 7)")
			servertest.Exec(t, d.boss, "drop table brief")
			servertest.Exec(t, elsewhere.boss, "insert into t select generate_series(1, 500)")
			servertest.Exec(t, d.boss, "alter role current_user connection limit 40")
			type one struct {
				Name, Is        string
				Dropped         bool
				Inserts, Erased int64
			}
			got := map[one]bool{}
			shared := map[string]bool{} // by the catalog
			for _, i := range tells(t, s).Items {
				if i.Is == runfile.WALCatalog {
					shared[i.Name] = i.Shared
				} else {
					got[one{i.Name, i.Is, i.Dropped, i.Parts["heap_insert"].Records,
						i.Parts["heap_delete"].Records}] = true
				}
			}
			if !shared["pg_catalog.pg_authid"] || shared["pg_catalog.pg_class"] {
				t.Errorf("pg_authid alone is shared: %v", shared)
			}
			other := servertest.Value[string](t, elsewhere.boss, "select current_database()")
			for _, want := range []one{
				{"public.emptied", runfile.WALTable, false, 110, 0}, {"public.filled", runfile.WALTable, false, 0, 300},
				{"public.dropped", runfile.WALTable, true, 40, 0}, {"", runfile.WALTable, true, 7, 0},
				{other, runfile.WALElsewhere, false, 500, 0},
			} {
				if !got[want] {
					t.Errorf("%+v is not among %+v", want, got)
				}
			}
		})
	}
}

// A stretch that is too long for the time is read in part, and the rest is reported.
func TestRelationsOfALongStretch(t *testing.T) {
	d := databaseOf(t, "17")
	servertest.Exec(t, d.boss, "create table long (id int, filler text)")
	s := begun(t, d)
	servertest.Exec(t, d.boss, "insert into long select g, repeat('x', 400) from generate_series(1, 40000) g")
	w, err := s.Relations(t.Context(), 0)
	if err != nil || w.Missing != "" || w.Bytes < 16<<20 || w.Read != 0 {
		t.Errorf("in no time: %v, %+v", err, w)
	}
	if w = tells(t, s); w.Bytes > 1<<20 {
		t.Errorf("what was left out was read later: %+v", w)
	}
}

// After the server has ended our session, the next stretch is attributed.
func TestRelationsAfterALostSession(t *testing.T) {
	d := databaseOf(t, "17")
	servertest.Exec(t, d.boss, "create table t (x int)")
	s := begun(t, d)
	servertest.Exec(t, d.boss, `insert into t select generate_series(1, 1000);
		select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'realiops' and pid <> pg_backend_pid()
		and datname = current_database()`)
	inserts := 0.0
	for _, item := range tells(t, s).Items {
		if item.Name == "public.t" {
			inserts += float64(item.Parts["heap_insert"].Records)
		}
	}
	if inserts != 1000 {
		t.Errorf("%g inserts are told of", inserts)
	}
}

// The error names the privilege that reading the WAL needs, and how to get it.
func TestRelationsWithoutTheRight(t *testing.T) {
	endpoint := servertest.Database(t, "18")
	_, err := New(t.Context(), endpoint.Config(), "")
	want := "pg_walinspect is not in this database; a run creates it, and drops it at the end (a superuser may: create " +
		"extension pg_walinspect)"
	if got := WhyNoRelations(err); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	_, err = New(t.Context(), servertest.Database(t, "14").Config(), "")
	if got := WhyNoRelations(err); got != "PostgreSQL 14.24 cannot read its own WAL, since pg_walinspect came with 15" {
		t.Errorf("%q", got)
	}
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, "create extension pg_walinspect")
	servertest.Exec(t, boss,
		"alter extension pg_walinspect drop function pg_get_wal_block_info; drop function pg_get_wal_block_info")
	s, err := New(t.Context(), endpoint.Config(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	if err := s.PassRelations(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, err := s.Relations(t.Context(), enough)
	if err != nil || w.Missing != "pg_walinspect is older than this server; run alter extension pg_walinspect update" ||
		len(w.Items) > 0 {
		t.Errorf("%v, %+v", err, w)
	}
	if sample, err := s.Sample(t.Context()); err != nil || len(sample.Values) == 0 {
		t.Errorf("and the rest does not work: %v", err)
	}
}

// With AsCounted, WAL is attributed up to the last reading, so later writes are in neither.
func TestRelationsEndWithTheReading(t *testing.T) {
	d := databaseOf(t, "17")
	servertest.Exec(t, d.boss, "create table item (id int)")
	s := d.sampler(t)
	s.AsCounted()
	read := func() {
		if _, err := s.Sample(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	records := func() (n int64) {
		for _, i := range tells(t, s).Items {
			if i.Name == "public.item" {
				for _, p := range i.Parts {
					n += p.Records
				}
			}
		}
		return n
	}
	read()
	if err := s.PassRelations(t.Context()); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, d.boss, "insert into item select generate_series(1, 3)")
	read()
	servertest.Exec(t, d.boss, "insert into item select generate_series(1, 5)")
	if n := records(); n != 3 {
		t.Errorf("%d records up to the reading, want 3", n)
	}
	if read(); records() != 5 {
		t.Error("what came after a reading is not in the next")
	}
}
