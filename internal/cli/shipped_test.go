package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

const shippedRuns = "../../testdata/runs"

// TestShippedRunsAreWhole: the runs from scripts/record-runs have all planned loads with
// proofs, and nothing of the machine.
func TestShippedRunsAreWhole(t *testing.T) {
	t.Parallel()
	for _, path := range localRuns(t) {
		run, err := command.ReadRun(command.Env{}, path)
		if err != nil {
			t.Fatal(err)
		}
		if run.Ended == nil || run.Ended.Status != runfile.Complete {
			t.Errorf("%s ended %+v", path, run.Ended)
		}
		for _, load := range run.Loads {
			if len(load.Repetitions) < run.Header.Plan.Times(load.Load) || len(load.LeftOut) > 0 {
				t.Errorf("%s: %s has %d repetitions, left out %v", path, load.Name, len(load.Repetitions), load.LeftOut)
			}
		}
		for _, note := range run.Notes {
			if note.Code != "added" {
				t.Errorf("%s: %s", path, note.Text)
			}
		}
		target := run.Header.Target
		if target.Host != "" || target.Storage.Directory != "" || run.Header.Parameters["output"] != "" {
			t.Errorf("%s tells of the machine: %+v", path, target)
		}
		const most = 300_000
		if info, err := os.Stat(path); err != nil || info.Size() > most {
			t.Errorf("%s is too large: %v, %v", path, info.Size(), err)
		}
	}
}

// TestShippedRunsTellNothingWrong compares the verdicts with what is known of PostgreSQL and the kernel. An
// undecided verdict is not wrong.
func TestShippedRunsTellNothingWrong(t *testing.T) {
	t.Parallel()
	physical := []attribution.Kind{attribution.Physical, attribution.Mixed, attribution.CannotTell}
	requested := []attribution.Kind{attribution.Requested, attribution.CannotTell}
	logical := []attribution.Kind{attribution.Logical}
	allowed := map[string][]attribution.Kind{
		"block/requests": physical, "block/flushes": physical, "block/write_bytes": physical, "block/writes": physical,
		"pgstat.io/writes": requested, "pgstat.wal/wal_write": physical, "pgstat.wal/wal_sync": physical,
		"pgstat.checkpointer/buffers_written": requested, "pgstat.io/wal_writes": physical,
		"pgstat.io/wal_fsyncs":         physical,
		"pgstat.database/tup_inserted": logical, "pgstat.database/xact_commit": logical,
		"pgstat.tables/n_tup_ins": logical,
	}
	counted := map[string]metric.Quantity{
		"pgstat.database/tup_inserted": metric.RowsWritten, "pgstat.tables/n_tup_ins": metric.RowsWritten,
		"pgstat.database/xact_commit": metric.Commits,
	}
	for _, path := range localRuns(t) {
		run, err := command.ReadRun(command.Env{}, path)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}).Metrics {
			kinds, known := allowed[v.Metric.Name]
			if known && !slices.Contains(kinds, v.Kind) {
				t.Errorf("%s: %s is %s, want %v", path, v.Metric.Name, v.Kind, kinds)
			}
			if want := counted[v.Metric.Name]; want != "" && v.Counts != want {
				t.Errorf("%s: %s counts %q, want %s", path, v.Metric.Name, v.Counts, want)
			}
		}
	}
}

func localRuns(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shippedRuns, "local-*.jsonl.zst"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no runs in %s: %v", shippedRuns, err)
	}
	return paths
}

// TestShippedObservationTellsNothingWrong compares an observation with PostgreSQL's documentation of its counters,
// and its ranking with pgbench's scripts.
func TestShippedObservationTellsNothingWrong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shippedRuns, "observed-pg17.jsonl.zst")
	run, err := command.ReadRun(command.Env{}, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Loads) < 3 || run.Ended == nil || run.Ended.Status != runfile.Complete ||
		run.Header.Target.Storage.Directory != "" {
		t.Errorf("%d kinds of load, ended %+v", len(run.Loads), run.Ended)
	}
	for _, v := range attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}).Metrics {
		name := v.Metric.Name
		switch stated := v.Kind != attribution.CannotTell && v.Kind != attribution.Silent; {
		case name == "pgstat.database/xact_commit" && v.Counts != metric.Commits:
			t.Errorf("%s: %s %s, want commits", name, v.Kind, v.Counts)
		case slices.Contains([]string{"block.process/rchar", "block.process/wchar", "block.process/syscr",
			"block.process/syscw"}, name):
			if stated && v.Kind != attribution.Requested { // they count system calls
				t.Errorf("%s: %s", name, v.Kind)
			}
		case stated && strings.HasPrefix(name, "block") && v.Kind != attribution.Physical,
			stated && strings.HasPrefix(name, "pgstat.tables/n_tup") && v.Kind != attribution.Logical:
			t.Errorf("%s: %s", name, v.Kind)
		}
	}
	top := run.Top
	if len(top) != 3 || top[0].Of != "statements" || len(top[0].Items) == 0 ||
		!strings.HasPrefix(top[0].Items[0].Text, "insert into grown select") {
		t.Errorf("the inserts in bulk wrote most, and not %+v", top)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 200_000 {
		t.Errorf("%s is too large: %v, %v", path, info, err)
	}
}
