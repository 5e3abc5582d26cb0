package attribution_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
)

const publishedRuns = "../../../testdata/runs/"

// TestVerdictsOnPublishedLoads: what the shipped loads of others bear, argued from what they recorded and what that
// bounds.
//
// Nine loads of one workload, with rows, commits and in four of them WAL bytes. WriteIOPS for each row goes from 3.71
// to 3.95, within the tolerance of 1.10; for each commit from 2.6 to 6.7, so that commits are excluded. WAL records and
// index entries were not recorded; of a load that nobody of ours set up neither the clients nor the indexes are known,
// so that nothing bounds WAL fsyncs, WAL writes or what storage did: all of them stay. Aurora writes no pages. Two of
// the loads differ in two indexes, whose entries are 0.66% of the rows: WriteIOPS is 4.7% more at equal rows, and
// three runs of the load without lie within 0.17%. So it counts neither rows nor rows and index entries. The side
// cannot be told.
func TestVerdictsOnPublishedLoads(t *testing.T) {
	all := attribution.Judge(fromFile(t, publishedRuns+"published-senzing.jsonl.zst"), attribution.Options{})
	v := verdictOn(t, all, "cloudwatch/WriteIOPS")
	want := []string{
		counts.Statements, counts.WALRecords, counts.WALBytes, counts.WALWrites, counts.WALSyncs,
		counts.DeviceRequests, counts.DeviceFlushes, counts.DeviceBytes,
	}
	if diff := cmp.Diff(want, v.Between); diff != "" || v.Kind != attribution.CannotTell || v.Counts != "" {
		t.Errorf("WriteIOPS is %s %s between (-want +got):\n%s", v.Kind, v.Counts, diff)
	}
	rows, entries, commits := rivalOf(v, counts.Rows), rivalOf(v, counts.Entries), rivalOf(v, counts.Commits)
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
	// Reads are pages missed, and nothing that is counted of writing.
	if v := verdictOn(t, all, "cloudwatch/ReadIOPS"); v.Kind != attribution.CannotTell || v.Counts != "" {
		t.Errorf("ReadIOPS is %s %s", v.Kind, v.Counts)
	}
	pairs := attribution.Compare(fromFile(t, publishedRuns+"published-senzing.jsonl.zst"),
		[][2]string{{"cloudwatch/ReadIOPS", "pgstat.database/blks_read"}}, attribution.Options{})
	if len(pairs) != 1 || pairs[0].Sameness != attribution.Same {
		t.Errorf("ReadIOPS and blks_read are %+v", pairs)
	}
	// No metric of them gets a name that rests on what was not recorded: those with a verdict are what a quantity is
	// made of.
	for _, v := range all.Metrics {
		made := slices.ContainsFunc(v.Rivals, func(r attribution.Rival) bool { return r.Status == attribution.Itself })
		if (v.Kind == attribution.Logical || v.Kind == attribution.Physical || v.Kind == attribution.Mixed) && !made {
			t.Errorf("%s is %s %s", v.Metric.Name, v.Kind, v.Counts)
		}
	}

	// Three loads with WAL bytes and nothing else: fewer than four, and nearly all that the metrics may count was not
	// recorded.
	all = attribution.Judge(fromFile(t, publishedRuns+"published-digitized.jsonl"), attribution.Options{})
	for _, name := range []string{"cloudwatch/VolumeWriteIOPs", "cloudwatch/WriteIOPS"} {
		if v := verdictOn(t, all, name); v.Kind != attribution.CannotTell ||
			!slices.Contains(v.Between, counts.WALBytes) || !slices.Contains(v.Between, counts.WALRecords) {
			t.Errorf("%s is %s between %v", name, v.Kind, v.Between)
		}
	}
	// Three servers on Azure, with pages written and read and nothing else of the work: fewer than four loads, whose
	// requests for a page written differ by 1.15 to 1.42, and all that was not recorded stays.
	all = attribution.Judge(fromFile(t, publishedRuns+"published-azure.jsonl"), attribution.Options{})
	for _, name := range []string{"published/disk_write_iops", "published/disk_read_iops", "published/iops"} {
		if v := verdictOn(t, all, name); v.Kind != attribution.CannotTell ||
			!slices.Contains(v.Between, counts.DeviceRequests) || !slices.Contains(v.Between, counts.PagesWritten) {
			t.Errorf("%s is %s between %v", name, v.Kind, v.Between)
		}
	}
	// One load tells no verdict, whatever it shows.
	for _, file := range []string{"published-ord.jsonl", "published-steps.jsonl"} {
		for _, v := range attribution.Judge(fromFile(t, publishedRuns+file), attribution.Options{}).Metrics {
			if v.Kind != attribution.CannotTell {
				t.Errorf("%s: %s is %s", file, v.Metric.Name, v.Kind)
			}
		}
	}
}
