package experiment_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load"
)

const (
	mebibyte = 1 << 20
	gibibyte = 1 << 30
)

// The table is twice the buffers, within bounds, and the notice says what does not fit.
func TestTheTableOfReadsFitsTheServer(t *testing.T) {
	for _, c := range []struct {
		room     experiment.Room
		mebibyte int64
		said     string
	}{
		{experiment.Room{Buffers: 128 * mebibyte, Temp: -1}, 256, "256 MiB, created once and dropped at the end"},
		{experiment.Room{Buffers: 128 * mebibyte, Temp: -1, Asked: 512 * mebibyte}, 512, "512 MiB"},
		{experiment.Room{Buffers: 8 * gibibyte, Temp: -1, Free: 2 * gibibyte}, 512,
			"It fits into shared_buffers (8,192 MiB)"},
		{experiment.Room{Buffers: 128 * mebibyte, Temp: -1, Asked: 32 * mebibyte}, 32,
			"It fits into shared_buffers (128 MiB), which will answer most reads"},
		{experiment.Room{Buffers: 12 * gibibyte, Temp: -1}, 1024,
			"so these loads say little about storage. --read-size 24576M makes a table that does not"},
		{experiment.Room{Buffers: 128 * mebibyte, Temp: -1, Free: 2 * gibibyte, Asked: gibibyte}, 512,
			"a quarter of the 2,048 MiB free"},
		{experiment.Room{Buffers: 128 * mebibyte, Temp: -1, Unreadable: "its files are elsewhere"}, 256,
			"Only its size keeps it out of memory, since its files are elsewhere"},
		{experiment.Room{Buffers: 128 * mebibyte, Temp: -1, Unreadable: "its files are elsewhere", Evicts: true}, 256,
			"; pg_buffercache evicts it from shared_buffers"},
		{experiment.Room{Buffers: 128 * mebibyte, Temp: 100 * mebibyte}, 256, "temp_file_limit allows 100 MiB"},
	} {
		plan, said := experiment.FitTable(experiment.Reads(), c.room)
		if !strings.Contains(said, c.said) {
			t.Errorf("%+v: it says %q, want %q", c.room, said, c.said)
		}
		sorts := false
		for _, l := range plan.Loads {
			sorts = sorts || l.Method == load.Sort
			pages := l.TableRows / 14 // rows of 500 bytes in a page of 8 KiB
			if size := pages * 8192 / mebibyte; !l.Idle() && (size > c.mebibyte || size < c.mebibyte-2) {
				t.Errorf("%+v: %s has %d MiB", c.room, l.Name, size)
			}
		}
		if fits := c.room.Temp < 0; sorts != fits {
			t.Errorf("%+v: it sorts: %t", c.room, sorts)
		}
	}
	if _, said := experiment.FitTable(experiment.Identify(), experiment.Room{}); said != "" {
		t.Errorf("of loads that read nothing it says %q", said)
	}
}
