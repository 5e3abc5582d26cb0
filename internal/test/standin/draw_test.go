package standin

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	check := func(r Rule, s Said, want Sort) {
		t.Helper()
		if got := r.Judge(s); got != want {
			t.Errorf("%v said to be %v is %s, want %s", r, s, got, want)
		}
	}
	rows := Rule{{Rows, 0.5}}
	check(rows, Said{Verdict: "logical", Counts: "rows", PerUnit: 0.51}, Right)
	check(rows, Said{Verdict: "logical", Counts: "rows", PerUnit: 0.6}, Wrong)
	check(rows, Said{Verdict: "logical", Counts: "entries", PerUnit: 0.5}, Wrong)
	check(rows, Said{Verdict: "logical", Between: []string{"commits", "rows"}}, OneSide)
	check(rows, Said{Verdict: "logical", Between: []string{"rows"}}, Right)
	check(rows, Said{Verdict: "cannot_tell", Between: []string{"rows"}}, CannotTell)
	check(rows, Said{Verdict: "physical", Between: []string{"rows", "wal_bytes"}}, Wrong)
	check(rows, Said{Verdict: "cannot_tell", Between: []string{"commits", "statements"}}, Wrong)
	check(rows, Said{Verdict: "logical", Mixture: []string{"rows", "entries"}}, Wrong)
	check(rows, Said{Verdict: "cannot_tell"}, CannotTell)
	check(rows, Said{Verdict: "silent"}, Wrong)
	check(rows, Said{Verdict: "logical"}, OneSide)
	check(rows, Said{Verdict: "physical"}, Wrong)
	both := Rule{{Rows, 1}, {Bytes, 0.01}}
	check(both, Said{Verdict: "mixed", Mixture: []string{"wal_bytes", "rows"}}, Right)
	check(both, Said{Verdict: "mixed", Mixture: []string{"wal_bytes", "entries"}}, Wrong)
	check(both, Said{Verdict: "logical", Counts: "rows", PerUnit: 1}, Wrong)
	check(both, Said{Verdict: "mixed"}, OneSide)
	check(both, Said{Verdict: "cannot_tell", Between: []string{"rows"}}, CannotTell)
	missed := Rule{{Missed, 0.5}}
	check(missed, Said{Verdict: "not_logical", Between: []string{"bytes_asked", "pages_missed"}}, Right)
	check(missed, Said{Verdict: "requested", Counts: "bytes_asked", PerUnit: 0.5 / 8192}, Right)
	check(missed, Said{Verdict: "requested", Counts: "bytes_asked", PerUnit: 0.5}, Wrong)
	check(missed, Said{Verdict: "not_logical", Mixture: []string{"pages_missed"}}, Right)
	check(missed, Said{Verdict: "logical", Between: []string{"lookups", "pages_missed"}}, Wrong)
}

// noon is when the course below begins; each load writes twice as many bytes for a row as the one before.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func course() *Course {
	at := func(second, position, rows float64, quiet bool) sample {
		return sample{
			noon.Add(time.Duration(second * float64(time.Second))), position, second * second, // buffers
			map[Kind]float64{Rows: rows, Entries: 3 * rows, Records: 4 * rows, Bytes: position, Lookups: 5 * rows},
			quiet,
		}
	}
	return &Course{samples: []sample{
		at(0, 0, 0, true), at(1, 100, 0, false), at(2, 300, 10, false), at(3, 400, 40, true), // 40 rows, reported late
		at(4, 400, 40, true), at(5, 600, 40, false), at(6, 800, 60, true), // 20 rows
	}}
}

func TestCourseGoesByTheLog(t *testing.T) {
	check := func(from, to, rows, entries, bytes float64) {
		t.Helper()
		second := func(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }
		got := course().Between(second(from), second(to))
		if got[Rows] != rows || got[Entries] != entries || got[Bytes] != bytes {
			t.Errorf("from %v to %v: %v", from, to, got)
		}
	}
	check(0, 1, 10, 30, 100) // a quarter of the WAL of 40 rows
	check(1, 2, 20, 60, 200)
	check(0.5, 1.5, 15, 45, 150)
	check(3, 4, 0, 0, 0)
	check(4, 5.5, 15, 45, 300)
	check(0, 6, 60, 180, 800)
}

