package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

// halfway returns a run of four repetitions, one of which is done after ten seconds, and
// a second of load of the next.
func halfway() *run {
	s := &run{}
	s.follow(runfile.Run{Plan: runfile.Plan{Loads: make([]runfile.Load, 2), Repetitions: 2, LoadSeconds: 5}})
	s.follow(runfile.LoadEvent{At: at(0), Load: "idle", Repetition: 1, Event: runfile.Settle})
	s.follow(runfile.LoadEvent{At: at(10), Load: "idle", Repetition: 1, Event: runfile.End})
	s.follow(runfile.LoadEvent{At: at(10), Load: "bulk-indexed", Repetition: 1, Event: runfile.Settle})
	s.follow(runfile.LoadEvent{At: at(11), Load: "bulk-indexed", Repetition: 1, Event: runfile.Begin})
	s.follow(runfile.Reading{At: at(11), Values: map[string]float64{"block/writes": 100, "block/flushes": 40}})
	s.follow(runfile.Reading{At: at(13), Values: map[string]float64{"block/writes": 2200, "block/flushes": 540}})
	s.follow(runfile.Work{From: at(11), To: at(12), Rows: 534_000})
	return s
}

func TestLeftGoesOnAsUntilNow(t *testing.T) {
	check := func(now float64, want time.Duration) {
		t.Helper()
		if got := halfway().left(at(now)); got != want {
			t.Errorf("after %v s: %v left, want %v", now, got, want)
		}
	}
	check(10, 30*time.Second) // three repetitions of ten seconds
	check(14, 26*time.Second)
	check(60, 0) // longer than expected, never negative

	announced := halfway() // one of four repetitions is done: the announced end counts three quarters
	announced.until = at(70)
	if got, want := announced.left(at(14)), 48500*time.Millisecond; got != want { // 26 s/4 + 56 s x 3/4
		t.Errorf("where 70 s were announced, %v left after 14 s, want %v", got, want)
	}
	begun := &run{total: 4, began: at(0), lastEnd: at(0), until: at(70)}
	if got := begun.left(at(0)); got != 70*time.Second {
		t.Errorf("at the beginning %v left of 70 s", got)
	}
}

func TestSpeedsOfTheLastSecond(t *testing.T) {
	got := halfway().speeds(0, false)
	if want := "534,000 rows/s  device 800 requests/s"; got != want { // (2200-540 - (100-40)) / 2 s
		t.Errorf("speeds are %q, want %q", got, want)
	}
	shared := halfway() // other programs did 6,000 requests in the same two seconds
	shared.follow(runfile.Reading{At: at(13), Values: map[string]float64{"request.server/writes": 1000}})
	shared.follow(runfile.Reading{At: at(15), Values: map[string]float64{"request.server/writes": 1600}})
	shared.follow(runfile.Reading{At: at(15), Values: map[string]float64{"block/writes": 8200, "block/flushes": 540}})
	if got := shared.speeds(0, false); got != "534,000 rows/s  device 300 requests/s" {
		t.Errorf("on a shared device speeds are %q", got)
	}
	still := halfway() // the last load's work is not shown while no load runs
	still.doing = "checkpoint"
	if got := still.lines(79, false)[1]; got != "device 800 requests/s" {
		t.Errorf("during a checkpoint: %q", got)
	}
	reads := &run{}
	reads.follow(runfile.Work{From: at(0), To: at(1), Returned: 8_872})
	if got := reads.speeds(0, false); got != "8,872 rows/s" {
		t.Errorf("of a load that reads: %q", got)
	}
	if got := halfway().speeds(34, false); got != "534,000 rows/s" { // the whole has 37
		t.Errorf("where not all fits: %q", got)
	}
	blind := &run{rows: 12}
	if got := blind.speeds(0, false); got != "12 rows/s" {
		t.Errorf("without a device in sight: %q", got)
	}
}

func TestBarFitsTheTerminal(t *testing.T) {
	for _, width := range []int{20, 60, 79, 200} {
		var out strings.Builder
		d := New(&out, None, func() int { return width })
		d.run = *halfway()
		d.run.began, d.run.lastEnd = time.Now().Add(-20*time.Second), time.Now().Add(-10*time.Second)
		d.draw()
		lines := strings.Split(out.String(), "\n")
		if len(lines) != 2 {
			t.Fatalf("at %d columns there are %d lines: %q", width, len(lines), lines)
		}
		for _, line := range lines {
			if len([]rune(line)) >= width {
				t.Errorf("at %d columns a line has %d: %q", width, len([]rune(line)), line)
			}
		}
		if width >= 79 && !strings.Contains(lines[0], "#") {
			t.Errorf("at %d columns there is no bar: %q", width, lines)
		}
		if width >= 60 && !strings.Contains(lines[0], " left") {
			t.Errorf("at %d columns the time that is left is not: %q", width, lines)
		}
	}
}

