package report_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestOrderSaysWhatIsUnmeasured: an order that uses a model, or leaves out a planned load, says so first. The load
// with the largest need is wide.
func TestOrderSaysWhatIsUnmeasured(t *testing.T) {
	whole := runfiletest.Records(t, "../../../testdata/runs/loads-pg17.jsonl")
	without := func(gone func(runfile.Record) bool) []runfile.Record {
		return slices.DeleteFunc(slices.Clone(whole), gone)
	}
	const model, wide = "The size is from a model", "What wide needed is unknown"
	noDisk := without(func(r runfile.Record) bool {
		reading, ok := r.(runfile.Reading)
		return ok && reading.Probe == "block"
	})
	noWide := without(func(r runfile.Record) bool {
		event, ok := r.(runfile.LoadEvent)
		work, worked := r.(runfile.Work)
		return ok && event.Load == "wide" || worked && work.Load == "wide"
	})
	for _, c := range []struct {
		of      string
		records []runfile.Record
		load    string
		want    []string
	}{
		{"all", whole, "", nil},
		{"no disk", noDisk, "", []string{model}},
		{"no disk, one load", noDisk, "bulk", []string{model}},
		{"without wide", noWide, "", []string{wide}},
		{"without wide, one load", noWide, "bulk", nil},
	} {
		run, err := tally.FromRun(runfiletest.Sequence(c.records))
		if err != nil {
			t.Fatal(err)
		}
		s, err := sizing.Size(sizing.Ask{GiB: 500, Load: c.load}, run)
		if err != nil {
			t.Fatal(err)
		}
		first := sizes.NewSize(s).Cautions
		for _, text := range []string{model, wide} {
			said := slices.ContainsFunc(first, func(s string) bool { return strings.Contains(s, text) })
			if said != slices.Contains(c.want, text) {
				t.Errorf("%s: the order says %q, want %q in it: %t", c.of, first, text, !said)
			}
		}
	}
}

// TestDeviceInPartIsReported: the device was read only during the first two repetitions of bulk.
func TestDeviceInPartIsReported(t *testing.T) {
	var during string
	records := slices.DeleteFunc(runfiletest.Records(t, "../../../testdata/runs/loads-pg17.jsonl"),
		func(r runfile.Record) bool {
			if event, ok := r.(runfile.LoadEvent); ok {
				during = fmt.Sprint(event.Load, event.Repetition)
			}
			reading, ok := r.(runfile.Reading)
			return ok && reading.Probe == "block" && during == "bulk3"
		})
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	const want = "The device was read in only some repetitions: 2 of 3 of bulk."
	if w := judged(run).Warnings; !slices.ContainsFunc(w, func(w report.Warning) bool { return w.Text == want }) {
		t.Errorf("no %q in %+v", want, w)
	}
	s, err := sizing.Size(sizing.Ask{GiB: 500, Load: "bulk"}, run)
	if err != nil {
		t.Fatal(err)
	}
	const first = "The disk was read in 2 of the 3 repetitions of bulk: if it did more in the other, this order is too small"
	if all := sizes.NewSize(s).Cautions; len(all) == 0 || all[0] != first {
		t.Errorf("%q, want %q first", all, first)
	}
	bytes := 0.0
	for _, r := range run.Loads[slices.IndexFunc(run.Loads, func(l counts.Load) bool { return l.Name == "bulk" })].Repetitions[:2] {
		written, err := r.Count(metric.BlockWriteBytes)
		if err != nil {
			t.Fatal(err)
		}
		bytes += written / r.Seconds / 2
	}
	if got := s.Need; got.Model != nil || math.Abs(got.Mean.WriteBytes/bytes-1) > 1e-9 {
		t.Errorf("%v bytes/s, by a model: %v; want %v", got.Mean.WriteBytes, got.Model, bytes)
	}
}

// TestCountsInPartAreReported: one counter was not read during the last repetition of bulk, or not at all during bulk.
func TestCountsInPartAreReported(t *testing.T) {
	for _, c := range []struct{ metric, during, want string }{
		{"pgstat.wal/wal_records", "bulk3", "WAL records were counted in only some repetitions: 2 of 3 of bulk."},
		{"pgstat.wal/wal_records", "bulk", "WAL records were counted in only some repetitions: 0 of 3 of bulk."},
		{metric.BlockWriteBytes, "bulk3", "The device's bytes were read in only some repetitions: 2 of 3 of bulk."},
		{metric.BlockWriteBytes, "idle", ""},
	} {
		var during string
		records := runfiletest.Records(t, "../../../testdata/runs/loads-pg17.jsonl")
		for i, r := range records {
			if event, ok := r.(runfile.LoadEvent); ok {
				during = fmt.Sprint(event.Load, event.Repetition)
			}
			if reading, ok := r.(runfile.Reading); ok && strings.TrimRight(during, "123") == strings.TrimRight(c.during, "123") &&
				strings.HasPrefix(during, c.during) {
				reading.Values = maps.Clone(reading.Values)
				delete(reading.Values, c.metric)
				records[i] = reading
			}
		}
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range judged(run).Warnings {
			if w.Code == "counted-in-part" {
				got = w.Text
			}
		}
		if got != c.want {
			t.Errorf("without %s during %s: %q, want %q", c.metric, c.during, got, c.want)
		}
	}
}