// TestCourseGoesByWhatStatementsLookedAt: the first load looks up 200 rows, and the
// second 100, with increasing speed.
func TestCourseGoesByWhatStatementsLookedAt(t *testing.T) {
	check := func(from, to, lookups float64) {
		t.Helper()
		second := func(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }
		if got := course().Between(second(from), second(to))[Lookups]; math.Abs(got-lookups) > 1e-9 {
			t.Errorf("from %v to %v: %v, want %v", from, to, got, lookups)
		}
	}
	check(0, 1, 200.0/9)
	check(1, 2, 200*3.0/9)
	check(3, 4, 0)
	check(4, 5, 100*9.0/20)
}

func TestDrawsDiffer(t *testing.T) {
	if one, again := New(1), New(1); one.Write.String() != again.Write.String() {
		t.Error("a seed does not tell the draw")
	}
	sorts := map[string]int{}
	for seed := range uint64(200) {
		rule := New(seed).Write
		if len(rule) == 2 {
			sorts["mixture"]++
			continue
		}
		sorts[string(rule[0].Kind)]++
	}
	for _, sort := range []string{"mixture", "rows", "entries", "wal_records", "wal_bytes"} {
		if sorts[sort] < 20 {
			t.Errorf("of 200 draws %d are of %s", sorts[sort], sort)
		}
	}
}

func TestPointsAreRatesAndSums(t *testing.T) {
	clock := Clock{Here: noon, There: noon.Add(-time.Hour), Factor: 60}
	d := Draw{Write: Rule{{Rows, 2}}, Volume: Rule{{Bytes, 0.5}}}
	if p, there := d.Point(course(), clock, WriteIOPS, noon.Add(-time.Hour)); !there || p.Value != 20.0/60 {
		t.Errorf("20 in a minute are %v a second", p.Value)
	}
	if p, there := d.Point(course(), clock, VolumeWriteIOPs, noon.Add(-time.Hour)); !there || p.Value != 300 {
		t.Errorf("half of 600 bytes are %v", p.Value)
	}

	d.Habits.Step = 10 * Minute
	for _, at := range []time.Duration{0, 5 * time.Minute} {
		if p, _ := d.Point(course(), clock, VolumeWriteIOPs, noon.Add(at-time.Hour)); p.Value != 200 {
			t.Errorf("half of 800 bytes in ten minutes are %v each five", p.Value)
		}
	}
}

// TestSavedCourse: a saved course gives the same work for each stretch.
func TestSavedCourse(t *testing.T) {
	var file bytes.Buffer
	was := course()
	if err := was.Save(&file); err != nil {
		t.Fatal(err)
	}
	is, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	for from := 0.0; from < 6; from += 0.5 {
		begin := noon.Add(time.Duration(from * float64(time.Second)))
		want, got := was.Between(begin, begin.Add(time.Second)), is.Between(begin, begin.Add(time.Second))
		for _, kind := range []Kind{Rows, Entries, Records, Bytes, Lookups} {
			if got[kind] != want[kind] {
				t.Errorf("%s from %g on: %g, want %g", kind, from, got[kind], want[kind])
			}
		}
	}
	if _, err := Load(strings.NewReader(`{"at":"2026-11-20T12:00:00Z","done":[1,2]}`)); err == nil {
		t.Error("a sample with two figures is a course")
	}
}

// TestBlindRulesAreNeverLogical: the verdict logical is wrong for any draw.
func TestBlindRulesAreNeverLogical(t *testing.T) {
	for seed := range uint64(50) {
		d := NewBlind(seed)
		for _, r := range []Rule{d.Write, d.Volume} {
			if got := r.Judge(Said{Verdict: "logical", Counts: "wal_records", PerUnit: 1}); got != Wrong {
				t.Errorf("%v said to be logical is %s", r, got)
			}
			if got := r.Judge(Said{Verdict: "cannot_tell"}); got != CannotTell {
				t.Errorf("%v not told is %s", r, got)
			}
		}
	}
}
