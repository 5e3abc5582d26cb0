package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/analyze/view"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

const (
	shippedRun    = "../../../testdata/runs/loads-pg17.jsonl"
	shippedSource = "../../../testdata/runs/sources/loads-pg17.json"
)

func shipped(t *testing.T) report.Report { return read(t, shippedRun) }

// read returns the report on a run file.
func read(t *testing.T, path string) report.Report {
	t.Helper()
	run, err := tally.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return judged(run)
}

// judged returns the report with the method's verdicts.
func judged(run *counts.Run) report.Report {
	var names []string
	for _, m := range run.Metrics() {
		names = append(names, m.Name)
	}
	return report.New(run, attribution.Judge(run, attribution.Options{Asked: names}))
}

// TestShippedRunAsText checks the table of work and the headline against arithmetic on the source.
func TestShippedRunAsText(t *testing.T) {
	r := shipped(t)
	text, a := textOf(t, r, 80), workOut(t)
	checkLayout(t, text, 80)
	if before, _, _ := strings.Cut(text, "\nThe same work"); strings.Count(before, "\n") > 24 ||
		!strings.Contains(before, "disk operations?") {
		t.Errorf("the answer comes too late for the first screen:\n%s", text)
	}
	got := figures(r, text)
	for load, rows := range a.loads {
		if load == "idle" {
			continue
		}
		var cells []string
		for _, name := range []string{"rows", "wal_records", "requests", "dev_flush", "dev_bytes"} {
			mean := 0.0
			for _, r := range rows {
				mean += a.idle.grew(r, name) / r.number("wall") / 3
			}
			least, most := a.ends(load, func(b background, r sourceRow) float64 {
				return b.grew(r, name) / r.number("wall")
			})
			half := (most - least) / 2
			plusMinus := fmt.Sprintf("±%.0f%%", 100*half/mean)
			if 100*half/mean < 0.95 {
				plusMinus = fmt.Sprintf("±%.1f%%", math.Ceil(1000*half/mean)/10)
			}
			unit := math.Pow(10, math.Floor(math.Log10(half))) // of the last justified digit
			if half/unit < 3.55 {
				unit /= 10
			}
			unit = min(unit, math.Pow(10, math.Floor(math.Log10(mean))-1))
			mean = math.RoundToEven(mean/unit) * unit
			if name == "dev_bytes" {
				mean /= 1e6
			}
			cells = append(cells, withCommas(fmt.Sprintf("%.0f", mean))+" "+plusMinus)
		}
		if want := strings.Join(cells, " | "); got[load] != want {
			t.Errorf("%s:\n got %s\nwant %s", load, got[load], want)
		}
		delete(got, load)
	}
	want := map[string]string{
		"Read as \"IOPS\"": "Read as \"IOPS\", the WAL records would say 1,730,000 a second (bulk). The device " +
			"did 875 requests " +
			"a second, 207 MB/s. One device request stands for 8.02 WAL records (single) to 5,900 (async), so no " +
			"rule of thumb converts one into the other.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func withCommas(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// TestJSON shows a reviewer what changes; the figures themselves are checked above.
func TestJSON(t *testing.T) {
	r := reportOf(t, ended(notLocal(onlyLoad("bulk", demo())), runfile.Interrupted, "stopped by SIGINT (Ctrl-C)"))
	var out bytes.Buffer
	if err := view.JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "interrupted.json", out.String())
	for _, r := range []report.Report{r, shipped(t)} {
		out.Reset()
		if err := view.JSON(&out, r); err != nil {
			t.Fatal(err)
		}
		var back report.Report
		if err := json.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := view.JSON(&again, back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(out.String(), again.String()); diff != "" {
			t.Errorf("what is read from JSON is written differently (-written +read and written):\n%s", diff)
		}
	}
}

func TestLatency(t *testing.T) {
	repetition := func(n int, p50 float64) counts.Repetition {
		latency := &latency.Quantiles{P50: p50, P95: 2 * p50, P99: 3 * p50, Max: 4 * p50}
		return counts.Repetition{Number: n, Seconds: 1, Latency: latency}
	}
	load := counts.Load{Load: runfile.Load{Name: "a", Method: "copy"}, Repetitions: []counts.Repetition{
		repetition(1, 0.010), repetition(2, 0.012)}}
	r := report.New(&counts.Run{Loads: []counts.Load{load}}, attribution.Verdicts{})
	if diff := cmp.Diff(report.Figure{Value: 0.033, Lowest: 0.030, Highest: 0.036, N: 2}, r.Loads[0].Latency.P99,
		cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Error(diff)
	}
	details := detailsOf(t, r, 80)
	if want := "11 ±9% 22 ±9% 33 ±9% 44 ±9%"; !strings.Contains(unwrapped(details), want) {
		t.Errorf("details do not have %q:\n%s", want, details)
	}
}

func TestDetails(t *testing.T) {
	details := detailsOf(t, reportOf(t, demo()), 80)
	checkGolden(t, "demo-details.txt", details)
	checkLayout(t, details, 80)
	for _, line := range []string{
		"copy  10 ±0%  20 ±10%  20 ±10%  - (1)  - (1)  - (1)  - (1)", // 200 transactions in 10 s
		// of verdictsByHand
		"pg_stat_wal.wal_sync 2.00 =1.02 ?1.20",
		"bulk 20 ±10% 1.00 ±1% 1.00 ±1% copy 8.0 ±10%",
		"spread x2.00 x1.02 x1.20 x1.10 95% x1.90-2.10 x1.00-1.05 x1.05-1.40 x1.00-1.30 status excluded consistent " +
			"possible excluded (1)",
		"(1) rows+index entries explain it far better, although the spread alone does not exclude it",
		"PHYSICAL: WAL writes or WAL fsyncs. A quantity is made of it.",
		"LOGICAL: 1.01 rows+index entries (0.97-1.05). It is called operations.",
		"PHYSICAL: 0.98 WAL writes (0.90-1.06, 90% of it) + 0.0130 pages written or WAL bytes (0.0105-0.0152, 10% of " +
			"it). For loads left out of the fit, the prediction error is a factor of 1.10.",
	} {
		if !strings.Contains(unwrapped(details), unwrapped(line)) {
			t.Errorf("details do not have %q", unwrapped(line))
		}
	}
}

// TestAnyWidth: text is laid out for any terminal, with the same content.
func TestAnyWidth(t *testing.T) {
	r := shipped(t)
	cells := func(text string) map[string]string { // figures of narrow columns may touch
		found := figures(r, text)
		for name, line := range found {
			found[name] = strings.ReplaceAll(line, " | ", " ")
		}
		return found
	}
	want := cells(textOf(t, r, 80))
	for _, width := range []int{60, 72, 100, 132, 400} {
		text := textOf(t, r, width)
		checkLayout(t, text, width)
		if diff := cmp.Diff(want, cells(text)); diff != "" {
			t.Errorf("width %d: %s", width, diff)
		}
	}
	for _, width := range []int{-1, 0, 1, 20} {
		if text := textOf(t, r, width); text != textOf(t, r, 40) {
			t.Errorf("width %d is not treated as 40", width)
		}
	}
	checkGolden(t, "narrow.txt", textOf(t, reportOf(t, demo()), 60))

	named, err := tally.FromFile(shippedRun)
	if err != nil {
		t.Fatal(err)
	}
	for i := range named.Loads {
		named.Loads[i].Name += strings.Repeat("-nightly", 12)
	}
	for _, width := range []int{60, 80} {
		for line := range strings.Lines(textOf(t, judged(named), width)) {
			if n := len([]rune(line)) - 1; n > width && strings.Contains(line, "times fewer") {
				t.Errorf("width %d: the factor of a load with a long name takes %d columns: %s", width, n, line)
			}
		}
	}
}

// TestNothingMeasured: if nothing was measured, there is no warning of few loads.
func TestNothingMeasured(t *testing.T) {
	run, err := tally.FromRun(runfiletest.Sequence(goldenCases()["nothing"].change(demo())))
	if err != nil {
		t.Fatal(err)
	}
	verdicts := attribution.Verdicts{
		Warnings: []attribution.Warning{{Code: "few-loads", Text: "Only 0 loads were measured"}}}
	if text := textOf(t, report.New(run, verdicts), 80); strings.Contains(text, "Only 0") {
		t.Error(text)
	}
	run, err = tally.FromRun(runfiletest.Sequence(demo()))
	if err != nil {
		t.Fatal(err)
	}
	if text := textOf(t, report.New(run, verdicts), 80); !strings.Contains(text, "\n- Only 0 loads were measured.\n") {
		t.Error(text)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWritingFails(t *testing.T) {
	r := reportOf(t, demo())
	if err := view.JSON(fullDisk{}, r); !errors.Is(err, errFull) ||
		!strings.HasPrefix(err.Error(), "write the report: ") {
		t.Errorf("got %v", err)
	}
}

// TestMissingIsNeverZero: a missing figure is null in JSON.
func TestMissingIsNeverZero(t *testing.T) {
	got, err := json.Marshal(report.Figure{Missing: &series.Missing{Reason: "late"}})
	if err != nil || string(got) != `{"value":null,"n":0,"missing":{"reason":"late"}}` {
		t.Errorf("%s, %v", got, err)
	}
	got, err = json.Marshal(report.Figure{Value: 0, N: 2})
	if err != nil || string(got) != `{"value":0,"lowest":0,"highest":0,"n":2}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestAnyRun reports on random parts of runs: whatever is missing, the report renders, and its JSON is valid.
func TestAnyRun(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	cases := goldenCases()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for range 4 {
			records := c.change(demo())
			records = slices.DeleteFunc(records[1:], func(runfile.Record) bool { return random.IntN(10) == 0 })
			for i := range records {
				if reading, ok := records[i].(runfile.Reading); ok && random.IntN(20) == 0 {
					for _, m := range slices.Sorted(maps.Keys(reading.Values)) {
						reading.Values[m] = []float64{0, -1, 1e308, -1e308, 1e-308}[random.IntN(5)]
					}
				}
			}
			random.Shuffle(len(records)/4, func(i, j int) { records[i], records[j] = records[j], records[i] })
			run, err := tally.FromRun(runfiletest.Sequence(append(demo()[:1:1], records...)))
			if err != nil {
				t.Fatal(err)
			}
			r := judged(run)
			for _, width := range []int{0, 80} {
				_ = textOf(t, r, width)
			}
			details := detailsOf(t, r, 80)
			if err := view.JSON(&bytes.Buffer{}, r); err != nil {
				t.Fatal(err)
			}
			if text := textOf(t, r, 80); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") ||
				strings.Contains(details, "∞") {
				t.Fatalf("not a number in\n%s", text)
			}
		}
	}
}

// TestLeftOutIsSaidOnce: what is wrong with all repetitions of all loads takes one sentence.
func TestLeftOutIsSaidOnce(t *testing.T) {
	r := reportOf(t, keep(demo(), func(r runfile.Record) bool { return r.Kind() != "load" }))
	var texts []string
	for _, w := range r.Warnings {
		if w.Code == "left-out" {
			texts = append(texts, w.Text)
		}
	}
	if want := "All repetitions of bulk, copy were left out: nothing but the load was recorded."; !slices.Equal(texts,
		[]string{want}) {
		t.Errorf("%q, want %q", texts, want)
	}
}

// TestDiskInPart: a kernel may not count a device's flushes, and so nobody its requests, but it counts its bytes.
func TestDiskInPart(t *testing.T) {
	r := reportOf(t, without(demo(), runfile.Gap{Probe: "block", Reason: runfile.Unsupported,
		Detail: "the kernel does not count flushes of dm-0"}, "block/flushes"))
	text := unwrapped(textOf(t, r, 80))
	for _, want := range []string{"The device's requests are unknown (the kernel does not count flushes of dm-0), so no " +
		"other count is compared with them.", "and the device wrote 1.0 MB/s; its requests are unknown."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, untrue := range []string{"device was not read", "not visible"} {
		if strings.Contains(text, untrue) {
			t.Errorf("%q in\n%s", untrue, text)
		}
	}
}

// TestServerOfUnknownKind: a file without its target's kind leaves no empty place.
func TestServerOfUnknownKind(t *testing.T) {
	if got := (report.Report{}).Server(); got != "PostgreSQL" {
		t.Errorf("%q", got)
	}
}
