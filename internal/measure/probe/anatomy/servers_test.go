package anatomy

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/test/probetest"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// readable returns the versions that can read their own WAL.
func readable() []string {
	return slices.DeleteFunc(servertest.Versions(), func(v string) bool { return v < "15" })
}

// database is the test's own, with a schema for the extension and a superuser's session.
type database struct {
	config *pgx.ConnConfig
	boss   *pgx.Conn
}

func databaseOf(t *testing.T, version string) database {
	t.Helper()
	endpoint := servertest.Database(t, version)
	d := database{endpoint.Config(), servertest.Connect(t, endpoint)}
	// If the sampler created it, the records would be counted when its session reports, some seconds later.
	servertest.Exec(t, d.boss, "create schema home; create extension if not exists pg_walinspect schema home")
	// An idle background writer sleeps fifty times as long, and reports its records only then.
	servertest.Exec(t, d.boss, "alter system set bgwriter_delay = '10ms'")
	servertest.Exec(t, d.boss, "select pg_reload_conf()")
	return d
}

func (d database) sampler(t *testing.T) *Sampler {
	t.Helper()
	s, err := New(t.Context(), d.config, "home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// counters holds PostgreSQL's own counts of the WAL on an idle server.
type counters struct{ Records, Bytes, Position float64 }

// counters waits until all processes have reported their writes.
func (d database) counters(t *testing.T) counters {
	t.Helper()
	servertest.Exec(t, d.boss, "checkpoint")
	for last := d.countersNow(t); ; {
		// Two of the longest naps of the background writer, which reports after one: see databaseOf.
		time.Sleep(time.Second)
		c := d.countersNow(t)
		if c == last {
			return c
		}
		last = c
	}
}

func (d database) countersNow(t *testing.T) (c counters) {
	t.Helper()
	servertest.Exec(t, d.boss, "select pg_stat_force_next_flush()")
	err := d.boss.QueryRow(t.Context(), `select wal_records, wal_bytes::float8,
		pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 from pg_stat_wal`).Scan(&c.Records, &c.Bytes, &c.Position)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// both reads PostgreSQL's counters and the sampler's, with no record in between.
func (d database) both(t *testing.T, s *Sampler) (counters, map[string]float64) {
	t.Helper()
	for {
		counted, read := d.counters(t), settled(t, s)
		if d.countersNow(t) == counted {
			return counted, read
		}
	}
}

func (c counters) since(before counters) counters {
	return counters{c.Records - before.Records, c.Bytes - before.Bytes, c.Position - before.Position}
}

// settled reads once everything is covered.
func settled(t *testing.T, s *Sampler) map[string]float64 {
	t.Helper()
	if err := errors.Join(s.ReadWAL(t.Context()), s.WaitForCounters(t.Context())); err != nil {
		t.Fatal(err)
	}
	sample, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sample.Values
}

// reported settles, and makes the sampler's session report its own writes: it may have pruned catalog pages.
func reported(t *testing.T, s *Sampler) {
	t.Helper()
	settled(t, s)
	if _, err := s.session.conn.Exec(t.Context(), "select pg_stat_force_next_flush()"); err != nil {
		t.Fatal(err)
	}
}

// grown returns the metrics that differ, without the probe's name.
func grown(before, after map[string]float64) map[string]float64 {
	g := map[string]float64{}
	for name := range maps.Keys(after) {
		if after[name] != before[name] {
			g[name[len(Name)+1:]] = after[name] - before[name]
		}
	}
	return g
}

func TestSumsAreTheServersCounters(t *testing.T) {
	for _, version := range readable() {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for disks
			d := databaseOf(t, version)
			servertest.Exec(t, d.boss, `create table plain (id bigserial, value int);
				create table indexed (id bigserial primary key, value int); create index on indexed (value)`)
			s := d.sampler(t)
			reported(t, s)
			counted, before := d.both(t, s)
			for range 20 {
				servertest.Exec(t, d.boss, "insert into plain (value) select generate_series(1, 10000)")
			}
			servertest.Exec(t, d.boss, "insert into indexed (value) select generate_series(1, 50000)")
			_, err := d.boss.CopyFrom(t.Context(), pgx.Identifier{"plain"}, []string{"value"},
				pgx.CopyFromSlice(20000, func(i int) ([]any, error) { return []any{i}, nil }))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.ReadWAL(t.Context()); err != nil {
				t.Fatal(err)
			}
			now, after := d.both(t, s)
			truth, g := now.since(counted), grown(before, after)
			sums := counters{g["records"], g["bytes"], g["wal_bytes"]}
			if slices.Contains(headers(), math.Abs(sums.Position-truth.Position)) {
				sums.Position = truth.Position
			}
			if diff := cmp.Diff(truth, sums); diff != "" {
				t.Errorf("the sums are not PostgreSQL's (-its +ours):\n%s\n%v", diff, g)
			}
			if g["covered_bytes"] != g["wal_bytes"] {
				t.Errorf("covered %v bytes of %v", g["covered_bytes"], g["wal_bytes"])
			}
			d.checkParts(t, g)
		})
	}
}

// headers returns the bytes of the header of a page of the WAL, and of a file. After a record that fills its page, the
// position to insert at is behind the next header, and the end of the record before it.
func headers() []float64 { return []float64{24, 40} }

// checkParts compares with arithmetic: a sequence logs once in 33 values, and each table has its own.
func (d database) checkParts(t *testing.T, g map[string]float64) {
	t.Helper()
	want := map[string]float64{"heap_insert_records": 250_000, "index entries": 100_000, "commit_records": 22}
	got := map[string]float64{
		"heap_insert_records": g["heap_insert_records"], "commit_records": g["commit_records"],
		"index entries": g["btree_insert_leaf_records"] + g["btree_split_records"],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-arithmetic +log:\n%s", diff)
	}
	if sequences := g["sequence_records"]; sequences < 270_000/33 || sequences > 270_000/33+4 {
		t.Errorf("%v records of sequences", sequences)
	}
	sum := 0.0
	for _, p := range parts() {
		sum += g[p.name+"_records"]
	}
	if sum != g["records"] {
		t.Errorf("the parts are %v and their sum says %v", sum, g["records"])
	}
}

func TestSuite(t *testing.T) {
	d := databaseOf(t, "17")
	servertest.Exec(t, d.boss, "create table t (id bigserial primary key)")
	probetest.Suite{
		Sampler: d.sampler(t),
		Work: func(t *testing.T) {
			servertest.Exec(t, d.boss, "insert into t select from generate_series(1, 100)")
		},
		Rises: []string{"anatomy/wal_bytes", "anatomy/covered_bytes", "anatomy/windows", "anatomy/records",
			"anatomy/bytes",
			"anatomy/heap_insert_records", "anatomy/btree_insert_leaf_bytes", "anatomy/sequence_records",
			"anatomy/commit_records"},
	}.Run(t)
}

// TestWindowsAreFair reads every second stretch of WAL with small and large records, in stretches hardly longer than
// the large ones, and expects half of everything: a window must not prefer records that fit into it.
func TestWindowsAreFair(t *testing.T) {
	const stretch = 20 << 10
	for _, version := range []string{"15", "18"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for disks
			d := databaseOf(t, version)
			servertest.Exec(t, d.boss,
				`create table t (id int, filler text); alter table t alter filler set storage plain;
				insert into t select n, repeat('x', 1000) from generate_series(1, 8000) n; checkpoint`)
			s := d.sampler(t)
			before := settled(t, s)
			from := s.course.at
			servertest.Exec(t, d.boss, "update t set id = id + 1 where id % 7 = 0") // a full page for each
			servertest.Exec(t, d.boss, "insert into t select n from generate_series(1, 100000) n")
			truth := grown(before, settled(t, s))
			to := s.course.at
			sample := counts{}
			for first := from; first+2*stretch < to; first += 2 * stretch {
				w, err := s.session.count(t.Context(), place{span: span{first, first + stretch}})
				if err != nil {
					t.Fatal(err)
				}
				sample.add(w)
			}
			for _, metric := range []string{"records", "bytes", "image_bytes", "heap_insert_records",
				"heap_update_records"} {
				scaled := sample[metric] * float64(to-from) / sample[covered]
				if off := scaled/truth[metric] - 1; truth[metric] < 1000 || off < -0.01 || off > 0.01 {
					t.Errorf("%s: %.0f by windows, %v in all: %.2f%% off", metric, scaled, truth[metric], 100*off)
				}
			}
		})
	}
}

// TestBetweenLoads: WAL between two loads is skipped, however much it is, and counts for neither.
func TestBetweenLoads(t *testing.T) {
	d := databaseOf(t, "17")
	servertest.Exec(t, d.boss, "create table t (x int)")
	s := d.sampler(t)
	before := settled(t, s)
	servertest.Exec(t, d.boss, "insert into t select generate_series(1, 5000)")
	if err := s.WaitForCounters(t.Context()); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, d.boss, "insert into t select generate_series(1, 300)")
	g := grown(before, settled(t, s))
	if g["heap_insert_records"] != 300 || g["wal_bytes"] < g["covered_bytes"]+5000*50 {
		t.Errorf("counted %v", g)
	}
}
