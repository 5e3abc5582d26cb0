package report_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

const (
	publishedRun    = "../../../testdata/runs/published-aurora.jsonl"
	publishedSource = "../../../testdata/runs/sources/published-aurora.json"
)

// published is the source of the published pair of runs.
type published struct {
	Seconds float64         `json:"seconds"`
	Runs    []publishedPair `json:"runs"`
}

type publishedPair struct {
	Load         string   `json:"load"`
	Indexes      int      `json:"indexes"`
	Transactions int64    `json:"transactions"`
	WriteIOPS    float64  `json:"write_iops"`
	VolumeWrites *float64 `json:"volume_write_iops_in_300_s"`
}

const publishedRowsPerTx = 1000

func publishedPairs(t *testing.T) published {
	t.Helper()
	content, err := os.ReadFile(publishedSource)
	if err != nil {
		t.Fatal(err)
	}
	var p published
	if err := json.Unmarshal(content, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPublishedRunIsItsSource makes the shipped run from its source and compares; -update writes it.
func TestPublishedRunIsItsSource(t *testing.T) {
	runfiletest.IsMadeOf(t, publishedRun, publishedRecords(publishedPairs(t)), *update)
}

// publishedDay stands in for the unknown times of the published runs.
var publishedDay = time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC)

func publishedRecords(p published) []runfile.Record {
	records := append([]runfile.Record{publishedHeader(p)}, publishedMetrics()...)
	records = append(records, runfile.Gap{At: publishedDay, Probe: "block", Reason: runfile.NotLocal,
		Detail: "Aurora's storage is out of sight, and no other count of what it did was published"})
	at := publishedDay
	for _, r := range p.Runs {
		from, to := at.Add(time.Second), at.Add(time.Second+seconds(p.Seconds))
		rows := r.Transactions * publishedRowsPerTx
		records = append(records,
			runfile.LoadEvent{At: from, Load: r.Load, Repetition: 1, Event: runfile.Begin},
			runfile.Work{From: from, To: to, Load: r.Load, Repetition: 1, Transactions: r.Transactions,
				Statements: r.Transactions, Rows: rows},
			runfile.Period{From: from, To: to, Probe: "cloudwatch", Metric: "cloudwatch/WriteIOPS",
				Statistic: "Average", Value: r.WriteIOPS, Fetched: to},
			runfile.Period{From: from, To: to, Probe: "insights", Metric: insightsWrites, Statistic: "Average",
				Value: r.WriteIOPS, Fetched: to})
		if r.VolumeWrites != nil {
			records = append(records, runfile.Period{
				From: from.Add(300 * time.Second), To: from.Add(600 * time.Second), Probe: "cloudwatch",
				Metric: "cloudwatch/VolumeWriteIOPs", Statistic: "Sum", Value: *r.VolumeWrites, Fetched: to,
			})
		}
		records = append(records, runfile.LoadEvent{At: to.Add(time.Second), Load: r.Load, Repetition: 1,
			Event: runfile.End})
		at = to.Add(time.Minute)
	}
	return append(records, runfile.Ended{At: at, Status: runfile.Complete})
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

const insightsWrites = "insights/os.diskIO.auroraStorage.writeIOsPS"

func publishedHeader(p published) runfile.Run {
	run := runfile.Run{
		Schema: runfile.Schema, ID: "published-aurora", Start: publishedDay, Version: "none",
		Target: runfile.Target{Kind: "dsn", Flavor: "aurora", Version: "16.4"},
		Plan:   runfile.Plan{Name: "published", Repetitions: 1, LoadSeconds: p.Seconds},
		Provenance: "Published by Franck Pachot in November 2024, and not read by realiops: transactions as pgbench " +
			"counted them, and what was said of the metrics, in round numbers. Nothing else was published, WAL " +
			"records neither. The " +
			"times of day are made up (testdata/runs/README.md)",
	}
	for _, r := range p.Runs {
		run.Plan.Loads = append(run.Plan.Loads, runfile.Load{
			Name: r.Load, Method: "insert-select", RowsPerTx: publishedRowsPerTx, Indexes: r.Indexes, Clients: 50,
		})
	}
	return run
}

func publishedMetrics() []runfile.Record {
	return []runfile.Record{
		runfile.Metric{Name: "block/flushes", Unit: "operations", Type: runfile.Counter,
			Help: "flushes of the device's cache"},
		runfile.Metric{Name: "block/write_bytes", Unit: "bytes", Type: runfile.Counter,
			Help: "bytes written to the device"},
		runfile.Metric{Name: "block/writes", Unit: "operations", Type: runfile.Counter,
			Help: "write requests completed by the device, empty flushes among them"},
		runfile.Metric{Name: "cloudwatch/VolumeWriteIOPs", Unit: "operations", Type: runfile.CountPerPeriod, Period: 300,
			Help: "billed write operations of the cluster's volume"},
		runfile.Metric{Name: "cloudwatch/WriteIOPS", Unit: "operations", Type: runfile.Rate, Period: 60,
			Help: "write operations per second of the instance"},
		runfile.Metric{Name: insightsWrites, Unit: "operations", Type: runfile.Rate, Period: 60,
			Help: "write operations per second to Aurora's storage"},
	}
}

// TestPublishedPair checks what the two published runs can and cannot show.
func TestPublishedPair(t *testing.T) {
	r := read(t, publishedRun)
	byName := map[string]report.Metric{}
	for _, m := range r.Metrics {
		byName[m.Metric] = m
	}
	for _, name := range []string{"cloudwatch/WriteIOPS", insightsWrites} {
		m := byName[name]
		if m.Kind != "logical" || m.Misnomer != "IOPS" || m.SettleWith == nil || m.SettleWith.Load != "copy" {
			t.Errorf("%s is %s, called %q, settled by %+v", name, m.Kind, m.Misnomer, m.SettleWith)
		}
		if diff := cmp.Diff([]metric.Quantity{metric.Entries, metric.WALRecords}, m.Between); diff != "" {
			t.Errorf("%s is open between: %s", name, diff)
		}
		// 1.0313 records per entry in bulk, 3.0472 for three in bulk-indexed, 0.0377 in copy, as measured elsewhere
		if factor := math.Sqrt(1.0313*3.0472/3) / 0.0377; m.SettleWith != nil &&
			math.Abs(float64(m.SettleWith.Factor)/factor-1) > 0.02 {
			t.Errorf("the copy load parts them by %g, want %g", m.SettleWith.Factor, factor)
		}
		for _, rival := range m.Rivals {
			if rival.Quantity != "entries" {
				continue
			}
			// 120,000 and 100,000 a second, for 105,700,000 rows and 3 x 28,317,000 entries in 900 s
			want := []float64{120_000 / (105_700_000 / 900.), 100_000 / (3 * 28_317_000 / 900.)}
			got := []float64{rival.Loads[0].Ratio.Value, rival.Loads[1].Ratio.Value}
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("%s for one entry: %s", name, diff)
			}
		}
	}
	if m := byName["cloudwatch/VolumeWriteIOPs"]; m.Kind != "cannot_tell" || m.PerUnit != nil {
		t.Errorf("of one load only, VolumeWriteIOPs was found to be %s %s", m.Kind, m.Counts)
	}
	text := unwrapped(textOf(t, r, 80))
	for _, want := range []string{
		"CloudWatch WriteIOPS showed 120,000 a second (bulk). Despite its name, it counts rows+index entries " +
			"or WAL records, " +
			"which is logical work, not storage I/O. This run cannot tell what was written to storage.",
		"this run counted no other kind of quantity",
		"To find out: realiops run --plan identify --dsn ...",
		"Performance Insights os.diskIO.auroraStorage.writeIOsPS and CloudWatch WriteIOPS are the same number: the " +
			"ratio is 1.00 under 2 loads.",
		"CloudWatch VolumeWriteIOPs: the source did not change during these loads (bulk): 246,000 in 5 min; it changes " +
			"in steps of about 1 h",
		"bulk 117,000 ±?",        // 105,700,000 / 900 = 117,444
		"bulk-indexed 31,500 ±?", // 28,317,000 / 900 = 31,463
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}

// TestContradictedClaim: the published pair with a hundredth of its WriteIOPS contradicts the claim about it, and the
// claim says so.
func TestContradictedClaim(t *testing.T) {
	for divisor, want := range map[float64]string{
		1: metric.WriteIOPSOnAurora, 100: metric.WriteIOPSOnAurora + " This run contradicts it.",
	} {
		p := publishedPairs(t)
		for i := range p.Runs {
			p.Runs[i].WriteIOPS /= divisor
		}
		run, err := tally.FromRun(runfiletest.Sequence(publishedRecords(p)))
		if err != nil {
			t.Fatal(err)
		}
		r := report.New(run, attribution.Judge(run, attribution.Options{}))
		i := slices.IndexFunc(r.Warnings, func(w report.Warning) bool { return w.Code == "claimed" })
		if i < 0 || r.Warnings[i].Text != want {
			t.Errorf("WriteIOPS by %g: %+v", divisor, r.Warnings)
		}
	}
}
