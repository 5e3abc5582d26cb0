package cost

import (
	"math"
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
)

// TestCommitsThatWait derives the commits that waited from commits, fsyncs by all processes, and fsyncs by sessions if
// counted. An unknown number is missing, never zero.
func TestCommitsThatWait(t *testing.T) {
	const cannotTell, untold = -1, -1
	with := func(name, value string) flushing { return flushing{settings: map[string]string{name: value}} }
	on, off := with("synchronous_commit", "on"), with("synchronous_commit", "off")
	sets := flushing{settings: on.settings, sets: true}
	for _, c := range []struct {
		name              string
		of                flushing
		commits, all, own float64
		want              float64
	}{
		{"17, alone", on, 1, 1, untold, 1},
		{"17, and the WAL writer", on, 1, 2, untold, 1},
		{"17, twenty", on, 20, 21, untold, 20},
		{"17, some together or not waiting", on, 20, 5, untold, cannotTell},
		{"17, asynchronous", off, 1, 1, untold, cannotTell},
		{"17, nothing written", off, 0, 1, untold, 0},
		{"18, alone", on, 1, 1, 1, 1},
		{"18, and the WAL writer", on, 1, 2, 1, 1},
		{"18, the WAL writer was first for one", on, 20, 20, 19, 20},
		{"18, none waited", on, 20, 1, 0, 0},
		{"18, a session that waits although the server's do not", off, 1, 1, 1, 1},
		{"18, some together or not waiting", on, 20, 6, 5, cannotTell},
		{"17, set by the operation", sets, 1, 1, untold, cannotTell},
		{"18, set by the operation, and all waited", sets, 2, 2, 2, 2},
		{"18, set by the operation, and none waited", sets, 2, 2, 0, 0},
		{"18, set by the operation, and one waited", sets, 2, 2, 1, cannotTell},
		{"fsync=off", with("fsync", "off"), 1, 1, untold, cannotTell},
		{"wal_sync_method=open_datasync", with("wal_sync_method", "open_datasync"), 1, 1, untold, cannotTell},
	} {
		half := math.Floor(c.commits / 2) // two-phase commits, which wait first at their prepare
		r := counts.Repetition{Counts: map[string]counts.Count{},
			Log: &counts.Anatomy{Coverage: 1, Parts: []counts.Part{
				{Name: commit, Records: c.commits - half}, {Name: prepare, Records: half}}}}
		if c.own != untold {
			r.Counts["pgstat.io/wal_client_fsyncs"] = counts.Count{Raw: c.own}
		}
		c.of.fsyncs = func(counts.Load, counts.Repetition) (float64, error) { return c.all, nil }
		got, _, err := c.of.waiting(counts.Load{}, r)
		if err != nil {
			got = cannotTell
		}
		if got != c.want {
			t.Errorf("%s: %v (%v), want %v", c.name, got, err, c.want)
		}
	}
}

// TestBackgroundLeavesWhatCommitsNeed: a commit that waited made an fsync and a request, whatever the server does
// by itself. A count below that is kept.
func TestBackgroundLeavesWhatCommitsNeed(t *testing.T) {
	one := func(counts.Load, counts.Repetition) float64 { return 1 }
	for _, c := range []struct {
		counted, background, want float64
	}{{1, 1, 1}, {3, 1, 2}, {3, 5, 1}, {0, 1, 0}, {0, 0, 0}} {
		if got := (kind{needed: one}).less(c.counted, c.background, counts.Load{}, counts.Repetition{}); got != c.want {
			t.Errorf("%v less %v is %v, want %v", c.counted, c.background, got, c.want)
		}
	}
	if got := (kind{}).less(1, 2, counts.Load{}, counts.Repetition{}); got != 0 {
		t.Errorf("of what needs nothing: %v", got)
	}
}
