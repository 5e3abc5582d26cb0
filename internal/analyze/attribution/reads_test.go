package attribution_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/readtest"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// loaded returns a run of the measured loads.
func loaded(t *testing.T, version string, further map[string]func(readtest.Load) float64) *counts.Run {
	t.Helper()
	run, err := tally.FromRun(runfiletest.Sequence(readtest.Records(t, version, further)))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestMeasuredReads compares the verdicts on measured loads with what they count: one name, or the names that the
// version leaves open.
func TestMeasuredReads(t *testing.T) {
	missed := func(m readtest.Load) float64 { return m.Misses }
	type verdict struct {
		kind  attribution.Kind
		named string
	}
	for version, want := range map[string]map[string]verdict{
		"17": {
			// bytes are 8,192 per page
			"pgstat.io/reads":           {attribution.Requested, "read_calls bytes_asked"},
			"cloudwatch/VolumeReadIOPs": {attribution.Requested, "pages_missed read_calls"},
		},
		"18": {
			"pgstat.io/reads":           {attribution.Requested, "read_calls"},
			"cloudwatch/VolumeReadIOPs": {attribution.Requested, "pages_missed bytes_asked"},
		},
	} {
		run := loaded(t, version, map[string]func(readtest.Load) float64{
			"cloudwatch/ReadIOPS":       func(m readtest.Load) float64 { return 0.5 * m.DevReads },
			"cloudwatch/VolumeReadIOPs": func(m readtest.Load) float64 { return 0.4 * missed(m) },
			"cloudwatch/WriteIOPS":      func(m readtest.Load) float64 { return m.DevWrites - m.DevFlushes },
			"meter/rows":                func(m readtest.Load) float64 { return m.Returned / 10 },
		})
		want["pgstat.database/blks_read"] = verdict{attribution.Requested, "pages_missed"}
		want["pgstat.io/read_bytes"] = verdict{attribution.Requested, "bytes_asked"}
		want["pgstat.database/blks_hit"] = verdict{attribution.Logical, "buffers_touched"}
		want["block/reads"] = verdict{attribution.Physical, "device_reads"}
		want["block/read_bytes"] = verdict{attribution.Physical, "device_read_bytes"}
		want["cloudwatch/ReadIOPS"] = verdict{attribution.Physical, "device_reads"}
		// of the WAL, this run has bytes alone
		want["cloudwatch/WriteIOPS"] = verdict{attribution.Physical, "wal_writes wal_syncs device_requests"}
		want["meter/rows"] = verdict{attribution.Logical, "rows_returned"}
		all := attribution.Judge(run, attribution.Options{})
		for name, w := range want {
			v := verdictOn(t, all, name)
			if named := inWords(candidates(v)); v.Kind != w.kind ||
				named != w.named {
				t.Errorf("%s, %s: %s %q, want %s %q: %s", version, name, v.Kind, named, w.kind, w.named, v.Why)
			}
		}
	}
}

// TestRequestsThatReachedTheDevice computes the numbers of the file by hand: 25,766 of 35,552 pages under point-cold.
func TestRequestsThatReachedTheDevice(t *testing.T) {
	all := attribution.Judge(loaded(t, "17", nil), attribution.Options{})
	for name, want := range map[string]attribution.ToDevice{
		"pgstat.database/blks_read": {Of: "device_reads", Least: attribution.RatioWith{Load: "scan-warm"},
			Most: attribution.RatioWith{Load: "mixed", Ratio: 14792.0 / 16792}},
		"pgstat.io/read_bytes": {Of: "device_read_bytes", Least: attribution.RatioWith{Load: "scan-warm"},
			Most: attribution.RatioWith{Load: "scan-cold", Ratio: 2219700224.0 / 1953464320}},
	} {
		got := verdictOn(t, all, name).ToDevice
		if got == nil || got.Of != want.Of || got.Least != want.Least || got.Most.Load != want.Most.Load ||
			math.Abs(got.Most.Ratio/want.Most.Ratio-1) > 1e-3 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if v := verdictOn(t, all, "block/reads"); v.ToDevice != nil {
		t.Errorf("what the device did became %+v of it", v.ToDevice)
	}
}

// TestDeviceReadsAreOfTheSameFiles: the device's reads of tables do not answer requests for index pages. Under
// point-cold a sixteenth of the 27,141 pages and 1,800 device reads were of indexes.
func TestDeviceReadsAreOfTheSameFiles(t *testing.T) {
	counts := map[string]func(readtest.Load) float64{
		"pgstat.indexes_io/idx_blks_read":  func(m readtest.Load) float64 { return m.Misses / 16 },
		"pgstat.tables_io/toast_blks_read": func(m readtest.Load) float64 { return m.Misses / 32 },
		"request.indexes/reads": func(m readtest.Load) float64 {
			return map[string]float64{"point-cold": 1800}[m.Load]
		},
		"pgstat.io/client_reads": func(m readtest.Load) float64 { return 0.99 * m.Calls },
		"pgstat.io/vacuum_reads": func(m readtest.Load) float64 { return 0.5 * m.Calls },
	}
	all := attribution.Judge(loaded(t, "18", counts), attribution.Options{})
	for name, most := range map[string]attribution.RatioWith{
		"pgstat.indexes_io/idx_blks_read": {Load: "point-cold", Ratio: 1800 / (27141 / 16.0)},
		// nearly all requests of that load
		"pgstat.io/client_reads": {Load: "mixed", Ratio: 10771 / (0.99 * 10695)},
	} {
		v := verdictOn(t, all, name)
		if v.Kind != attribution.Requested || v.ToDevice == nil || v.ToDevice.Least.Ratio != 0 ||
			v.ToDevice.Most.Load != most.Load || math.Abs(v.ToDevice.Most.Ratio/most.Ratio-1) > 1e-3 {
			t.Errorf("%s is %s, and became %+v, want %v at most", name, v.Kind, v.ToDevice, most)
		}
	}
	// their share of the device's reads is unknown
	for _, name := range []string{"pgstat.tables_io/toast_blks_read", "pgstat.io/vacuum_reads"} {
		if v := verdictOn(t, all, name); v.Kind != attribution.Requested || v.ToDevice != nil {
			t.Errorf("%s is %s, and became %+v", name, v.Kind, v.ToDevice)
		}
	}
}

// TestManualDecidesSide: a counter that PostgreSQL documents to be on one side stays there if it follows a
// quantity of another side by chance.
func TestManualDecidesSide(t *testing.T) {
	returned := func(m readtest.Load) float64 { return m.Returned }
	looked := func(m readtest.Load) float64 { // all lookups under some loads, few under others
		return max(m.Tx*map[string]float64{"point-hot": 1, "point-warm": 1, "point-cold": 1}[m.Load], min(m.Tx, 10))
	}
	all := attribution.Judge(loaded(t, "17", map[string]func(readtest.Load) float64{
		"pgstat.io/extends": returned, "pgstat.io/client_writes": returned, "pgstat.bgwriter/buffers_clean": returned,
		"pgstat.database/tup_fetched": looked, "pgstat.tables/n_tup_ins": looked,
		"meter/extends": returned, "meter/fetched": looked,
	}), attribution.Options{})
	for name, want := range map[string]string{
		"pgstat.io/extends":             "requested ",
		"pgstat.io/client_writes":       "requested pages_written",
		"pgstat.bgwriter/buffers_clean": "requested pages_written",
		"pgstat.database/tup_fetched":   "logical rows_returned",
		"pgstat.tables/n_tup_ins":       "logical rows",
		"meter/extends":                 "logical rows_returned",
		"meter/fetched":                 "cannot_tell ",
	} {
		v := verdictOn(t, all, name)
		if got := string(v.Kind) + " " + inWords(candidates(v)); got != want {
			t.Errorf("%s: %s, want %s: %s", name, got, want, v.Why)
		}
	}
}

// TestWriteLoadsAreNotAdvisedForReads: if all loads only read, loads that add rows decide nothing.
func TestWriteLoadsAreNotAdvisedForReads(t *testing.T) {
	run := with(t, of(metric.RowsWritten, 3), "idle", "bulk", "single")
	if v := judged(t, run); v.SettleWith == nil {
		t.Fatalf("no load is advised to those who write, and this is no test: %s, %v", v.Kind, v.Between)
	}
	for _, load := range run.Loads {
		for i := range load.Repetitions {
			load.Repetitions[i].Work.Rows, load.Repetitions[i].Work.Returned = 0, load.Repetitions[i].Work.Rows
		}
	}
	if v := judged(t, run); v.SettleWith != nil {
		t.Errorf("%+v is advised", v.SettleWith)
	}
}

// TestKernelWritesContainNoReads: a kernel counter of writes never contains reads, even if the numbers of a run suggest
// it. Other metrics may.
func TestKernelWritesContainNoReads(t *testing.T) {
	pages := func(m readtest.Load) float64 { return 1.01 * m.Misses }
	run := loaded(t, "17", map[string]func(readtest.Load) float64{"block.wal/writes": pages, "meter/writes": pages})
	all := attribution.Judge(run, attribution.Options{})
	if v := verdictOn(t, all, "meter/writes"); !slices.Contains(candidates(v), metric.PagesMissed) {
		t.Errorf("meter/writes: %s %s %v: %s", v.Kind, v.Counts, v.Between, v.Why)
	}
	v := verdictOn(t, all, "block.wal/writes")
	named := candidates(v)
	if v.Mixture != nil {
		for _, term := range v.Mixture.Terms {
			named = append(append(named, term.Quantity), term.Or...)
		}
	}
	for _, name := range named {
		if name.OfReads() {
			t.Errorf("block.wal/writes: %s %q: %s", v.Kind, named, v.Why)
		}
	}
}

// TestReadLoadsLeaveWritesAlone: adding read-only loads to a run of write-only loads changes no verdict on writes. One
// measured load is left out: the device was flushed 94 times during scan-cold, which wrote nothing.
func TestReadLoadsLeaveWritesAlone(t *testing.T) {
	alone := attribution.Judge(fromFile(t, shippedRun), attribution.Options{})
	both := fromFile(t, shippedRun)
	for _, load := range loaded(t, "17", nil).Loads {
		if (strings.HasSuffix(load.Name, "-warm") || strings.HasSuffix(load.Name, "-cold")) &&
			load.Name != "scan-cold" {
			for _, r := range load.Repetitions {
				r.Counts["pgstat.wal/wal_write"], r.Counts["pgstat.wal/wal_sync"] = counts.Count{Seconds: r.Seconds},
					counts.Count{Seconds: r.Seconds}
			}
			both.Loads = append(both.Loads, load)
		}
	}
	for _, name := range []string{"pgstat.wal/wal_write", "pgstat.wal/wal_sync", "pgstat.io/writes", "block/flushes",
		"block/requests", "block/write_bytes"} {
		before := verdictOn(t, alone, name)
		if v := verdictOn(t, attribution.Judge(both, attribution.Options{Asked: []string{name}}), name); v.Kind !=
			before.Kind || v.Counts != before.Counts {
			t.Errorf("%s: %s %q %v, without reads %s %q %v: %s", name, v.Kind, v.Counts, v.Mixture, before.Kind,
				before.Counts, before.Mixture, v.Why)
		}
	}
}