// TestResetIsSaidFirst: the short report says that a metric was reset under every load, or that none counted it.
func TestResetIsSaidFirst(t *testing.T) {
	const of = "pgstat.database/xact_commit"
	at := map[runfile.Reason]runfile.Event{runfile.Reset: runfile.Begin, runfile.Late: runfile.End}
	for _, gap := range []runfile.Gap{
		{Probe: "pgstat", Metric: of, Reason: runfile.Reset, Detail: "fell from 100 to 3"},
		{Probe: "pgstat", Metric: of, Reason: runfile.Late},
	} {
		var records []runfile.Record
		for _, r := range runfiletest.Records(t, "../../../testdata/runs/local-pg17.jsonl.zst") {
			event, isEvent := r.(runfile.LoadEvent)
			if isEvent && event.Load != "idle" && event.Event == at[gap.Reason] {
				gap.At = event.At.Add(-time.Nanosecond)
				records = append(records, gap)
			}
			records = append(records, r)
		}
		want := "pg_stat_database.xact_commit: no load counted it, so this run cannot tell"
		if gap.Reason == runfile.Reset {
			want = "pg_stat_database.xact_commit: it was reset, so this run cannot tell"
		}
		if page := answered(t, records); !strings.Contains(page, want) {
			t.Errorf("%s: no %q in\n%s", gap.Reason, want, page)
		}
	}
}

// TestMissingMetricSaysItsOwnReason, and not that of a load that was not measured.
func TestMissingMetricSaysItsOwnReason(t *testing.T) {
	records := slices.DeleteFunc(runfiletest.Records(t, "../../../testdata/runs/local-pg18.jsonl.zst"),
		func(r runfile.Record) bool {
			event, ok := r.(runfile.LoadEvent)
			return ok && event.Load == "idle"
		})
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	all := judged(run).Metrics
	i := slices.IndexFunc(all, func(m report.Metric) bool { return m.Metric == "pgstat.wal/wal_sync" })
	const want = "pg_stat_wal of PostgreSQL 18.6 does not show it"
	if i < 0 {
		t.Fatal("the metric is not in the report")
	}
	if all[i].Missing == nil || !strings.Contains(all[i].Missing.Detail, want) {
		t.Errorf("%+v, want %q", all[i].Missing, want)
	}
}

// TestOtherRowsAreSaid: a table that does not hold what the server confirmed is in the short report.
func TestOtherRowsAreSaid(t *testing.T) {
	records := runfiletest.Records(t, "../../../testdata/runs/local-pg17.jsonl.zst")
	for i, r := range records {
		if proof, ok := r.(runfile.Proof); ok && proof.Load == "wide" && proof.Repetition == 1 {
			proof.Rows = 5
			records[i] = proof
		}
	}
	const want = "The rows of wide 1 disagree: "
	if page := answered(t, records); !strings.Contains(page, want) {
		t.Errorf("no %q in\n%s", want, page)
	}
}

