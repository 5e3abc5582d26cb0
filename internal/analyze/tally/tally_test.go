package tally_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

func fromRecords(t *testing.T, records ...runfile.Record) *counts.Run {
	t.Helper()
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func fromFile(t *testing.T, path string) *counts.Run {
	t.Helper()
	run, err := tally.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestShippedRunCountsItsSource compares every count of every repetition with its source row.
func TestShippedRunCountsItsSource(t *testing.T) {
	run := fromFile(t, shippedRun)
	if len(run.Notes) > 0 || len(run.Counters) != 16 || run.Idle.Repetitions != 3 {
		t.Errorf("notes %v, %d counters, idle %d times", run.Notes, len(run.Counters), run.Idle.Repetitions)
	}
	rows := source(t)
	idle := map[string]float64{} // per second; the readings of an idle load are 5.22 s apart
	for _, r := range rows {
		for _, grew := range r.grew() {
			for metric, grown := range grew {
				if r.Load == "idle" {
					idle[metric] += grown / (r.Wall + 0.22) / 3
				}
			}
		}
	}
	for _, r := range rows {
		load, _ := run.Load(r.Load)
		if len(load.Repetitions) != 3 || len(load.LeftOut) != 0 {
			t.Fatalf("%s: %d repetitions, left out %v", r.Load, len(load.Repetitions), load.LeftOut)
		}
		got := load.Repetitions[r.Rep]
		if r.Load != "idle" && math.Abs(got.Seconds-r.Wall) > 1e-9 {
			t.Errorf("%s %d: %g s, want %g", r.Load, r.Rep, got.Seconds, r.Wall)
		}
		work := counts.Work{Transactions: r.Tx, Statements: r.Stmts, Rows: r.Rows}
		if diff := cmp.Diff(work, got.Work); diff != "" {
			t.Errorf("%s %d: %s", r.Load, r.Rep, diff)
		}
		want := map[string]counts.Count{}
		for _, grew := range r.grew() {
			for metric, grown := range grew {
				c := counts.Count{Amount: grown, Raw: grown, Seconds: r.Wall + 0.22}
				if r.Load != "idle" {
					c.Amount -= idle[metric] * c.Seconds
				}
				want[metric] = c
			}
		}
		if r.Load != "idle" && len(got.Variants) != 3 {
			t.Errorf("%s %d: %d variants", r.Load, r.Rep, len(got.Variants))
		}
		if diff := cmp.Diff(want, got.Counts, cmpopts.EquateApprox(1e-9, 1e-6)); diff != "" {
			t.Errorf("%s %d: %s", r.Load, r.Rep, diff)
		}
	}
}

// background bounds the idle device's requests, or flushes, per second: at most 20 writes in 5 s.
const background = 2.2

// TestShippedRunGivesThePublishedTable compares with docs that were computed from the source by other means: the table
// of the method's design. It includes the background, hence the tolerance.
func TestShippedRunGivesThePublishedTable(t *testing.T) {
	run := fromFile(t, shippedRun)
	check := func(loadName string, rowsPerSecond, recordsPerRow, bytesPerRow, recordsPerSecond, flushes, megabytes,
		recordsPerRequest float64) {
		t.Helper()
		load, _ := run.Load(loadName)
		mean := func(name, perName metric.Quantity) float64 {
			total := 0.0
			for _, r := range load.Repetitions {
				per := r.Seconds
				if perName != "" {
					per = count(t, load, r, perName)
				}
				total += count(t, load, r, name) / per
			}
			return total / float64(len(load.Repetitions))
		}
		near := func(what string, got, want, within float64) {
			t.Helper()
			if math.Abs(got-want) > within {
				t.Errorf("%s: %s is %g, published is %g", loadName, what, got, want)
			}
		}
		const exact = 0.0002 // ratio of sums there, mean of ratios here
		near("rows/s", mean("rows", ""), rowsPerSecond, exact*rowsPerSecond)
		near("records per row", mean("wal_records", "rows"), recordsPerRow, max(exact*recordsPerRow, 0.00005))
		near("WAL bytes per row", mean("wal_bytes", "rows"), bytesPerRow, max(0.1, 0.0005*bytesPerRow))
		near("records/s", mean("wal_records", ""), recordsPerSecond, exact*recordsPerSecond)
		near("flushes/s", mean("device_flushes", ""), flushes, 0.6+background)
		near("MB/s", mean("device_bytes", "")/1e6, megabytes, 0.6)
		requests := recordsPerSecond / recordsPerRequest
		near("records per request", mean("wal_records", "device_requests"), recordsPerRequest,
			0.5+recordsPerRequest*(0.01+background/(requests-background)))
	}
	check("bulk", 1_679_972, 1.0313, 75.4, 1_732_561, 733, 207, 1_975)
	check("bulk-indexed", 534_198, 3.0472, 208.6, 1_627_823, 398, 196, 3_081)
	check("copy", 1_159_374, 0.0377, 23.8, 43_700, 451, 84, 63)
	check("copy-indexed", 574_269, 2.0541, 163.7, 1_179_605, 249, 144, 2_400)
	check("single", 18_726, 2.0304, 115.6, 38_021, 4_740, 42, 8)
	check("async", 86_405, 2.0303, 115.5, 175_432, 17, 14, 5_498)
	check("multi", 83_626, 1.0403, 75.8, 86_997, 820, 17, 104)
	check("wide", 252_478, 2.0430, 1_169, 515_820, 1_317, 727, 293)
}

func count(t *testing.T, load counts.Load, r counts.Repetition, name metric.Quantity) float64 {
	t.Helper()
	d, known := counts.Named(name)
	if !known {
		t.Fatalf("no quantity %s", name)
	}
	value, err := d.Count(load, r)
	if err != nil {
		t.Fatalf("%s of %s %d: %v", name, load.Name, r.Number, err)
	}
	return value
}

func TestQuantities(t *testing.T) {
	load := counts.Load{Load: runfile.Load{Name: "a", Method: "copy", Indexes: 2}}
	amount := func(v float64) counts.Count { return counts.Count{Amount: v, Raw: v, Seconds: 1} }
	gone := func(reason series.Reason) counts.Count {
		return counts.Count{Missing: &series.Missing{Reason: reason}}
	}
	full := map[string]counts.Count{
		"pgstat.wal/wal_records": amount(11), "pgstat.lsn/insert": amount(12), "pgstat.wal/wal_write": amount(13),
		"pgstat.wal/wal_sync": amount(14), "pgstat.io/writes": amount(15),
		"block/writes": amount(20), "block/flushes": amount(4), "block/write_bytes": amount(17),
	}
	check := func(name metric.Quantity, want string, counted map[string]counts.Count) {
		t.Helper()
		r := counts.Repetition{Work: counts.Work{Transactions: 2, Statements: 3, Rows: 5}, Counts: counted}
		d, _ := counts.Named(name)
		value, err := d.Count(load, r)
		got := fmt.Sprint(value)
		if missing, ok := errors.AsType[*series.Missing](err); ok {
			got = string(missing.Reason)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	with := func(metric string, c counts.Count) map[string]counts.Count {
		changed := maps.Clone(full)
		changed[metric] = c
		return changed
	}
	for name, want := range map[metric.Quantity]string{
		"rows": "5", "entries": "15", "statements": "3", "commits": "2", "wal_records": "11", "wal_bytes": "12",
		"wal_writes": "13", "wal_syncs": "14", "pages_written": "15", "device_requests": "16", "device_flushes": "4",
		"device_bytes": "17",
	} {
		check(name, want, full)
	}
	pg18 := with("pgstat.wal/wal_write", gone("unsupported"))
	check("wal_writes", "unsupported", pg18)
	pg18["pgstat.io/wal_writes"] = amount(9)
	check("wal_writes", "9", pg18)
	check("wal_records", "not-recorded", nil)
	check("device_requests", "not-local", with("block/writes", gone("not-local")))
	check("device_requests", "unsupported", with("block/flushes", gone("unsupported")))
	check("device_requests", "error", with("block/flushes", amount(21)))
	if _, known := counts.Named("nothing"); known {
		t.Error("there is a quantity called nothing")
	}
	var names []metric.Quantity
	for _, d := range counts.OfInserts() {
		names = append(names, d.Name)
		if d.Unit == "" || d.Help == "" ||
			!slices.Contains([]counts.Side{counts.Logical, counts.Requested, counts.Physical}, d.Side) {
			t.Errorf("quantity %s is not fully described", d.Name)
		}
	}
	if len(names) != 12 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 12 {
		t.Errorf("quantities %v", names)
	}
}
