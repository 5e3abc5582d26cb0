package report_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

var update = flag.Bool("update", false, "write the golden files anew; then read the difference")

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // part of the source
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", path, diff)
	}
}

// head changes the run line of records.
func head(records []runfile.Record, change func(*runfile.Run)) []runfile.Record {
	run := records[0].(runfile.Run)
	change(&run)
	records[0] = run
	return records
}

// keep drops records that do not match.
func keep(records []runfile.Record, match func(runfile.Record) bool) []runfile.Record {
	var kept []runfile.Record
	for _, r := range records {
		if match(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// without removes the values of metrics from all readings, and adds the gap.
func without(records []runfile.Record, gap runfile.Gap, metrics ...string) []runfile.Record {
	for _, r := range records {
		if reading, ok := r.(runfile.Reading); ok {
			for _, m := range metrics {
				delete(reading.Values, m)
			}
		}
	}
	for _, m := range metrics {
		gap.At, gap.Metric = midnight, m
		records = append(records, gap)
	}
	return records
}

// repetitions keeps the first n of each load.
func repetitions(n int, records []runfile.Record) []runfile.Record {
	return keep(records, func(r runfile.Record) bool {
		event, isEvent := r.(runfile.LoadEvent)
		load, isWork := r.(runfile.Work)
		return !(isEvent && event.Repetition > n || isWork && load.Repetition > n)
	})
}

func ended(records []runfile.Record, status runfile.Status, cause string) []runfile.Record {
	records = records[:len(records)-1]
	if status == "" {
		return records
	}
	return append(records, runfile.Ended{At: sec(500), Status: status, Cause: cause})
}

func setting(name, value string) func([]runfile.Record) []runfile.Record {
	return func(records []runfile.Record) []runfile.Record {
		return head(records, func(r *runfile.Run) { r.Target.Settings = map[string]string{"fsync": "on", name: value} })
	}
}

func failed(records []runfile.Record, load string, repetition int, why string) []runfile.Record {
	for i, r := range records {
		if e, ok := r.(runfile.LoadEvent); ok && e.Load == load && e.Repetition == repetition &&
			e.Event == runfile.End {
			e.Failed = why
			records[i] = e
		}
	}
	return records
}

func notLocal(records []runfile.Record) []runfile.Record {
	gap := runfile.Gap{Probe: "block", Reason: runfile.NotLocal,
		Detail: "the server is on db.example, not on this machine"}
	return without(records, gap, "block/writes", "block/flushes", "block/write_bytes")
}

func noWAL(records []runfile.Record) []runfile.Record {
	gap := runfile.Gap{Probe: "pgstat", Reason: runfile.Unsupported, Code: "42P01",
		Detail: "PostgreSQL 13.23 has no pg_stat_wal"}
	return without(records, gap, "pgstat.wal/wal_records", "pgstat.wal/wal_write", "pgstat.wal/wal_sync")
}

func onlyLoad(name string, records []runfile.Record) []runfile.Record {
	records = head(records, func(r *runfile.Run) { r.Plan.Loads = []runfile.Load{{Name: "idle"}, demoLoads()[0].Load} })
	return keep(records, func(r runfile.Record) bool {
		event, isEvent := r.(runfile.LoadEvent)
		load, isWork := r.(runfile.Work)
		return !(isEvent && event.Load != name && event.Load != "idle" || isWork && load.Load != name)
	})
}

func zeroRows(records []runfile.Record) []runfile.Record {
	for i, r := range records {
		if load, ok := r.(runfile.Work); ok && load.Load == "copy" {
			load.Rows = 0
			records[i] = load
		}
	}
	return records
}

// goldenCase is a run that differs from the demo run in one way. Its lines with figures must be those of demoLines,
// except as in lines; an empty one must be absent.
type goldenCase struct {
	change func([]runfile.Record) []runfile.Record
	codes  string // of the warnings, in order
	lines  map[string]string
}

// none is for figures that are missing in every line.
func none(keys ...string) map[string]string {
	lines := map[string]string{}
	for _, k := range keys {
		lines[k] = ""
	}
	return lines
}

func everyLine() []string {
	var keys []string
	for k := range demoLines() {
		keys = append(keys, k)
	}
	return keys
}

func goldenCases() map[string]goldenCase {
	cases := map[string]goldenCase{
		"demo":        {change: func(r []runfile.Record) []runfile.Record { return r }},
		"fsync-off":   {setting("fsync", "off"), "fsync-off", nil},
		"settings":    {setting("synchronous_commit", "off"), "synchronous-commit-off", nil},
		"page-writes": {setting("full_page_writes", "off"), "full-page-writes-off", nil},
		"checksums":   {setting("data_checksums", "inprogress-on"), "checksums-under-way", nil},
		"ram": {func(r []runfile.Record) []runfile.Record {
			return head(r, func(r *runfile.Run) {
				r.Target.Storage = runfile.Storage{FileSystem: "tmpfs", Directory: "/dev/shm/x", RAM: true}
			})
		}, "ram", nil},
		"pooler": {func(r []runfile.Record) []runfile.Record {
			return head(r, func(r *runfile.Run) {
				r.Target.Kind, r.Target.Host, r.Target.Pooler = "dsn", "db.example", true
			})
		}, "pooler", nil},
		"aurora": {func(r []runfile.Record) []runfile.Record {
			return notLocal(head(r, func(r *runfile.Run) {
				r.Target = runfile.Target{Kind: "dsn", Flavor: "aurora", Version: "16.4", Host: "db.example",
					Settings: map[string]string{"fsync": "on"}}
			}))
		}, "device-unknown", notLocalLines()},
		"container": {func(r []runfile.Record) []runfile.Record {
			return head(r, func(r *runfile.Run) { r.Target.Kind, r.Target.Image = "container", "postgres:17" })
		}, "", nil},
		"interrupted": {func(r []runfile.Record) []runfile.Record {
			return ended(r, runfile.Interrupted, "stopped by SIGINT (Ctrl-C)")
		}, "unfinished", nil},
		"failed": {func(r []runfile.Record) []runfile.Record {
			return ended(r, runfile.Broken, "the server died: signal 9.")
		}, "unfinished", nil},
		"cut-off": {func(r []runfile.Record) []runfile.Record { return ended(r, "", "") }, "unfinished", nil},
		"left-out": {func(r []runfile.Record) []runfile.Record {
			return failed(r, "copy", 2, "the server was restarted")
		}, "few-repetitions left-out", nil}, // the middle repetition is the mean, so the figures stay
		"cut-early": {func(r []runfile.Record) []runfile.Record { // before copy began: the rest is missing
			return ended(keep(r, func(r runfile.Record) bool {
				event, isEvent := r.(runfile.LoadEvent)
				load, isWork := r.(runfile.Work)
				return !(isEvent && event.Load == "copy" && event.Event != runfile.Settle || isWork &&
					load.Load == "copy")
			}), "", "")
		}, "unfinished not-run", oneLoadLines()},
		"two-repetitions": {func(r []runfile.Record) []runfile.Record {
			return repetitions(2, r)
		}, "few-repetitions", twoLines()},
		"one-repetition": {func(r []runfile.Record) []runfile.Record {
			return repetitions(1, r)
		}, "few-repetitions", oneLines()},
		"one-load": {func(r []runfile.Record) []runfile.Record {
			return onlyLoad("bulk", r)
		}, "", oneLoadLines()},
		"no-idle": {func(r []runfile.Record) []runfile.Record {
			return keep(r, func(r runfile.Record) bool {
				e, ok := r.(runfile.LoadEvent)
				return !ok || e.Load != "idle"
			})
		}, "no-idle not-run", noIdleLines()},
		"no-wal":    {noWAL, "", noWALLines()},
		"zero-rows": {zeroRows, "", zeroRowsLines()},
		"nothing": {func(r []runfile.Record) []runfile.Record {
			return ended(keep(r, func(r runfile.Record) bool {
				return r.Kind() != runfile.KindLoad && r.Kind() != runfile.KindWork
			}), runfile.Broken, "the first load could not be set up")
		}, "unfinished nothing-measured not-run", none(everyLine()...)},
		"failures": {func(r []runfile.Record) []runfile.Record {
			for i := range r {
				if work, ok := r[i].(runfile.Work); ok && work.Load == "copy" && work.Repetition == 1 {
					work.Failures = 60
					r[i] = work
				}
			}
			return r
		}, "failures", nil}, // 60 in 10 s of one of three repetitions: 2 a second
		"shared-device":  {shared, "shared-device", nil},
		"shared-storage": {onStorage(shared, sharedStorage), "device-unseen shared-device", nil},
		"others-write":   {othersWrite, "shared-device", nil},
		"other-programs": {func(r []runfile.Record) []runfile.Record {
			return runfiletest.BesideOtherProgram(r, 300)
		}, "others-on-device", map[string]string{"Read as \"IOPS\"": strings.Replace(demoLines()["Read as \"IOPS\""],
			"50 requests a second", "50 requests a second for this server", 1)}},
		"own-device": {onStorage(shared, ownDevice), "shared-device", nil},
		"noisy":      {noisy, "shared-device background-moved", noisyLines()},
		"notes": {func(r []runfile.Record) []runfile.Record {
			return append(r, runfile.Metric{Name: "block/writes", Unit: "operations", Type: runfile.Gauge},
				runfile.Reading{At: sec(0.1), Probe: "block", Values: map[string]float64{"block/new": 1}})
		}, "metric-unannounced clock-stepped metric-contradictory", nil},
	}
	return cases
}

// shared adds 2 requests a second to the background, which makes 4 against the 20 of copy.
func shared(records []runfile.Record) []runfile.Record {
	for _, r := range records {
		if reading, ok := r.(runfile.Reading); ok && reading.Probe == "block" {
			reading.Values["block/writes"] += 2 * reading.At.Sub(midnight).Seconds()
		}
	}
	return records
}

// sharedStorage is a disk of several people, beside one for the WAL, and a hidden directory.
var sharedStorage = runfile.Storage{
	FileSystem: "ext4", Device: "vda",
	Devices: []runfile.StorageDevice{
		{Name: "vda", Holds: []string{"data", "tablespaces"}, Carries: []string{"/", "/home", "/srv", "swap"}},
		{Name: "vdb", Holds: []string{"wal"}, Carries: []string{"/log", "/home"}},
	},
	Unseen: []string{"/data/pg_tblspc/16400"},
}

// othersWrite adds 250 requests of 4 kB a second from others, while the server's processes request 2 kB.
func othersWrite(records []runfile.Record) []runfile.Record {
	const asked = "block.process/wchar"
	for _, r := range records {
		if reading, ok := r.(runfile.Reading); ok && reading.Probe == "block" {
			seconds := reading.At.Sub(midnight).Seconds()
			reading.Values["block/writes"] += 250 * seconds
			reading.Values["block/write_bytes"] += 1e6 * seconds
			reading.Values[asked] = 2e3 * seconds
		}
	}
	return append(records, runfile.Metric{Name: asked, Unit: "bytes", Type: runfile.Counter})
}

var ownDevice = runfile.Storage{
	FileSystem: "ext4", Device: "loop0", Own: true,
	Devices: []runfile.StorageDevice{{Name: "loop0", Holds: []string{"data", "wal"}, Carries: []string{"/data"},
		Backing: "/disk"}},
}

// onStorage returns change on another storage.
func onStorage(change func([]runfile.Record) []runfile.Record,
	storage runfile.Storage) func([]runfile.Record) []runfile.Record {
	return func(r []runfile.Record) []runfile.Record {
		return change(head(r, func(r *runfile.Run) { r.Target.Storage = storage }))
	}
}

// noisy adds writes of others while idle is measured: 0, 1100 and 2200 requests in 11 s.
func noisy(records []runfile.Record) []runfile.Record {
	for _, r := range records {
		reading, ok := r.(runfile.Reading)
		if !ok || reading.Probe != "block" {
			continue
		}
		// The idle repetitions last from second 0, 60 and 120 to 12, 72 and 132.
		for i, end := range []float64{12, 71, 131} {
			if reading.At.Sub(midnight).Seconds() > end {
				reading.Values["block/writes"] += float64(1100 * i)
			}
		}
	}
	return records
}

func TestGoldens(t *testing.T) {
	for name, c := range goldenCases() {
		t.Run(name, func(t *testing.T) {
			r := reportOf(t, c.change(demo()))
			text := textOf(t, r, 80)
			checkGolden(t, name+".txt", text)
			checkLines(t, r, text, c.lines)
			checkLayout(t, text, 80)
			var codes []string
			for _, w := range r.Warnings {
				codes = append(codes, w.Code)
				if !strings.HasSuffix(w.Text, ".") || !strings.Contains(unwrapped(text), w.Text) {
					t.Errorf("the text does not say %q", w.Text)
				}
			}
			if got := strings.Join(codes, " "); got != c.codes {
				t.Errorf("warnings %q, want %q", got, c.codes)
			}
		})
	}
}

// checkLines compares each line with figures with those computed by hand.
func checkLines(t *testing.T, r report.Report, text string, changed map[string]string) {
	t.Helper()
	want := demoLines()
	maps.Copy(want, changed)
	got := figures(r, text)
	for key, line := range want {
		if got[key] != line {
			t.Errorf("%s:\n got %q\nwant %q", key, got[key], line)
		}
		delete(got, key)
	}
	for key, line := range got {
		t.Errorf("nobody worked out %s: %s", key, line)
	}
}

var (
	columnGap = regexp.MustCompile(`\s{2,}`)
	figure    = regexp.MustCompile(`^\d|^[-~] \(`)
)

// figures finds the lines of the table of work by their names, and the headline.
func figures(r report.Report, text string) map[string]string {
	text, _, _ = strings.Cut(text, "\n\nWhat each metric counts")
	found := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		cells := columnGap.Split(strings.TrimSpace(line), -1)
		if beside := strings.HasPrefix(line, "WAL records ") || strings.HasPrefix(line, "page reads "); beside {
			continue // the answer, which is not by load
		}
		if len(cells) > 1 && figure.MatchString(cells[1]) {
			before := found[cells[0]] // if the table is split
			found[cells[0]] = strings.TrimPrefix(before+" | "+strings.Join(cells[1:], " | "), " | ")
		}
	}
	if r.Headline != nil && strings.HasPrefix(r.Headline.Text, "Read as \"IOPS\"") {
		found["Read as \"IOPS\""] = r.Headline.Text
	}
	return found
}

func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// checkLayout checks that no line is too wide or ends in a space, and that all fits a screen.
func checkLayout(t *testing.T, text string, width int) {
	t.Helper()
	lines := strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n")
	for line := range lines {
		if n := len([]rune(line)); n > width || strings.TrimRight(line, " ") != line {
			t.Errorf("line of %d columns: %q", n, line)
		}
	}
	if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") || strings.Contains(text, "\n\n\n") {
		t.Error("blank lines where none belong")
	}
}

// TestTornRun uses a file, because only a file can be torn.
func TestTornRun(t *testing.T) {
	var records []runfile.Record
	torn := func(yield func(runfile.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		yield(nil, &runfile.TornError{Line: 99})
	}
	records = ended(demo(), "", "")
	run, err := tally.FromRun(torn)
	if err != nil {
		t.Fatal(err)
	}
	r := report.New(run, verdictsByHand())
	text := textOf(t, r, 80)
	checkGolden(t, "torn.txt", text)
	checkLines(t, r, text, nil)
}
