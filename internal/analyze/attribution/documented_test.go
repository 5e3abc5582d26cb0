package attribution_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestPostgreSQLDocumentationBreaksTies: if two quantities follow a counter of PostgreSQL's in all loads but one, it
// counts the documented one, and the other is tied. No sum of others replaces it.
func TestPostgreSQLDocumentationBreaksTies(t *testing.T) {
	for _, want := range []struct {
		file, metric string
		counts, tied metric.Quantity
	}{
		// device flushes + commits + entries fit it by chance
		{"local-pg15.jsonl.zst", "pgstat.wal/wal_write", metric.WALWrites, ""},
		{"local-pg15.jsonl.zst", "pgstat.wal/wal_sync", metric.WALSyncs, metric.DeviceFlushes},
		{"local-pg17.jsonl.zst", "pgstat.wal/wal_sync", metric.WALSyncs, metric.DeviceFlushes},
		{"local-pg17.jsonl.zst", "pgstat.io/writes", metric.PagesWritten, ""},
		{"loads-pg17.jsonl", "pgstat.wal/wal_write", metric.WALWrites, metric.DeviceFlushes},
	} {
		v := verdictOn(t, attribution.Judge(fromFile(t, "../../../testdata/runs/"+want.file),
			attribution.Options{Asked: []string{want.metric}}), want.metric)
		counts, _ := counts.Named(want.counts)
		if v.Kind != attribution.Kind(counts.Side) || v.Counts != want.counts || v.Mixture != nil ||
			inWords(v.Tied) != string(want.tied) {
			t.Errorf("%s, %s: %s %q tied with %v, %v", want.file, want.metric, v.Kind, v.Counts, v.Tied, v.Mixture)
		}
	}
}

// TestDocumentedPartBreaksTies: by the manual, a counter counts some of the pages missed. If it equals them in each load,
// as their bytes do, it counts them; if it is half of them, the manual does not decide.
func TestDocumentedPartBreaksTies(t *testing.T) {
	const reads = "pgstat.io/reads"
	for _, part := range []float64{1, 0.5} {
		run := fromFile(t, "../../../testdata/runs/default-pg17.jsonl.zst")
		of := run.Quantity(metric.PagesMissed)
		for _, load := range run.Loads {
			for i, r := range load.Repetitions {
				n, err := of.Count(load, r)
				if err != nil {
					t.Fatal(err)
				}
				r.Counts = maps.Clone(r.Counts)
				r.Counts[reads] = counts.Count{Amount: part * n, Raw: part * n, Seconds: r.Seconds}
				load.Repetitions[i] = r
			}
		}
		v := verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{reads}}), reads)
		if v.Kind != attribution.Requested || (v.Counts == metric.PagesMissed) != (part == 1) {
			t.Errorf("%g of the pages missed: %s %q tied with %v, between %v", part, v.Kind, v.Counts, v.Tied, v.Between)
		}
	}
}

// TestProviderDocumentationBreaksNoTie: a run cannot tell rows from entries. Documentation decides for PostgreSQL's
// counter, and not for the provider's.
func TestProviderDocumentationBreaksNoTie(t *testing.T) {
	unindexed := []string{"idle", "bulk", "copy", "single", "async", "multi"}
	for name, documented := range map[string]bool{"pgstat.database/tup_inserted": true, "cloudwatch/WriteIOPS": false} {
		run := with(t, of(metric.RowsWritten, 1), unindexed...)
		run.Counters = append(run.Counters, runfile.Metric{Name: name, Unit: "rows", Type: runfile.Counter})
		for _, load := range run.Loads {
			for _, r := range load.Repetitions {
				r.Counts[name] = r.Counts[made]
			}
		}
		v := verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{name}}), name)
		if v.Kind != attribution.Logical || (v.Counts == metric.RowsWritten) != documented ||
			slices.Equal(v.Tied, []metric.Quantity{metric.Entries}) != documented {
			t.Errorf("%s: %s %q, tied with %v, between %v: %s", name, v.Kind, v.Counts, v.Tied, v.Between, v.Why)
		}
	}
}

