package tally_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// published returns a run of two loads of four hours as others published it, changed by mend, with WriteIOPS by the
// minute.
func published(t *testing.T, mend func(load string, totals map[string]float64, window *runfile.Total,
	proof *runfile.Proof)) *counts.Run {
	t.Helper()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	records := []runfile.Record{runfile.Run{
		Schema: runfile.Schema, ID: "made", Start: noon, Target: runfile.Target{Flavor: "aurora", Version: "17.5"},
		Plan: runfile.Plan{Repetitions: 1, Loads: []runfile.Load{{Name: "one", Method: runfile.Observed},
			{Name: "other", Method: runfile.Observed}}},
	}}
	for _, m := range []runfile.Metric{
		{Name: "cloudwatch/WriteIOPS", Unit: "operations", Type: runfile.Rate, Period: 60},
		{Name: "cloudwatch/ReadIOPS", Unit: "operations", Type: runfile.Rate, Period: 60},
		{Name: "cloudwatch/VolumeReadIOPs", Unit: "operations", Type: runfile.CountPerPeriod, Period: 300},
		{Name: "cloudwatch/VolumeWriteIOPs", Unit: "operations", Type: runfile.CountPerPeriod, Period: 300},
		{Name: "pgstat.database/blks_read", Unit: "blocks", Type: runfile.Counter},
		{Name: "pgstat.tables.orders/n_tup_ins", Unit: "rows", Type: runfile.Counter},
	} {
		records = append(records, m)
	}
	for i, load := range []string{"one", "other"} {
		from := noon.Add(time.Duration(i) * 24 * time.Hour)
		to := from.Add(4 * time.Hour)
		totals := map[string]float64{
			"cloudwatch/WriteIOPS": float64(72_043_200 + 60*i), "cloudwatch/ReadIOPS": float64(7_000_017 + i),
			"pgstat.database/blks_read":      float64(7_000_117 + i),
			"pgstat.tables.orders/n_tup_ins": 1_000_000,
		}
		window := &runfile.Total{Load: load, Repetition: 1, Probe: "cloudwatch", From: from, To: to, Values: totals}
		proof := &runfile.Proof{At: to, Load: load, Repetition: 1, Rows: 1_000_000,
			Counter: "pgstat.tables.orders/n_tup_ins"}
		mend(load, totals, window, proof)
		records = append(records, runfile.LoadEvent{At: from, Load: load, Repetition: 1, Event: runfile.Begin},
			*window, *proof, runfile.LoadEvent{At: to, Load: load, Repetition: 1, Event: runfile.End})
		for at := from; at.Before(to); at = at.Add(time.Minute) {
			records = append(records, runfile.Period{
				From: at, To: at.Add(time.Minute), Probe: "cloudwatch", Metric: "cloudwatch/WriteIOPS",
				Statistic: "Average", Value: 5000 + at.Sub(from).Minutes()/40, Fetched: to,
			})
		}
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestTrapsOfPublishedFigures: defects of published figures are refused or reported, and sound figures are used.
func TestTrapsOfPublishedFigures(t *testing.T) {
	type totals = map[string]float64
	sound := func(string, totals, *runfile.Total, *runfile.Proof) {}
	for name, c := range map[string]struct {
		mend            func(string, totals, *runfile.Total, *runfile.Proof)
		missing, reason string // prefix of the metric of load one, and why it is missing
		leftOut, note   string // why load one is left out; a note
	}{
		"sound": {mend: sound},
		"a sum of averages, by its minutes": {
			mend:    func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) { v["cloudwatch/WriteIOPS"] /= 60 },
			missing: "cloudwatch/WriteIOPS", reason: "sum of its averages", note: "sum-of-averages",
		},
		"a sum of averages, by the pages missed": {
			mend: func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) {
				v["pgstat.database/blks_read"] *= 60
			},
			missing: "cloudwatch/ReadIOPS", reason: "sum of its averages", note: "sum-of-averages",
		},
		"sums of averages by the name of the volume's": {
			mend: func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) {
				v["cloudwatch/VolumeReadIOPs"] = v["cloudwatch/ReadIOPS"] / 60
				delete(v, "cloudwatch/ReadIOPS")
			},
			missing: "cloudwatch/VolumeReadIOPs", reason: "the metrics seem to be mislabelled", note: "mislabelled",
		},
		"operations by the name of the volume's": {
			mend: func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) {
				v["cloudwatch/VolumeWriteIOPs"], v["cloudwatch/VolumeReadIOPs"] = v["cloudwatch/WriteIOPS"],
					v["cloudwatch/ReadIOPS"]
				delete(v, "cloudwatch/WriteIOPS")
				delete(v, "cloudwatch/ReadIOPS")
			},
			missing: "cloudwatch/Volume", reason: "the metrics seem to be mislabelled", note: "mislabelled",
		},
		"billed reads as they were seen": {
			mend: func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) {
				v["cloudwatch/VolumeReadIOPs"] = 0.34 * v["cloudwatch/ReadIOPS"]
			},
		},
		"copied digits": {
			mend: func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) {
				v["cloudwatch/ReadIOPS"] = 7_000_017
			}, note: "copied",
		},
		"a rounded number that two loads share": {
			mend: func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) { v["cloudwatch/ReadIOPS"] = 7_001_700 },
		},
		"a window that begins within the load, by its rows": {
			mend: func(load string, v totals, _ *runfile.Total, _ *runfile.Proof) {
				if load == "one" {
					v["pgstat.tables.orders/n_tup_ins"] = 820_135
				}
			},
			leftOut: "counted 820,135 of 1,000,000 rows",
		},
		"a window that begins within the load, by its times": {
			mend: func(_ string, _ totals, w *runfile.Total, _ *runfile.Proof) {
				w.From = w.From.Add(54 * time.Minute)
			},
			missing: "pgstat.database/blks_read", reason: "began 54 min into the load",
		},
		"totals since the server's start": {
			mend: func(_ string, _ totals, w *runfile.Total, _ *runfile.Proof) {
				w.From = w.From.Add(-2 * time.Hour)
			},
			missing: "pgstat.database/blks_read", reason: "began 2 h before the load",
		},
		"a total of less than nothing": {
			mend: func(_ string, v totals, _ *runfile.Total, _ *runfile.Proof) {
				v["pgstat.database/blks_read"] = -5
			},
			missing: "pgstat.database/blks_read", reason: "reports -5 in all",
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := published(t, c.mend)
			load := run.Loads[0]
			if (c.leftOut != "") != (len(load.LeftOut) == 1) || c.leftOut != "" &&
				!strings.Contains(load.LeftOut[0].Why, c.leftOut) {
				t.Fatalf("left out: %+v, want %q", load.LeftOut, c.leftOut)
			}
			noted := ""
			for _, n := range run.Notes {
				noted = n.Code
			}
			if noted != c.note {
				t.Errorf("notes %+v, want %q", run.Notes, c.note)
			}
			if c.leftOut != "" {
				return
			}
			for metric, count := range load.Repetitions[0].Counts {
				told := c.missing == "" || !strings.HasPrefix(metric, c.missing)
				switch why := count.Missing; {
				case !told && (why == nil || !strings.Contains(why.Detail, c.reason)):
					t.Errorf("%s is %+v, want it missing because %q", metric, count, c.reason)
				case told && why != nil && why.Reason != counts.OtherWindow:
					t.Errorf("%s is missing: %v", metric, why)
				}
			}
		})
	}
}

