package anatomy

import (
	"testing"
	"time"

	"github.com/realiops/realiops/internal/test/servertest"
)

// switches writes 1,500 rows and, in between and at the end, fills WAL files with zeros.
func (d database) switches(t *testing.T) {
	t.Helper()
	for _, sql := range []string{
		"insert into t select generate_series(1, 1000)", "select pg_switch_wal()",
		"insert into t select generate_series(1, 500)", "select pg_switch_wal()",
	} {
		servertest.Exec(t, d.boss, sql)
	}
}

// After a switch the rest of a WAL file is zeros, in which no record is found. All WAL is read all the same, also
// where the last switch is its end.
func TestSwitchesOfTheWAL(t *testing.T) {
	for _, version := range []string{"15", "18"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for disks
			d := databaseOf(t, version)
			servertest.Exec(t, d.boss, "create table t (x int)")
			s := d.sampler(t)
			before := settled(t, s)
			from := s.course.at
			if err := s.PassRelations(t.Context()); err != nil {
				t.Fatal(err)
			}
			d.switches(t)
			w, err := s.Relations(t.Context(), time.Minute)
			if err != nil || w.Missing != "" || w.Read != w.Bytes || len(w.Items) == 0 ||
				w.Items[0].Name != "public.t" || w.Items[0].Parts["heap_insert"].Records != 1500 {
				t.Errorf("by table: %+v, %v", w, err)
			}
			g := grown(before, settled(t, s))
			if g["heap_insert_records"] != 1500 || g["covered_bytes"] != g["wal_bytes"] || g["wal_bytes"] < 16<<20 {
				t.Errorf("counted %v", g)
			}
			sum := counts{}
			for _, p := range chunksOf(place{span{from, s.course.at}, true, true}, 3<<20) {
				w, err := s.session.count(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				sum.add(w)
			}
			if sum["heap_insert_records"] != 1500 || sum[covered] != float64(s.course.at-from) {
				t.Errorf("by windows: %v", sum)
			}
		})
	}
}

func TestSwitchesInFiles(t *testing.T) {
	d := databaseOf(t, "15")
	servertest.Exec(t, d.boss, "create table t (x int)")
	s, err := NewOfFiles(t.Context(), d.config, filesOf(t, d))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	before := settled(t, s)
	d.switches(t)
	g := grown(before, settled(t, s))
	if g["heap_insert_records"] != 1500 || g["covered_bytes"] != g["wal_bytes"] {
		t.Errorf("counted %v", g)
	}
}

func TestBeforeHeader(t *testing.T) {
	const page, segment = 8192, 16 << 20
	for inserted, want := range map[uint64]uint64{
		5 * segment: 5 * segment, 5*segment + 40: 5 * segment, 5*segment + page + 24: 5*segment + page,
		5*segment + page + 40: 5*segment + page + 40, 5*segment + 48: 5*segment + 48,
	} {
		if got := beforeHeader(inserted, page, segment); got != want {
			t.Errorf("%d: %d, want %d", inserted, got, want)
		}
	}
}