// TestDeviceMetricsArePhysical: quantities of its own side come first if they fit, and a device metric that
// grows with rows is still physical.
func TestDeviceMetricsArePhysical(t *testing.T) {
	all := attribution.Judge(fromFile(t, "../../../testdata/runs/local-pg15.jsonl.zst"), attribution.Options{})
	for _, v := range all.Metrics {
		if metric.OfDevice(v.Metric.Name) && (v.Kind == attribution.Logical || v.Kind == attribution.Mixed) {
			t.Errorf("%s is %s", v.Metric.Name, v.Kind)
		}
	}
	v := verdictOn(t, all, "block/requests") // wal_syncs + entries + statements come nearer by a twelfth
	if v.Mixture == nil || slices.ContainsFunc(v.Mixture.Terms, func(t attribution.Term) bool {
		return t.Side == counts.Logical
	}) {
		t.Errorf("requests of the device are %s, %+v", v.Kind, v.Mixture)
	}
	run := with(t, of(metric.RowsWritten, 1))
	run.Counters = append(run.Counters, runfile.Metric{Name: "block/discards", Unit: "operations",
		Type: runfile.Counter})
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			r.Counts["block/discards"] = r.Counts[made]
		}
	}
	if v := verdictOn(t, attribution.Judge(run, attribution.Options{}), "block/discards"); v.Kind !=
		attribution.Physical || v.Counts != metric.RowsWritten {
		t.Errorf("what the device does for each row is %s %q", v.Kind, v.Counts)
	}
}

// TestDeviceMetricsDropLogicalTerms: if WAL writes nearly fit, a kernel's disk counter gets no further term of
// rows. Other metrics do.
func TestDeviceMetricsDropLogicalTerms(t *testing.T) {
	run := with(t, func(_ string, _ float64, x map[metric.Quantity]float64) float64 {
		return x[metric.WALWrites] + 0.0003*x[metric.RowsWritten]
	})
	const ofDisk = "block/writes_merged"
	run.Counters = slices.DeleteFunc(run.Counters, func(m runfile.Metric) bool { return m.Name == ofDisk })
	run.Counters = append(run.Counters, runfile.Metric{Name: ofDisk, Unit: "operations", Type: runfile.Counter})
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			r.Counts[ofDisk] = r.Counts[made]
		}
	}
	for name, rows := range map[string]bool{made: true, ofDisk: false} {
		v := verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{name}}), name)
		logical := v.Mixture != nil && slices.ContainsFunc(v.Mixture.Terms, func(t attribution.Term) bool {
			return t.Side == counts.Logical
		})
		if logical != rows || v.Kind == attribution.CannotTell || !rows && v.Kind != attribution.Physical {
			t.Errorf("%s: %s %q, %+v: %s", name, v.Kind, v.Counts, v.Mixture, v.Why)
		}
	}
}

// TestInsertOnlyLoadsDecideNothingAboutReads: each new page takes a buffer and is written once, but buffers taken are
// not writes.
func TestInsertOnlyLoadsDecideNothingAboutReads(t *testing.T) {
	for _, version := range []string{"15", "17"} {
		run := fromFile(t, "../../../testdata/runs/local-pg"+version+".jsonl.zst")
		for _, name := range []string{"pgstat.bgwriter/buffers_alloc", "pgstat.database/blks_read"} {
			v := verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{name}}), name)
			if v.Kind != attribution.CannotTell {
				t.Errorf("%s: %s is %s %q, %v: %s", version, name, v.Kind, v.Counts, v.Mixture, v.Why)
			}
		}
		run.Loads[len(run.Loads)-1].Method = "select" // so that one load reads
		if v := verdictOn(t, attribution.Judge(run, attribution.Options{}), "pgstat.bgwriter/buffers_alloc"); v.Kind !=
			attribution.Requested && version == "17" {
			t.Errorf("where a load reads, buffers_alloc is %s: %s", v.Kind, v.Why)
		}
	}
}
