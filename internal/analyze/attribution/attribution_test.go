package attribution_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
)

const shippedRun = "../../../testdata/runs/loads-pg17.jsonl"

func fromFile(t *testing.T, path string) *counts.Run {
	t.Helper()
	run, err := tally.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func verdictOn(t *testing.T, all attribution.Verdicts, metric string) attribution.Verdict {
	t.Helper()
	for _, v := range all.Metrics {
		if v.Metric.Name == metric {
			return v
		}
	}
	t.Fatalf("no verdict on %s", metric)
	return attribution.Verdict{}
}

// TestShippedRun checks the real run against the documentation of PostgreSQL and the kernel.
func TestShippedRun(t *testing.T) {
	all := attribution.Judge(fromFile(t, shippedRun), attribution.Options{})
	check := func(metric string, kind attribution.Kind, counted metric.Quantity) {
		t.Helper()
		if v := verdictOn(t, all, metric); v.Kind != kind || v.Counts != counted {
			t.Errorf("%s: %s %q, want %s %q", metric, v.Kind, v.Counts, kind, counted)
		}
	}
	check("pgstat.database/tup_inserted", attribution.Logical, metric.RowsWritten)
	check("pgstat.database/xact_commit", attribution.Logical, metric.Commits)
	check("pgstat.io/writes", attribution.Requested, metric.PagesWritten)
	check("pgstat.io/extends", attribution.Requested, metric.PagesWritten)
	check("pgstat.wal/wal_fpi", attribution.Silent, "")
	check("block/flushes", attribution.Physical, metric.WALWrites)
	for _, v := range all.Metrics {
		if v.Metric.Name == "pgstat.wal/wal_records" {
			t.Error("that WAL records count WAL records is said")
		}
	}
}

// candidates returns the quantity that a verdict names, or those between which it cannot tell.
func candidates(v attribution.Verdict) []metric.Quantity {
	if v.Counts != "" {
		return append([]metric.Quantity{v.Counts}, v.Between...)
	}
	return v.Between
}

func inWords(all []metric.Quantity) string { return strings.Trim(fmt.Sprint(all), "[]") }