// A number that does not fit is left out, not cut.
func TestLinesEndBehindAWord(t *testing.T) {
	for width, want := range map[int]string{10: "12 of 3,45", 9: "12 of", 6: "12 of", 0: ""} {
		if got := clip("12 of 3,45", width); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
}

// A drawing is erased line by line, and the next one takes its place.
func TestLinesAreRedrawnInPlace(t *testing.T) {
	var out strings.Builder
	d := New(&out, None, func() int { return 80 })
	d.run = *halfway()
	d.draw()
	first := out.String()
	d.draw()
	if again := strings.TrimPrefix(out.String(), first); !strings.HasPrefix(again, "\r\x1b[K\x1b[A\r\x1b[K") {
		t.Errorf("the second drawing begins %q, and does not go up to where the first one began", again)
	}
}

func TestPhaseBetweenLoadsIsNamed(t *testing.T) {
	s := halfway()
	s.began, s.lastEnd = time.Now().Add(-20*time.Second), time.Now().Add(-10*time.Second)
	s.doing = "checkpoint"
	if line := s.bar(79); !strings.HasSuffix(line, " left  checkpoint") {
		t.Errorf("during a checkpoint the bar is %q", line)
	}
	if line := s.bar(39); line != "bulk-indexed 1/2  checkpoint" {
		t.Errorf("with 40 columns, during a checkpoint the bar is %q", line)
	}
	s.doing = ""
	if line := s.bar(79); !strings.HasSuffix(line, " left") {
		t.Errorf("under load the bar is %q", line)
	}
}

func TestSparklines(t *testing.T) {
	check := func(want string, values ...float64) {
		t.Helper()
		if got := sparkline(values); got != want {
			t.Errorf("%v is drawn %q, want %q", values, got, want)
		}
	}
	check("")
	check("▁▁", 0, 0)
	check("▁▅█", 0, 50, 100)
	check("▁█▂", -1, 8, 1) // a counter that was reset
	s := halfway()
	if got := s.speeds(80, true); !strings.Contains(got, "534,000 rows/s █  device 800 requests/s █") {
		t.Errorf("with room and letters: %q", got)
	}
	s.loaded = recent{1, 1, 1, 1, 1, 1, 2, 8}
	// 50 columns leave 11: for each of two a space and four seconds
	if got := s.speeds(50, true); !strings.Contains(got, "rows/s ▂▂▃█  device") {
		t.Errorf("with little room: %q", got)
	}
	if got := s.speeds(30, true); got != "534,000 rows/s ▂▂▂▂▂▂▃█" {
		t.Errorf("with room for one: %q", got)
	}
	if got := s.speeds(15, true); strings.Contains(got, "█") {
		t.Errorf("without room: %q", got)
	}
}

// An observation has no known end and no loads: it shows the server's work.
func TestAnObservationShowsWhatTheServerDoes(t *testing.T) {
	s := &run{}
	s.follow(runfile.Run{Observed: true})
	s.follow(runfile.Reading{At: time.Now().Add(-2 * time.Second), Values: map[string]float64{
		"pgstat.cluster/xact_commit": 100, "pgstat.lsn/insert": 0}})
	s.follow(runfile.Reading{At: time.Now(), Values: map[string]float64{"pgstat.cluster/xact_commit": 300,
		"pgstat.lsn/insert": 4e6}})
	s.doing = "2 kinds of load"
	lines := s.lines(80, false)
	if len(lines) != 2 || lines[0] != "observing 0:02: 2 kinds of load" || lines[1] != "100 commits/s  WAL 2.0 MB/s" {
		t.Errorf("it shows %q", lines)
	}
}

func TestResolve(t *testing.T) {
	check := func(asked string, terminal bool, want Mode, bad bool) {
		t.Helper()
		got, err := Resolve(asked, terminal)
		if got != want || (err != nil) != bad {
			t.Errorf("%q, terminal %v: %v, %v", asked, terminal, got, err)
		}
	}
	check("auto", true, Bar, false)
	check("auto", false, None, false)
	check("bar", false, Bar, false)
	check("plain", true, Plain, false)
	check("none", true, None, false)
	check("fancy", true, None, true)
}

func TestPlainSaysALineForEachLoad(t *testing.T) {
	var out strings.Builder
	d := New(&out, Plain, nil)
	d.Stage("unpacking PostgreSQL 17.11")
	d.Record(runfile.Run{Plan: runfile.Plan{Loads: make([]runfile.Load, 1), Repetitions: 1, LoadSeconds: 5}})
	d.Record(runfile.LoadEvent{At: at(0), Load: "bulk", Repetition: 1, Event: runfile.Settle})
	d.Record(runfile.LoadEvent{At: at(1), Load: "bulk", Repetition: 1, Event: runfile.Begin})
	d.Record(runfile.Work{From: at(1), To: at(2), Rows: 1000})
	d.Record(runfile.LoadEvent{At: at(7), Load: "bulk", Repetition: 1, Event: runfile.End})
	d.Close()
	want := "unpacking PostgreSQL 17.11\n[1/1] bulk 1/1: 1,000 rows/s, 0:00 left\n"
	if out.String() != want {
		t.Errorf("it said %q, want %q", out.String(), want)
	}
}

func TestNothingInANameDrivesTheTerminal(t *testing.T) {
	for _, mode := range []Mode{Plain, Bar} {
		var out strings.Builder
		d := New(&out, mode, func() int { return 200 })
		d.Stage("fetching \x1b]0;x\x07")
		d.Message("first\nforged\u202E")
		d.run = *halfway()
		d.Record(runfile.LoadEvent{At: time.Now(), Load: "a\x1b[2Jb", Repetition: 1, Event: runfile.End})
		d.mu.Lock()
		d.draw()
		d.mu.Unlock()
		d.Close()
		shown := strings.NewReplacer("\r\x1b[K", "", "\x1b[A", "").Replace(out.String())
		for _, want := range []string{`fetching \x1B]0;x\x07`, `first\nforged\u202E`, `a\x1B[2Jb`} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s does not show %s: %q", mode, want, shown)
			}
		}
		if strings.ContainsAny(shown, "\x1b\x07\r\u202E") {
			t.Errorf("%s passes on what it was given: %q", mode, shown)
		}
	}
}

