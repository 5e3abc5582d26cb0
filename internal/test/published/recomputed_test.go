package published_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/published"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// told holds a shipped file's figures of its loads: totals by load and metric, and minutes.
type told struct {
	totals  map[string]map[string]float64
	minutes map[string]map[string][]float64
}

func tell(t *testing.T, file string) told {
	t.Helper()
	all := told{map[string]map[string]float64{}, map[string]map[string][]float64{}}
	load := ""
	for _, r := range runfiletest.Records(t, runs+file) {
		switch r := r.(type) {
		case runfile.Origin:
			load = r.Load
		case runfile.Total:
			if all.totals[r.Load] == nil {
				all.totals[r.Load] = map[string]float64{}
			}
			maps.Copy(all.totals[r.Load], r.Values)
		case runfile.Period: // of the load named last
			if all.minutes[load] == nil {
				all.minutes[load] = map[string][]float64{}
			}
			all.minutes[load][r.Metric] = append(all.minutes[load][r.Metric], r.Value)
		}
	}
	return all
}

func (a told) rows(load string) float64 {
	of := a.totals[load]
	return of["pgstat.database/tup_inserted"] + of["pgstat.database/tup_updated"] + of["pgstat.database/tup_deleted"]
}

const (
	writes      = "cloudwatch/WriteIOPS"
	reads       = "cloudwatch/ReadIOPS"
	bytes       = "cloudwatch/WriteThroughput"
	transmitted = "cloudwatch/StorageNetworkTransmitThroughput"
	billed      = "cloudwatch/VolumeWriteIOPs"
	billedReads = "cloudwatch/VolumeReadIOPs"
	missed      = "pgstat.database/blks_read"
	commits     = "pgstat.database/xact_commit"
)

// shown compares a number with its published digits.
func shown(t *testing.T, what, want string, got float64, format string) {
	t.Helper()
	if said := fmt.Sprintf(format, got); said != want {
		t.Errorf("%s: %s, want %s", what, said, want)
	}
}

