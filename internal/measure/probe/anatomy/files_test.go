package anatomy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// filesOf returns the WAL files of a server of version 15, which Debian's pg_waldump reads.
func filesOf(t *testing.T, d database) Files {
	t.Helper()
	installed, err := binaries.Installed(15)
	if err != nil {
		t.Skip(err)
	}
	program := filepath.Join(installed.Bin, "pg_waldump")
	if _, err := os.Stat(program); err != nil {
		t.Skip(err)
	}
	directory := servertest.Value[string](t, d.boss, "show data_directory")
	if _, err := os.ReadDir(filepath.Join(directory, "pg_wal")); err != nil {
		t.Skip(err)
	}
	return Files{WAL: filepath.Join(directory, "pg_wal"), Program: program}
}

// TestServerReadsWhatWaldumpReads compares our use of pg_walinspect with pg_waldump on the same
// windows, with known and unknown ends.
func TestServerReadsWhatWaldumpReads(t *testing.T) {
	d := databaseOf(t, "15")
	files := filesOf(t, d)
	s := d.sampler(t)
	settled(t, s)
	from := s.course.at
	servertest.Exec(t, d.boss, `create table t (id bigserial primary key, value int); create index on t (value);
		insert into t (value) select n % 100 from generate_series(1, 50000) n; update t set value = value + 1 where id % 9 = 0;
		delete from t where id % 7 = 0`)
	settled(t, s)
	to := s.course.at
	if err := files.prepare(t.Context(), s.session); err != nil {
		t.Fatal(err)
	}
	third := (to - from) / 3
	for _, p := range []place{
		{span{from, to}, true, true}, {span{from, from + third}, true, false},
		{span{from + third, from + 2*third}, false, false}, {span{from + 2*third, to}, false, true},
	} {
		ours, err := s.session.count(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := files.count(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []window{ours, theirs} {
			slices.SortFunc(w.kinds, func(a, b kind) int { return strings.Compare(a.name, b.name) })
		}
		if diff := cmp.Diff(theirs, ours, cmp.AllowUnexported(window{}, span{}, kind{})); diff != "" ||
			len(ours.kinds) < 8 {
			t.Errorf("%+v (-pg_waldump +pg_walinspect):\n%s%v", p, diff, ours.kinds)
		}
	}
}

// TestFilesAreReadWhole: the sums by pg_waldump are PostgreSQL's own as well.
func TestFilesAreReadWhole(t *testing.T) {
	d := databaseOf(t, "15")
	servertest.Exec(t, d.boss, "create table t (id bigserial, value int)")
	s, err := NewOfFiles(t.Context(), d.config, filesOf(t, d))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	if source := s.Metrics()[0].Source; !strings.Contains(source, "waldump") {
		t.Errorf("its source is %s", source)
	}
	reported(t, s)
	counted, before := d.both(t, s)
	servertest.Exec(t, d.boss, "insert into t (value) select generate_series(1, 20000)")
	if err := s.ReadWAL(t.Context()); err != nil { // the checkpoint lets the server recycle it
		t.Fatal(err)
	}
	now, after := d.both(t, s)
	truth, g := now.since(counted), grown(before, after)
	if diff := cmp.Diff(truth, counters{g["records"], g["bytes"], g["wal_bytes"]}); diff != "" ||
		g["heap_insert_records"] != 20000 {
		t.Errorf("-PostgreSQL +pg_waldump:\n%s\n%v", diff, g)
	}
}

func TestFilesThatAreNotThere(t *testing.T) {
	d := databaseOf(t, "15")
	files := filesOf(t, d)
	files.WAL = t.TempDir()
	_, err := NewOfFiles(t.Context(), d.config, files)
	if err == nil || probe.GapOf(err).Reason != runfile.Late || !strings.Contains(err.Error(), "pg_waldump: error: ") {
		t.Errorf("no log there: %v", err)
	}
	files.Program = filepath.Join(files.WAL, "nothing")
	if _, err := NewOfFiles(t.Context(), d.config, files); err == nil {
		t.Error("no program there, and yet")
	}
}