// A finished load shows its total effect, not the second after it.
func TestFinishedLoadShowsItsTotals(t *testing.T) {
	s := &run{}
	s.follow(runfile.Run{Plan: runfile.Plan{Loads: make([]runfile.Load, 1), Repetitions: 1, LoadSeconds: 4}})
	reading := func(seconds, records, writes float64) {
		s.follow(runfile.Reading{At: at(seconds), Values: map[string]float64{
			"pgstat.wal/wal_records": records, "block/writes": writes, "block/flushes": 0}})
	}
	reading(0, 0, 0)
	reading(0.1, 1_000, 50) // too close for a rate, and before the load
	s.follow(runfile.LoadEvent{At: at(0.1), Load: "bulk", Repetition: 1, Event: runfile.Begin})
	reading(2, 501_000, 450)
	s.follow(runfile.Work{From: at(0.1), To: at(4.1), Rows: 4_000_000})
	reading(5, 2_001_000, 1_800)
	reading(5.1, 2_001_000, 1_850)
	s.follow(runfile.LoadEvent{At: at(5.1), Load: "bulk", Repetition: 1, Event: runfile.End})
	got := s.speeds(0, false)
	// 2,000,000 and 1,800 in 4 s
	if want := "1,000,000 rows/s  500,000 WAL records/s  device 450 requests/s"; got != want {
		t.Errorf("it is told by %q, want %q", got, want)
	}
}

// Sessions report the WAL of their last second only at their end, long after the last row: no line shows those records
// as the work of the phase that follows, nor of the next load's first second.
func TestLateCountsAreNoPhasesRate(t *testing.T) {
	s := &run{}
	s.follow(runfile.Run{Plan: runfile.Plan{Loads: make([]runfile.Load, 2), Repetitions: 1, LoadSeconds: 2}})
	reading := func(seconds, records, writes float64) {
		s.follow(runfile.Reading{At: at(seconds), Values: map[string]float64{
			"pgstat.wal/wal_records": records, "block/writes": writes, "block/flushes": 0}})
	}
	begin := func(load string, seconds float64) {
		s.follow(runfile.LoadEvent{At: at(seconds), Load: load, Repetition: 1, Event: runfile.Settle})
		s.follow(runfile.LoadEvent{At: at(seconds), Load: load, Repetition: 1, Event: runfile.Begin})
		s.doing = ""
	}
	shows := func(when, want string) {
		t.Helper()
		if got := s.lines(200, false)[1]; got != want {
			t.Errorf("%s: it shows %q, want %q", when, got, want)
		}
	}
	reading(0, 0, 0)
	begin("bulk", 0)
	shows("when the load begins", "")
	reading(1, 2, 300) // no session has reported yet
	shows("before a second of load", "device 300 requests/s")
	s.follow(runfile.Work{From: at(0), To: at(1), Rows: 1000})
	shows("after a second of load", "1,000 rows/s  device 300 requests/s")
	reading(2, 2002, 700)
	s.follow(runfile.Work{From: at(1), To: at(2), Rows: 2000})
	shows("after two", "2,000 rows/s  2,000 WAL records/s  device 400 requests/s")
	s.doing = "disconnecting clients"
	reading(2.5, 6000, 800) // 3,998 records in half a second
	shows("when the clients have gone", "device 200 requests/s")
	s.follow(runfile.LoadEvent{At: at(3), Load: "bulk", Repetition: 1, Event: runfile.End})
	shows("when the load has ended", "device 400 requests/s") // 800 in 2 s of load
	if got, want := s.speeds(0, false), "1,500 rows/s  3,000 WAL records/s  device 400 requests/s"; got != want {
		t.Errorf("the ended load is told by %q, want %q", got, want)
	}
	reading(4, 6000, 800)
	begin("single", 4)
	shows("when the next load begins", "")
}
