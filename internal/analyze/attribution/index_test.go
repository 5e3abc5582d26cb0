package attribution_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/metric"
)

// TestIndexEntriesAlone: a metric that follows index entries and no counted quantity.
func TestIndexEntriesAlone(t *testing.T) {
	entries := func(x map[metric.Quantity]float64) float64 { return x[metric.Entries] - x[metric.RowsWritten] }
	check := func(what string, kind attribution.Kind, known metric.Quantity, between []metric.Quantity, count counted) {
		t.Helper()
		v := judged(t, with(t, count))
		if diff := cmp.Diff(between, v.Between); diff != "" || v.Kind != kind || v.Counts != known {
			t.Errorf("%s: %s counts %q between %v: %s", what, v.Kind, v.Counts, v.Between, v.Why)
		}
	}
	check("one for one", attribution.Logical, attribution.IndexEntries, nil,
		func(_ string, _ float64, x map[metric.Quantity]float64) float64 {
			return entries(x)
		})
	check("splits", attribution.Logical, "", []metric.Quantity{attribution.IndexEntries},
		func(_ string, _ float64, x map[metric.Quantity]float64) float64 {
			return 0.01 * entries(x)
		})
	check("full pages, as many as happen to be", attribution.CannotTell, "", nil,
		func(load string, _ float64, x map[metric.Quantity]float64) float64 {
			return map[string]float64{"bulk-indexed": 0.0112, "copy-indexed": 0.0106, "wide": 0.01}[load] * entries(x)
		})
	check("rows too", attribution.CannotTell, "", nil, func(load string, _ float64, x map[metric.Quantity]float64) float64 {
		if load == "copy" {
			return 0.1 * x[metric.RowsWritten]
		}
		return entries(x)
	})
	v := judged(t, with(t, func(_ string, _ float64, x map[metric.Quantity]float64) float64 {
		return entries(x)
	}, "idle", "bulk-indexed", "copy-indexed", "wide"))
	if v.Counts == attribution.IndexEntries || slices.Contains(v.Between, attribution.IndexEntries) {
		t.Errorf("without a load that has no index: %s counts %q between %v", v.Kind, v.Counts, v.Between)
	}
}

// TestIndexEntriesAreNoRows: entries as PostgreSQL's tables and indexes show them exceed the rows of indexed tables by
// a few, which does not make them a part of the rows.
func TestIndexEntriesAreNoRows(t *testing.T) {
	run := fromFile(t, "../../../testdata/runs/default-pg17.jsonl.zst")
	for _, name := range []string{metric.TablesIndexEntriesLeast, metric.TablesIndexEntriesMost} {
		v := attribution.Judge(run, attribution.Options{Asked: []string{name}}).Metrics[0]
		if v.Kind != attribution.Logical || v.Counts != attribution.IndexEntries {
			t.Errorf("%s: %s counts %q between %v: %s", name, v.Kind, v.Counts, v.Between, v.Why)
		}
	}
}
