package cost

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
)

// TestCauseOfAnExtraFsync: three repetitions have one fsync, and a fourth two, by the server's counts.
func TestCauseOfAnExtraFsync(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts map[string]float64
		want   string
	}{
		{"18, the WAL writer", map[string]float64{"pgstat.io/wal_fsyncs": 2, "pgstat.io/wal_client_fsyncs": 1,
			"pgstat.io/wal_writer_fsyncs": 1}, "the WAL writer (repetition 4)"},
		{"18, the checkpointer", map[string]float64{"pgstat.io/wal_fsyncs": 2, "pgstat.io/wal_client_fsyncs": 1,
			"pgstat.io/wal_writer_fsyncs": 0}, "the checkpointer (repetition 4)"},
		{"18, itself", map[string]float64{"pgstat.io/wal_fsyncs": 2, "pgstat.io/wal_client_fsyncs": 2,
			"pgstat.io/wal_writer_fsyncs": 0}, "the sessions themselves (repetition 4)"},
		{"17, a checkpoint", map[string]float64{"pgstat.checkpointer/checkpoints_timed": 1},
			"the checkpointer (repetition 4)"},
		{"17, none", map[string]float64{"pgstat.checkpointer/checkpoints_timed": 0},
			"by elimination, the WAL writer: there was no checkpoint (repetition 4)"},
	} {
		odd := counts.Repetition{Number: 4, Counts: map[string]counts.Count{}}
		for name, n := range c.counts {
			odd.Counts[name] = counts.Count{Raw: n}
		}
		all := []counts.Repetition{{Number: 1}, {Number: 2}, {Number: 3}, odd}
		count := Count{Name: Fsyncs, Runs: []float64{1, 1, 1, 2}, Median: 1, Low: 1, High: 2}
		if got := irregular(count, all); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	half := Count{Name: Fsyncs, Runs: []float64{1, 2}, Median: 1.5, Low: 1, High: 2}
	if got := irregular(half, make([]counts.Repetition, 2)); got != "" {
		t.Errorf("of counts that do not repeat at all: %q", got)
	}
}