// TestMinutesAreNotPaired: the minutes of a file are not aligned, so a published load with totals does not use them.
// Shifting a metric by a minute changes nothing.
func TestMinutesAreNotPaired(t *testing.T) {
	const file = "../../../testdata/runs/published-senzing.jsonl.zst"
	counted := func(shift time.Duration) map[string]counts.Count {
		records := runfiletest.Records(t, file)
		for i, record := range records {
			if p, is := record.(runfile.Period); is && p.Metric == "cloudwatch/WriteIOPS" {
				p.From, p.To = p.From.Add(shift), p.To.Add(shift)
				records[i] = p
			}
		}
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		over, _ := run.Over("cloudwatch/WriteIOPS")
		all := map[string]counts.Count{}
		for _, load := range over.Loads {
			for _, r := range load.Repetitions {
				for name, count := range r.Counts {
					if m, _ := run.Counter(name); m.Type == runfile.Counter || name == "cloudwatch/WriteIOPS" {
						all[load.Name+" "+name] = count
					}
				}
			}
		}
		return all
	}
	want := counted(0)
	if len(want) < 100 {
		t.Fatalf("only %d counts", len(want))
	}
	for _, shift := range []time.Duration{-time.Minute, time.Minute} {
		if diff := cmp.Diff(want, counted(shift)); diff != "" {
			t.Errorf("by %v (-as published +shifted):\n%s", shift, diff)
		}
	}
}

// TestEditedFilesHaveVersions: figures of an edited file come with its commit, or with a note that it is missing.
func TestEditedFilesHaveVersions(t *testing.T) {
	for _, name := range []string{"senzing.jsonl.zst", "digitized.jsonl", "steps.jsonl", "ord.jsonl", "azure.jsonl",
		"aurora.jsonl"} {
		run, err := tally.FromFile("../../../testdata/runs/published-" + name)
		if err != nil {
			t.Fatal(err)
		}
		if said := notesOf(run, "no-version"); len(said) > 0 {
			t.Errorf("%s: %v", name, said)
		}
	}
	run, err := tally.FromRun(runfiletest.Sequence([]runfile.Record{
		runfile.Run{Schema: runfile.Schema, ID: "made"}, runfile.Origin{Load: "one", Repetition: 1, Probe: "cloudwatch",
			Place: "a repository", File: "README.md", How: runfile.Published},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if said := notesOf(run, "no-version"); len(said) != 1 || !strings.Contains(said[0], "README.md of one") {
		t.Errorf("of a file without its version it is said %v", said)
	}
}

func notesOf(run *counts.Run, code string) (texts []string) {
	for _, n := range run.Notes {
		if n.Code == code {
			texts = append(texts, n.Text)
		}
	}
	return texts
}
