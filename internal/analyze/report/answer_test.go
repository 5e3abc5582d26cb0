package report

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
)

func asText(t *testing.T, blocks ...document.Block) string {
	t.Helper()
	var text strings.Builder
	if err := document.Text(&text, document.Document{Blocks: blocks}, 80); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestAnswerFitsOneScreen: the answer of every shipped run has at most the documented number of lines, and a list of
// what counts disk operations.
func TestAnswerFitsOneScreen(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/runs/*.json*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		run, err := tally.FromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if baseline.Is(run) {
			continue
		}
		r := New(run, attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}))
		text := asText(t, Answer(run, r).Blocks...)
		if lines := strings.Count(text, "\n"); lines > 45 {
			t.Errorf("%s: %d lines:\n%s", file, lines, text)
		}
		for line := range strings.Lines(text) {
			if len([]rune(line)) > 81 && !strings.HasPrefix(line, "  realiops") {
				t.Errorf("%s: %q is wider than 80 columns", file, line)
			}
		}
		for _, mark := range regexp.MustCompile(`[-~] (\(\d+\))`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(text, "\n"+mark[1]+" ") {
				t.Errorf("%s: nothing says what %s means:\n%s", file, mark[1], text)
			}
		}
		if n := strings.Count(strings.ToLower(text), "the load was not controlled"); r.Observed != nil && n != 1 {
			t.Errorf("%s: it is said %d times that the load was not controlled:\n%s", file, n, text)
		}
		if !strings.Contains(text, "Which of them are disk operations?") {
			t.Errorf("%s: no list:\n%s", file, text)
		}
	}
}

// load returns a load with WAL records and disk requests, given as mean, lowest and highest.
func load(name string, records float64, requests ...float64) Load {
	return Load{Name: name, Repetitions: 3, Work: []Work{
		{Quantity: metric.RowsWritten, PerSecond: Figure{Value: records / 2, Lowest: records / 2, Highest: records / 2, N: 3}},
		{Quantity: metric.WALRecords, PerSecond: Figure{Value: records, Lowest: records, Highest: records, N: 3}},
		{Quantity: metric.DeviceRequests, PerSecond: Figure{Value: requests[0], Lowest: requests[1],
			Highest: requests[2], N: 3}},
	}}
}

// TestFactorIsQuotient of the two numbers beside it, in the load with the largest number.
func TestFactorIsQuotient(t *testing.T) {
	text := asText(t, screen{Report: Report{
		Loads: []Load{load("small", 700, 100, 99, 101), load("large", 874_756, 458, 450, 470)}}}.beside())
	found := regexp.MustCompile(
		`WAL records +([\d,]+)/s +the disk did ([\d,]+)/s +([\d,]+) times fewer \(large\)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatal(text)
	}
	var n [3]float64
	for i := range n {
		n[i], _ = strconv.ParseFloat(strings.ReplaceAll(found[i+1], ",", ""), 64)
	}
	if n[0] != 874_756 || n[1] != 458 || n[2] < 1909 || n[2] > 1911 {
		t.Errorf("%v:\n%s", n, text)
	}
	if !strings.Contains(text, "from 7.00 (small) to 1,910 (large)") {
		t.Errorf("the span is not there:\n%s", text)
	}
}

// TestVagueLoadsAreShown: a load whose requests are lost in the background is shown with what is known, and so is one
// that varies.
func TestVagueLoadsAreShown(t *testing.T) {
	text := asText(t, screen{Report: Report{
		Loads: []Load{load("steady", 7182, 1000, 990, 1010), load("lost", 386_718, 119, -40, 238)}}}.beside())
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"386,718/s", "at most 240/s", "at least 1,600 times fewer (lost)",
		"from 7.18 (steady) to more than 1,600 (lost)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	text = asText(t, screen{Report: Report{
		Loads: []Load{load("steady", 7182, 1000, 990, 1010), load("varies", 100_000, 100, 50, 200)}}}.beside())
	if want := "500 to 2,000 times fewer (varies)"; !strings.Contains(text, want) {
		t.Errorf("no %q:\n%s", want, text)
	}
}

// TestHeadlineDropsNoLoad: for every shipped run, even if one load's requests are lost, vary or are unknown, the
// headline has the largest number, the loads with the lowest and the highest factor, and each load without one.
func TestHeadlineDropsNoLoad(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/runs/*-pg1*.json*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	spoilt := map[string]func(f Figure) Figure{
		"as it is": func(f Figure) Figure { return f },
		"lost":     func(f Figure) Figure { f.Lowest, f.Highest = -f.Value, 3*f.Value; return f },
		"varies":   func(f Figure) Figure { f.Lowest, f.Highest = f.Value/4, 4*f.Value; return f },
		"unknown":  func(Figure) Figure { return Figure{} },
	}
	for _, file := range files {
		run, err := tally.FromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		clean := New(run, attribution.Verdicts{})
		for i := range clean.Loads {
			if clean.Loads[i].Idle || clean.Loads[i].readsAlone() {
				continue
			}
			for how, spoil := range spoilt {
				r := clean
				r.Loads = slices.Clone(clean.Loads)
				r.Loads[i].Work = slices.Clone(r.Loads[i].Work)
				for w := range r.Loads[i].Work {
					if r.Loads[i].Work[w].Quantity == metric.DeviceRequests {
						r.Loads[i].Work[w].PerSecond = spoil(r.Loads[i].Work[w].PerSecond)
					}
				}
				checkHeadline(t, file+", "+r.Loads[i].Name+" "+how, r)
			}
		}
	}
}

func checkHeadline(t *testing.T, what string, r Report) {
	t.Helper()
	text := strings.Join(strings.Fields(asText(t, screen{Report: r}.beside())), " ")
	loudest, least, most := Load{}, "", ""
	lowest, highest := math.Inf(1), 0.0
	for _, a := range r.Loads.writing() {
		records, requests := a.Of(metric.WALRecords), a.Of(metric.DeviceRequests)
		if !requests.Known() {
			if !strings.Contains(text, "is known for "+a.Name) {
				t.Errorf("%s: nothing is said of %s:\n%s", what, a.Name, text)
			}
			continue
		}
		if records.Value > loudest.Of(metric.WALRecords).Value {
			loudest = a
		}
		factor := records.Value / requests.Value
		if requests.Lowest <= 0 {
			factor = records.Value / requests.Highest
		}
		if factor < lowest {
			lowest, least = factor, a.Name
		}
		if factor > highest {
			highest, most = factor, a.Name
		}
	}
	records := loudest.Of(metric.WALRecords)
	for _, want := range []string{
		"WAL records " + number.Rate(number.Rounded(records.Value, (records.Highest-records.Lowest)/2)) + "/s",
		"(" + loudest.Name + ")", "(" + least, "(" + most} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q:\n%s", what, want, text)
		}
	}
}

// TestIdleDisk: the answer says so, and the range of factors names its load.
func TestIdleDisk(t *testing.T) {
	text := strings.Join(strings.Fields(asText(t, screen{Report: Report{
		Loads: []Load{load("steady", 7182, 1000, 990, 1010), load("none", 9000, 0, 0, 0)}}}.beside())), " ")
	for _, want := range []string{"9,000/s the disk did nothing not one request (none)",
		"7.18 (steady) and more, and under none the disk did nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}

// TestDrownedDisk: a load under which the disk did less than idle says nothing about the disk, least of all that it
// did nothing.
func TestDrownedDisk(t *testing.T) {
	text := strings.Join(strings.Fields(asText(t, screen{Report: Report{
		Loads: []Load{load("steady", 7182, 1000, 990, 1010), load("drowned", 9000, -70, -70, -70)}}}.beside())), " ")
	if !strings.Contains(text, "7,182/s the disk did 1,000/s") || strings.Contains(text, "nothing") ||
		!strings.Contains(text, "No factor of WAL records is known for drowned") {
		t.Error(text)
	}
	drowned := besides{quiet: Figure{Value: -70, Lowest: -70, Highest: -70, N: 1}}
	if ends := drowned.ends(); ends != "lost in the background" {
		t.Error(ends)
	}
}

// TestLinesOfOperations of the list.
func TestLinesOfOperations(t *testing.T) {
	line := func(name, unit string, kind attribution.Kind, counted metric.Quantity) Metric {
		m := Metric{Metric: name, Name: name, Unit: unit}
		m.Kind, m.Counts = kind, counted
		return m
	}
	text := asText(t, screen{Report: Report{Metrics: []Metric{
		line("block/writes", "operations", attribution.Physical, metric.DeviceRequests),
		line("pgstat.wal/wal_write", "operations", attribution.Physical, metric.WALWrites),
		line("pgstat.wal/wal_records", "records", attribution.Logical, metric.WALRecords),
		line("pgstat.database/blks_read", "blocks", attribution.Requested, "pages missed"),
		line("block/write_bytes", "bytes", attribution.Physical, metric.DeviceBytes),
		line("cloudwatch/WriteIOPS", "operations/s", attribution.CannotTell, ""),
		line("pgstat.bgwriter/buffers_clean", "blocks", attribution.Silent, ""),
	}}}.operations())
	for _, want := range []string{
		"ALL +block/writes\n", "PART +pgstat.wal/wal_write: only the WAL's\n",
		"NO +pgstat.wal/wal_records: work of the database\n",
		" +pgstat.database/blks_read: asked of the operating system, not of the\n " +
			"+disk\n", "BYTES +block/write_bytes\n",
		`\? +cloudwatch/WriteIOPS: this run cannot tell\n`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "buffers_clean") {
		t.Errorf("what is silent is listed:\n%s", text)
	}
}

// TestAnswerStandsAboveItsNotes, and below what puts it in doubt; figures of one repetition say so once.
func TestAnswerStandsAboveItsNotes(t *testing.T) {
	run, err := tally.FromFile("../../../testdata/runs/published-aurora.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r := New(run, attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}))
	text := asText(t, Answer(run, r).Blocks...)
	if note := strings.Index(text, "! note:"); !strings.HasPrefix(text, "CloudWatch WriteIOPS showed 120,000") ||
		note < strings.Index(text, "Which of them are disk operations?") || strings.Contains(text, "±?") ||
		!strings.Contains(text, "Trust: 1 repetition, so the figures' spread is unknown") {
		t.Errorf("it does not begin with its answer, or says more than once that there was one repetition:\n%s", text)
	}
	r.Warnings[0].Condition, r.Warnings[0].Rank = true, document.Void
	if text := asText(t, Answer(run, r).Blocks...); !strings.HasPrefix(text, "! void:") {
		t.Errorf("what makes it void does not come first:\n%s", text)
	}
}
