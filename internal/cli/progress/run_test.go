package progress

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/realiops/realiops/internal/runfile"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

// halfway is a run of four replicates of which one is done, after ten seconds, and the second has had a second of load.
func halfway() *run {
	s := &run{}
	s.follow(runfile.Run{Plan: runfile.Plan{Arms: make([]runfile.Arm, 2), Replicates: 2, ArmSeconds: 5}})
	s.follow(runfile.ArmEvent{At: at(0), Arm: "idle", Replicate: 1, Event: runfile.Settle})
	s.follow(runfile.ArmEvent{At: at(10), Arm: "idle", Replicate: 1, Event: runfile.End})
	s.follow(runfile.ArmEvent{At: at(10), Arm: "bulk-indexed", Replicate: 1, Event: runfile.Settle})
	s.follow(runfile.ArmEvent{At: at(11), Arm: "bulk-indexed", Replicate: 1, Event: runfile.Begin})
	s.follow(runfile.Reading{At: at(11), Values: map[string]float64{"block/writes": 100, "block/flushes": 40}})
	s.follow(runfile.Reading{At: at(13), Values: map[string]float64{"block/writes": 2200, "block/flushes": 540}})
	s.follow(runfile.Load{From: at(11), To: at(12), Rows: 534_000})
	return s
}

func TestLeftGoesOnAsUntilNow(t *testing.T) {
	check := func(now float64, want time.Duration) {
		t.Helper()
		if got := halfway().left(at(now)); got != want {
			t.Errorf("after %v s: %v left, want %v", now, got, want)
		}
	}
	check(10, 30*time.Second) // three replicates of ten seconds
	check(14, 26*time.Second)
	check(60, 0) // longer than thought, never below nothing
}

func TestSpeedsAreThoseOfTheLastSecond(t *testing.T) {
	got := halfway().speeds(message.NewPrinter(language.English))
	if want := "534,000 rows/s, 800 device writes/s"; got != want { // (2200-540 - (100-40)) / 2 s
		t.Errorf("speeds are %q, want %q", got, want)
	}
	blind := &run{rows: 12}
	if got := blind.speeds(message.NewPrinter(language.English)); got != "12 rows/s" {
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
		line := strings.TrimPrefix(out.String(), "\r\x1b[K")
		if len([]rune(line)) >= width {
			t.Errorf("at %d columns the line has %d: %q", width, len([]rune(line)), line)
		}
		if width >= 79 && !strings.Contains(line, "#") {
			t.Errorf("at %d columns there is no bar: %q", width, line)
		}
		if width >= 60 && !strings.Contains(line, " left") {
			t.Errorf("at %d columns the time that is left is not: %q", width, line)
		}
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

func TestPlainSaysALineForEachArm(t *testing.T) {
	var out strings.Builder
	d := New(&out, Plain, nil)
	d.Stage("unpacking PostgreSQL 17.11")
	d.Record(runfile.Run{Plan: runfile.Plan{Arms: make([]runfile.Arm, 1), Replicates: 1, ArmSeconds: 5}})
	d.Record(runfile.ArmEvent{At: at(0), Arm: "bulk", Replicate: 1, Event: runfile.Settle})
	d.Record(runfile.ArmEvent{At: at(1), Arm: "bulk", Replicate: 1, Event: runfile.Begin})
	d.Record(runfile.Load{From: at(1), To: at(2), Rows: 1000})
	d.Record(runfile.ArmEvent{At: at(7), Arm: "bulk", Replicate: 1, Event: runfile.End})
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
		d.Record(runfile.ArmEvent{At: time.Now(), Arm: "a\x1b[2Jb", Replicate: 1, Event: runfile.End})
		d.mu.Lock()
		d.draw()
		d.mu.Unlock()
		d.Close()
		shown := strings.ReplaceAll(out.String(), "\r\x1b[K", "")
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