// TestTableOfLoads computes the table of the published loads from the shipped file: millions of rows,
// writes and reads, and their ratios. "no" means that rows and writes have different times, "too few"
// that next to nothing was read.
func TestTableOfLoads(t *testing.T) {
	all := tell(t, "published-senzing.jsonl.zst")
	run, err := tally.FromFile(runs + "published-senzing.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"20260619", "1186.8", "6616.7", "no", "119.26", "119.54", "no"},
		{"20260622", "1809.0", "7107.3", "3.929", "128.5", "128.75", "0.998"},
		{"20260714", "5357.6", "25296.4", "no", "1993.6", "1985.7", "no"},
		{"20260715", "6561.5", "25181.3", "3.838", "1993.6", "1962.6", "1.016"},
		{"20260716", "7148.0", "28029.8", "3.921", "2377.6", "2396", "0.992"},
		{"20260720", "7274.0", "28705.2", "3.946", "2064.8", "2064.7", "1.000"},
		{"20260722", "6340.8", "24713.7", "3.898", "2757.1", "2751.9", "1.002"},
		{"20260826", "116.7", "433.5", "3.715", "4.2e-05", "0.000151", "too few"},
		{"20260827", "116.2", "431.9", "3.718", "3.6e-05", "0.000199", "too few"},
		{"20260828-loadonly", "116.0", "430.5", "3.712", "8.4e-05", "0.000144", "too few"},
		{"20260828-loadonly-hnsw", "115.9", "450.3", "3.886", "5.4e-05", "0.00013", "too few"},
	}
	var got [][]string
	for _, load := range run.Loads {
		of, rows := all.totals[load.Name], all.rows(load.Name)
		perRow, perPage := "no", "no"
		if len(load.Repetitions) == 1 {
			perRow, perPage = fmt.Sprintf("%.3f", of[writes]/rows), fmt.Sprintf("%.3f", of[reads]/of[missed])
		}
		if of[missed] < 1000 {
			perPage = "too few"
		}
		millions := func(format string, n float64) string { return fmt.Sprintf(format, n/1e6) }
		got = append(got, []string{
			load.Name, millions("%.1f", rows), millions("%.1f", of[writes]), perRow, millions("%.5g", of[reads]),
			millions("%.5g", of[missed]), perPage,
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-as written down +as computed):\n%s", diff)
	}
}

// TestIdleAndPeak: the writes of an idle server, and the highest minute, in the loads with
// minutes, whose sums are CloudWatch's.
func TestIdleAndPeak(t *testing.T) {
	all := tell(t, "published-senzing.jsonl.zst")
	if len(all.minutes) != 4 {
		t.Fatalf("%d loads have minutes, not 4", len(all.minutes))
	}
	var idle, idleBytes, peaks []float64
	for load, of := range all.minutes {
		sum := 0.0
		for i, w := range of[writes] {
			sum += 60 * w
			if w < 10 {
				idle, idleBytes = append(idle, w), append(idleBytes, of[bytes][i])
			}
		}
		peaks = append(peaks, slices.Max(of[writes]))
		if off := math.Abs(all.totals[load][writes]/sum - 1); off > 1e-4 {
			t.Errorf("the minutes of %s come to %.0f, and their published sum is %.0f", load, sum,
				all.totals[load][writes])
		}
	}
	if w := mean(idle); math.Abs(w/7.66-1) > 0.005 {
		t.Errorf("an idle server writes %g a second, want 7.66", w)
	}
	shown(t, "and bytes a second, about", "1.4e+03", mean(idleBytes), "%.2g")
	slices.Sort(peaks)
	shown(t, "the lowest of the peaks", "556", peaks[0]/1000, "%.0f")
	shown(t, "the highest of the peaks", "636", peaks[3]/1000, "%.0f")
}

// TestIndexPair: the load with two HNSW indexes and the one without. Rows and index entries predict 0.77 million more
// writes at equal rows; there were 26 times as many.
func TestIndexPair(t *testing.T) {
	all := tell(t, "published-senzing.jsonl.zst")
	run, err := tally.FromFile(runs + "published-senzing.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	load, _ := run.Load("20260828-loadonly-hnsw")
	entries := float64(load.MoreEntries)
	with, without := all.totals[load.Name], all.totals[load.Like]
	rows, rowsWithout := all.rows(load.Name), all.rows(load.Like)
	more := with[writes] - without[writes]
	atEqualRows := with[writes] - without[writes]*rows/rowsWithout
	shown(t, "new entries", "764865", entries, "%.0f")
	shown(t, "rows more, %", "-0.11", 100*(rows/rowsWithout-1), "%.2f")
	shown(t, "writes more, M", "19.80", more/1e6, "%.2f")
	shown(t, "writes more, %", "4.60", 100*more/without[writes], "%.2f")
	shown(t, "at equal rows, M", "20.26", atEqualRows/1e6, "%.2f")
	shown(t, "for each new entry, at least", "25.9", more/entries, "%.1f")
	shown(t, "for each new entry, at equal rows", "26.5", atEqualRows/entries, "%.1f")
	shown(t, "GB without", "100.4", without[bytes]/1e9, "%.1f")
	shown(t, "GB with", "106.8", with[bytes]/1e9, "%.1f")
	shown(t, "bytes more, %", "6.45", 100*(with[bytes]/without[bytes]-1), "%.2f")
	shown(t, "kB for each new entry", "8.5", (with[bytes]-without[bytes])/entries/1000, "%.1f")
	shown(t, "bytes a record without", "233", without[bytes]/without[writes], "%.0f")
	shown(t, "bytes a record in the difference", "327", (with[bytes]-without[bytes])/more, "%.0f")
	shown(t, "hits with, thousand million", "4.7", with["pgstat.database/blks_hit"]/1e9, "%.1f")
	shown(t, "hits without, thousand million", "2.2", without["pgstat.database/blks_hit"]/1e9, "%.1f")
	var same []float64
	for _, name := range []string{"20260826", "20260827", load.Like} {
		same = append(same, all.totals[name][writes]/all.rows(name))
	}
	shown(t, "three runs of one load lie within, %", "0.17", 100*(slices.Max(same)/slices.Min(same)-1), "%.2f")
}

// TestViewsThere: PostgreSQL's own views on Aurora. Counts since the server's start are in
// the file, but not in the run.
func TestViewsThere(t *testing.T) {
	all := tell(t, "published-senzing.jsonl.zst")
	run, err := tally.FromFile(runs + "published-senzing.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	var share, perWrite []float64
	for _, load := range run.Loads {
		of := all.totals[load.Name]
		if of["pgstat.io/writes"] != 945 {
			t.Errorf("%s: %g writes, want the 945 of one bulk write", load.Name, of["pgstat.io/writes"])
		}
		if of["pgstat.io/extends"] < 4.8e6 {
			t.Errorf("%s: only %g extends", load.Name, of["pgstat.io/extends"])
		}
		if len(load.Repetitions) == 0 {
			continue
		}
		if c := load.Repetitions[0].Counts["pgstat.io/reads"]; c.Missing == nil ||
			c.Missing.Reason != counts.OtherWindow {
			t.Errorf("%s: pg_stat_io, which counts since the server's start, was taken for the load's: %+v",
				load.Name, c)
		}
		perWrite = append(perWrite, of[commits]/of[writes])
		if of[missed] > 1e6 {
			share = append(share, of["pgstat.io/reads"]/of[missed])
			continue
		}
		wait, extend := of["pgstat.database/blk_write_time"], of["pgstat.io/extend_time"]
		if wait < 105 || wait > 133 || math.Abs(wait/extend-1) > 0.01 {
			t.Errorf("%s: blk_write_time is %g s and extend_time %g s", load.Name, wait, extend)
		}
	}
	slices.Sort(share)
	slices.Sort(perWrite)
	shown(t, "pg_stat_io reads of blks_read, least", "0.83", share[0], "%.2f")
	shown(t, "pg_stat_io reads of blks_read, most", "0.88", share[len(share)-1], "%.2f")
	shown(t, "commits for each write, least", "0.15", perWrite[0], "%.2f")
	shown(t, "commits for each write, most", "0.38", perWrite[len(perWrite)-1], "%.2f")
}

// TestBilled: the billed operations of the loads with charts, and of the Open Reaction Database's load.
func TestBilled(t *testing.T) {
	all := tell(t, "published-digitized.jsonl")
	check := func(load string, perRecord, perUnit, perPage, width string) {
		t.Helper()
		of := all.totals[load]
		shown(t, load+" records for each billed write", perRecord, of[writes]/of[billed], "%.0f")
		shown(t, load+" billed writes for 4,096 bytes", perUnit, of[billed]*4096/of[bytes], "%.3f")
		shown(t, load+" billed reads for each page missed", perPage, of[billedReads]/of[reads], "%.2f")
		shown(t, load+" bytes a record", width, of[bytes]/of[writes], "%.0f")
	}
	check("20260408", "64", "0.338", "0.64", "189")
	check("20250813", "65", "0.333", "0.34", "190")
	check("20250916", "71", "0.303", "0.36", "190")
	of := all.totals["20260408"]
	shown(t, "bytes sent for each written", "6.12", of[transmitted]/of[bytes], "%.2f")
	// Records from the charts against the READMEs' sums times 60.
	for load, sum := range map[string]float64{"20260408": 118448552, "20250813": 474989850, "20250916": 473285471} {
		if off := math.Abs(all.totals[load][writes]/(60*sum) - 1); off > 0.0065 {
			t.Errorf("%s: the records of the chart are %.2f%% off those of the README", load, 100*off)
		}
	}
	ord := tell(t, "published-ord.jsonl").totals["orm-ingest"]
	shown(t, "objects for each billed write", "3.3", ord["published/orm_objects"]/ord[billed], "%.1f")
	// Pachot: 246,000 in five minutes, of loads of 105,700,000 rows in 900 s and 75.4 bytes
	// of WAL a row on PostgreSQL 17.
	perSecond, rows := 246_000/300., 105_700_000/900.
	shown(t, "Pachot, rows for each billed write", "143", rows/perSecond, "%.0f")
	shown(t, "Pachot, billed writes for 4,096 bytes", "0.379", perSecond*4096/(rows*75.4), "%.3f")
}

// TestElsewhere: on Azure's flexible server the monitor's operations are requests, slightly more than pages written
// and slightly fewer than pages read. The paper on Aurora gives the I/Os of a MySQL transaction.
func TestElsewhere(t *testing.T) {
	run, err := tally.FromFile(runs + "published-azure.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var forWritten, forRead []float64
	for _, load := range run.Loads {
		if len(load.Repetitions) != 5 {
			t.Errorf("%s has %d repetitions, and 5 were published", load.Name, len(load.Repetitions))
		}
		for _, r := range load.Repetitions {
			count := func(name string) float64 {
				n, why := r.Count(name)
				if why != nil {
					t.Fatalf("%s %d %s: %v", load.Name, r.Number, name, why)
				}
				return n
			}
			if load.Name != "iaas-premium-ssd" { // not a flexible server
				forWritten = append(forWritten, count("published/disk_write_iops")/count("pgstat.io/writes"))
				forRead = append(forRead, count("published/disk_read_iops")/count("pgstat.io/reads"))
			}
		}
	}
	shown(t, "requests for a page written, least", "1.15", slices.Min(forWritten), "%.2f")
	shown(t, "requests for a page written, most", "1.42", slices.Max(forWritten), "%.2f")
	shown(t, "requests for a page read, least", "0.85", slices.Min(forRead), "%.2f")
	shown(t, "requests for a page read, most", "0.98", slices.Max(forRead), "%.2f")

	// 30 minutes of SysBench: 35 times the transactions, and 7.8 times fewer I/Os of the node for each.
	paper := published.ReadSIGMOD(t, sources+"/sigmod2017.json")
	mirrored, aurora := paper.Rows[0], paper.Rows[1]
	shown(t, "transactions of Aurora for one of mirrored MySQL", "35", aurora.Transactions/mirrored.Transactions, "%.0f")
	shown(t, "I/Os for a transaction, mirrored MySQL for Aurora", "7.8", mirrored.IOs/aurora.IOs, "%.1f")
	shown(t, "I/Os of Aurora's node a second", "14450", aurora.Transactions*aurora.IOs/(60*paper.Conditions.Minutes),
		"%.0f")
}

func mean(of []float64) float64 {
	sum := 0.0
	for _, x := range of {
		sum += x
	}
	return sum / float64(len(of))
}
