package attribution_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/metric"
)

const publishedRuns = "../../../testdata/runs/"

// TestVerdictsOnPublishedLoads checks what the shipped loads of others support, given what they recorded and how that
// bounds the rest.
//
// Nine loads of one workload have rows, commits and, in four of them, WAL bytes. WriteIOPS per row goes from 3.71 to
// 3.95, within the tolerance of 1.10; per commit from 2.6 to 6.7, so commits are excluded. WAL records and index
// entries were not recorded. Clients and indexes are unknown, so nothing bounds WAL fsyncs, WAL writes or storage work:
// all of them stay. Aurora writes no pages. Two loads differ in two indexes, whose entries are 0.66% of the rows.
// WriteIOPS is 4.7% higher there at equal rows, and three runs of the load without lie within 0.17%. So it counts
// neither rows nor rows and index entries. The side cannot be told.
func TestVerdictsOnPublishedLoads(t *testing.T) {
	all := attribution.Judge(fromFile(t, publishedRuns+"published-senzing.jsonl.zst"), attribution.Options{})
	v := verdictOn(t, all, "cloudwatch/WriteIOPS")
	want := []metric.Quantity{
		metric.Statements, metric.WALRecords, metric.WALBytes, metric.WALWrites, metric.WALSyncs,
		metric.DeviceRequests, metric.DeviceFlushes, metric.DeviceBytes,
	}
	if diff := cmp.Diff(want, v.Between); diff != "" || v.Kind != attribution.CannotTell || v.Counts != "" {
		t.Errorf("WriteIOPS is %s %s between (-want +got):\n%s", v.Kind, v.Counts, diff)
	}
	rows, entries, commits := rivalOf(v, metric.RowsWritten), rivalOf(v, metric.Entries), rivalOf(v, metric.Commits)
	if rows.Spread.Hi > attribution.DefaultTolerance || rows.Spread.N != 9 || commits.Status != attribution.Excluded ||
		commits.Difference != nil {
		t.Errorf("rows spread by %+v, commits are %s", *rows.Spread, commits.Status)
	}
	for name, r := range map[string]attribution.Rival{"rows": rows, "entries": entries} {
		foretold := map[string]float64{"rows": 0, "entries": 764_865 / 115.87e6}[name]
		d := r.Difference
		if r.Status != attribution.Excluded || d == nil || d.Load != "20260828-loadonly-hnsw" ||
			d.Without != "20260828-loadonly" {
			t.Errorf("%s are %s by %+v", name, r.Status, d)
			continue
		}
		// 450.33 M for 115.87 M rows and 430.52 M for 115.99 M
		if more := 450.33 / 115.87 / (430.52 / 115.99); math.Abs(1+d.More.Value-more) > 1e-4 ||
			math.Abs(d.Foretold.Value-foretold) > 1e-5 {
			t.Errorf("%s: %+v, want %g and %g", name, *d, more-1, foretold)
		}
	}
	// Reads are pages missed, and not any counted quantity of writing.
	if v := verdictOn(t, all, "cloudwatch/ReadIOPS"); v.Kind != attribution.CannotTell || v.Counts != "" {
		t.Errorf("ReadIOPS is %s %s", v.Kind, v.Counts)
	}
	pairs := attribution.Compare(fromFile(t, publishedRuns+"published-senzing.jsonl.zst"),
		[][2]string{{"cloudwatch/ReadIOPS", "pgstat.database/blks_read"}}, attribution.Options{})
	if len(pairs) != 1 || pairs[0].Sameness != attribution.Same {
		t.Errorf("ReadIOPS and blks_read are %+v", pairs)
	}
	// No metric gets a name that depends on unrecorded quantities: those with a verdict are the source of a quantity.
	for _, v := range all.Metrics {
		made := slices.ContainsFunc(v.Rivals, func(r attribution.Rival) bool { return r.Status == attribution.Itself })
		if (v.Kind == attribution.Logical || v.Kind == attribution.Physical || v.Kind == attribution.Mixed) && !made {
			t.Errorf("%s is %s %s", v.Metric.Name, v.Kind, v.Counts)
		}
	}

	// Three loads with WAL bytes alone: fewer than four, and nearly all candidates were not recorded.
	all = attribution.Judge(fromFile(t, publishedRuns+"published-digitized.jsonl"), attribution.Options{})
	for _, name := range []string{"cloudwatch/VolumeWriteIOPs", "cloudwatch/WriteIOPS"} {
		if v := verdictOn(t, all, name); v.Kind != attribution.CannotTell ||
			!slices.Contains(v.Between, metric.WALBytes) || !slices.Contains(v.Between, metric.WALRecords) {
			t.Errorf("%s is %s between %v", name, v.Kind, v.Between)
		}
	}
	// Three servers on Azure, with pages written and read and no other work: fewer than four loads, requests per page
	// written that vary between 1.15 and 1.42, and all unrecorded quantities stay.
	all = attribution.Judge(fromFile(t, publishedRuns+"published-azure.jsonl"), attribution.Options{})
	for _, name := range []string{"published/disk_write_iops", "published/disk_read_iops", "published/iops"} {
		if v := verdictOn(t, all, name); v.Kind != attribution.CannotTell ||
			!slices.Contains(v.Between, metric.DeviceRequests) || !slices.Contains(v.Between, metric.PagesWritten) {
			t.Errorf("%s is %s between %v", name, v.Kind, v.Between)
		}
	}
	// One load gives no verdict.
	for _, file := range []string{"published-ord.jsonl", "published-steps.jsonl"} {
		for _, v := range attribution.Judge(fromFile(t, publishedRuns+file), attribution.Options{}).Metrics {
			if v.Kind != attribution.CannotTell {
				t.Errorf("%s: %s is %s", file, v.Metric.Name, v.Kind)
			}
		}
	}
}