// answered returns the short report of a run.
func answered(t *testing.T, records []runfile.Record) string {
	t.Helper()
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := document.Text(&page, report.Answer(run, judged(run)), 200); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// TestOrderSaysRunWasCutShort: an order from an unfinished run says so. The shipped observation has 60 windows of
// 5 s, and the run 3 repetitions of each of its 8 loads without idle.
func TestOrderSaysRunWasCutShort(t *testing.T) {
	const observation, run = "../../../testdata/runs/observed-pg17.jsonl.zst", "../../../testdata/runs/loads-pg17.jsonl"
	but := func(file string, gone func(runfile.Record) bool, end ...runfile.Record) []runfile.Record {
		return append(slices.DeleteFunc(runfiletest.Records(t, file), func(r runfile.Record) bool {
			return r.Kind() == runfile.KindEnd || gone(r)
		}), end...)
	}
	after := func(seconds float64) func(runfile.Record) bool {
		start := runfiletest.Records(t, observation)[0].(runfile.Run).Start
		return func(r runfile.Record) bool {
			reading, ok := r.(runfile.Reading)
			return ok && reading.At.Sub(start).Seconds() > seconds
		}
	}
	nothing := func(runfile.Record) bool { return false }
	lastOf := func(load string) func(runfile.Record) bool {
		return func(r runfile.Record) bool {
			event, ok := r.(runfile.LoadEvent)
			return ok && event.Load == load && event.Repetition == 3
		}
	}
	for _, c := range []struct {
		of, load, want string
		records        []runfile.Record
	}{
		{"an observation", "", "", runfiletest.Records(t, observation)},
		{"an observation without an end", "", "The observation was cut off after 5 min", but(observation, nothing)},
		{"an observation of 150 s", "", "The observation was cut off after 2 min 30 s", but(observation, after(151))},
		{"one that failed", "", "The observation failed after 5 min",
			but(observation, nothing, runfile.Ended{Status: runfile.Broken})},
		{"a run", "", "", runfiletest.Records(t, run)},
		{"a run without an end that has all", "", "", but(run, nothing)},
		{"a run", "", "The run was interrupted with 23 of the 24 repetitions of its loads",
			but(run, lastOf("bulk"), runfile.Ended{Status: runfile.Interrupted})},
		{"a run that left one out", "", "The run has 23 of the 24 repetitions of its loads",
			but(run, lastOf("bulk"), runfile.Ended{Status: runfile.Complete})},
		{"one load that is whole", "wide", "", but(run, lastOf("bulk"))},
		{"one load that is not", "bulk", "The run was cut off with 2 of the 3 repetitions", but(run, lastOf("bulk"))},
	} {
		read, err := tally.FromRun(runfiletest.Sequence(c.records))
		if err != nil {
			t.Fatal(err)
		}
		s, err := sizing.Size(sizing.Ask{GiB: 500, Load: c.load}, read)
		if err != nil {
			t.Fatal(err)
		}
		first := strings.Join(sizes.NewSize(s).Cautions, "; ")
		if !strings.Contains(first, c.want) || c.want == "" && (strings.Contains(first, "cut off") ||
			strings.Contains(first, "repetitions of its loads")) {
			t.Errorf("%s %s: the order says %q, want %q", c.of, c.load, first, c.want)
		}
	}
}

// TestOrderSaysThatShareIsUnknown: without PostgreSQL's counters nothing shows whether others used the shared disk.
func TestOrderSaysThatShareIsUnknown(t *testing.T) {
	records := slices.DeleteFunc(runfiletest.Records(t, "../../../testdata/runs/observed-pg17.jsonl.zst"),
		func(r runfile.Record) bool {
			reading, ok := r.(runfile.Reading)
			return ok && reading.Probe == "pgstat"
		})
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	s, err := sizing.Size(sizing.Ask{GiB: 500}, run)
	if err != nil {
		t.Fatal(err)
	}
	const want = "The order is for everything that used the disk, since this server's share is unknown"
	for _, version := range []string{run.Header.Target.Version, ""} { // exporters may not tell it
		run.Header.Target.Version = version
		if first := strings.Join(sizes.NewSize(s).Cautions, "; "); !strings.Contains(first, want) {
			t.Errorf("version %q: %q, want %q", version, first, want)
		}
	}
}

// TestMissingCountersAreSaidFirst: the answer begins with what PostgreSQL's counters lack, and no modelled number
// stands there as a counted one.
func TestMissingCountersAreSaidFirst(t *testing.T) {
	whole := slices.DeleteFunc(runfiletest.Records(t, "../../../testdata/runs/local-pg17.jsonl.zst"),
		func(r runfile.Record) bool { // records counted in the WAL stand in for the counter
			reading, ok := r.(runfile.Reading)
			return ok && reading.Probe == "anatomy"
		})
	but := func(gone func(runfile.Record) bool) []runfile.Record {
		return slices.DeleteFunc(slices.Clone(whole), gone)
	}
	const model = "(1) modelled from the clients' work, not counted"
	for _, c := range []struct {
		of, first, also string
		records         []runfile.Record
	}{
		{"all", "These numbers look like IOPS.", "", whole},
		{"no counters", "! PostgreSQL's counters were not read, so no other number is compared with them.", model,
			but(func(r runfile.Record) bool {
				reading, ok := r.(runfile.Reading)
				return ok && reading.Probe == "pgstat"
			})},
		{"no description", "! The file has readings but no description of pgstat.wal/wal_records, so they are left out.",
			model, but(func(r runfile.Record) bool {
				described, ok := r.(runfile.Metric)
				return ok && described.Name == metric.StatWALRecords
			})},
	} {
		run, err := tally.FromRun(runfiletest.Sequence(c.records))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := document.Text(&out, report.Answer(run, judged(run)), 200); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.HasPrefix(text, c.first) || strings.Contains(text, model) != (c.also != "") {
			t.Errorf("%s: it does not begin with %q, or has %q: %t\n%s", c.of, c.first, model, c.also == "", text)
		}
	}
}

// TestUnknownFsyncIsSaid: without the settings of a server that we measured, fsync may be off. Figures that others
// published come without them.
func TestUnknownFsyncIsSaid(t *testing.T) {
	said := func(change func(*runfile.Run)) bool {
		t.Helper()
		run, err := tally.FromRun(runfiletest.Sequence(runfiletest.Records(t, "../../../testdata/runs/local-pg17.jsonl.zst")))
		if err != nil {
			t.Fatal(err)
		}
		change(&run.Header)
		return slices.ContainsFunc(judged(run).Warnings, func(w report.Warning) bool { return w.Code == "fsync-unknown" })
	}
	unread := func(h *runfile.Run) { h.Target.Settings = nil }
	if said(func(*runfile.Run) {}) || !said(unread) || said(func(h *runfile.Run) { unread(h); h.Provenance = "a blog" }) {
		t.Errorf("said with settings %t, without %t, and of others' figures %t; want false, true, false",
			said(func(*runfile.Run) {}), said(unread), said(func(h *runfile.Run) { unread(h); h.Provenance = "a blog" }))
	}
}
