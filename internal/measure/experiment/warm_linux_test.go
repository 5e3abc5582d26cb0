package experiment_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// inMemory counts the pages of a file, and how many of them the kernel has cached.
func inMemory(t *testing.T, path string) (pages, there int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	const page = 8192
	buffer := make([]byte, page)
	for at := int64(0); at < info.Size(); at += page {
		n, err := unix.Preadv2(int(f.Fd()), [][]byte{buffer}, at, unix.RWF_NOWAIT)
		if err != nil && !errors.Is(err, unix.EAGAIN) {
			t.Fatal(err)
		}
		pages++
		if n == page {
			there++
		}
	}
	return pages, there
}

// TestAWarmLoadFindsItsTableInMemory: also after a cold load, which leaves pages in shared
// buffers that the kernel lacks.
func TestAWarmLoadFindsItsTableInMemory(t *testing.T) {
	warm := cold
	warm.Name, warm.Cold = load.PointWarm, false
	r := newTrial(t, cold, warm)
	r.Plan.Repetitions = 2
	data := servertest.Value[string](t, r.conn, "show data_directory")
	r.Layout = layoutOf(t, data)
	looked, record := 0, r.Record
	r.Record = func(line runfile.Record) error {
		if e, is := line.(runfile.LoadEvent); is && e.Event == runfile.Begin && e.Load == warm.Name {
			file := servertest.Value[string](t, servertest.Connect(t, r.endpoint),
				"select pg_relation_filepath('realiops._reads')")
			pages, there := inMemory(t, filepath.Join(data, file))
			if pages < 600 || there < pages*9/10 {
				t.Errorf("of %d pages %d are in memory", pages, there)
			}
			looked++
		}
		return record(line)
	}
	if err := r.Run(t.Context()); err != nil || looked != 2 {
		t.Errorf("%d warm loads, %v", looked, err)
	}
}
