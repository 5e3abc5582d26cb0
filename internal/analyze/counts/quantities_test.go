package counts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// TestPagesWritten: one count of pages if there is one, else the sum over the kinds of process, if all are known.
func TestPagesWritten(t *testing.T) {
	check := func(counted map[string]float64, want float64, from []string) {
		t.Helper()
		r := counts.Repetition{Counts: map[string]counts.Count{}}
		for metric, amount := range counted {
			r.Counts[metric] = counts.Count{Amount: amount, Raw: amount, Seconds: 1}
		}
		load := counts.Load{Repetitions: []counts.Repetition{r}}
		run := counts.Run{Loads: []counts.Load{load}}
		for _, d := range run.Quantities() {
			if d.Name != metric.PagesWritten {
				continue
			}
			got, err := d.Count(load, r)
			if (err == nil) != (want > 0) || got != want {
				t.Errorf("%v: %g, %v; want %g", counted, got, err, want)
			}
			if missing, ok := err.(*series.Missing); err != nil &&
				(!ok || missing.Detail != "this run did not read pg_stat_io.writes (relation)") {
				t.Errorf("%v: %v", counted, err)
			}
			if diff := cmp.Diff(from, d.From); diff != "" {
				t.Errorf("%v (-want +got):\n%s", counted, diff)
			}
		}
	}
	const checkpoints, cleaner, sessions = "pgstat.checkpointer/buffers_written", "pgstat.bgwriter/buffers_clean",
		"pgstat.bgwriter/buffers_backend"
	one := []string{"pgstat.io/writes"}
	check(map[string]float64{"pgstat.io/writes": 7, checkpoints: 1, cleaner: 2, sessions: 3}, 7, one)
	check(map[string]float64{checkpoints: 1, cleaner: 2, sessions: 3}, 6, []string{checkpoints, cleaner, sessions})
	// Two new pages count as written by sessions and as read; other reads were no growth.
	check(map[string]float64{checkpoints: 1, cleaner: 2, sessions: 3, "pgstat.database/blks_read": 2}, 4,
		[]string{checkpoints, cleaner, sessions})
	check(map[string]float64{checkpoints: 1, cleaner: 2, sessions: 3, "pgstat.database/blks_read": 9}, 3,
		[]string{checkpoints, cleaner, sessions})
	check(map[string]float64{checkpoints: 1, cleaner: 2}, 0, []string{checkpoints, cleaner, sessions})
	check(nil, 0, one)
}

// TestPartDefinesNothing: one kind of process writes some of the pages, not all.
func TestPartDefinesNothing(t *testing.T) {
	is := func(name string, counted ...string) (all, part bool) {
		r := counts.Repetition{Counts: map[string]counts.Count{}}
		for _, one := range counted {
			r.Counts[one] = counts.Count{Amount: 1, Raw: 1, Seconds: 1}
		}
		run := counts.Run{Loads: []counts.Load{{Repetitions: []counts.Repetition{r}}}}
		for _, d := range run.Quantities() {
			if d.Name == metric.PagesWritten {
				m := counts.Metric{Metric: runfile.Metric{Name: name}, From: []string{name}}
				return m.Defines(d), m.PartOf(d)
			}
		}
		return false, false
	}
	if all, part := is("pgstat.io/writes", "pgstat.io/writes"); !all || part {
		t.Errorf("the one count of pages: all %v, part %v", all, part)
	}
	if all, part := is("pgstat.bgwriter/buffers_clean", "pgstat.bgwriter/buffers_clean"); all || !part {
		t.Errorf("the count of one kind of process: all %v, part %v", all, part)
	}
}

// TestPagesHoldAsManyRows: version 15 writes a page as often as 17, once growth is subtracted. A page holds 185 of
// these narrow rows.
func TestPagesHoldAsManyRows(t *testing.T) {
	for _, version := range []string{"15", "17"} {
		run, err := tally.FromFile("../../../testdata/runs/local-pg" + version + ".jsonl.zst")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range run.Loads {
			if a.Name != "bulk" && a.Name != "copy" {
				continue
			}
			for _, d := range run.Quantities() {
				for _, r := range a.Repetitions {
					pages, err := d.Count(a, r)
					if perPage := float64(r.Work.Rows) / pages; d.Name == metric.PagesWritten &&
						(err != nil || perPage < 180 || perPage > 190) {
						t.Errorf("%s, %s: %.1f rows a page written, %v", version, a.Name, perPage, err)
					}
				}
			}
		}
	}
}

// TestPageImageBytes: the bytes of page images are a quantity of a run that reads, updates or deletes, if its server
// counted them.
func TestPageImageBytes(t *testing.T) {
	const bytes = "pgstat.wal/wal_fpi_bytes"
	for version, want := range map[string]float64{"19.1": 700, "17.5": 0} {
		r := counts.Repetition{Work: counts.Work{Updated: 1}, Counts: map[string]counts.Count{
			"pgstat.wal/wal_fpi": {Amount: 1, Raw: 1, Seconds: 1}}}
		if want > 0 {
			r.Counts[bytes] = counts.Count{Amount: want, Raw: want, Seconds: 1}
		}
		load := counts.Load{Repetitions: []counts.Repetition{r}}
		run := counts.Run{Header: runfile.Run{Target: runfile.Target{Version: version}}, Loads: []counts.Load{load}}
		got := 0.0
		for _, d := range run.Quantities() {
			if d.Name == "page_image_bytes" {
				amount, err := d.Count(load, r)
				if err != nil || d.Side != counts.Physical {
					t.Errorf("%s: %v, %s", version, err, d.Side)
				}
				got += amount
			}
		}
		if got != want {
			t.Errorf("%s: %g bytes of page images, want %g", version, got, want)
		}
	}
}
