package series

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sec returns a time some seconds after noon.
func sec(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }

// counter returns a metric x that read 10 at 0 s, 20 at 1 s, …, or the values given.
func counter(values ...float64) *Readings {
	r := NewReadings()
	for i, v := range values {
		r.Add(sec(float64(i)), map[string]float64{"x": v})
	}
	return r
}

func gap(at float64, reason Reason) Gap { return Gap{At: sec(at), Reason: reason, Detail: "because"} }

// told formats an answer for comparison: a value or the reason why there is none.
func told(v any, err error) string {
	if missing, ok := errors.AsType[*Missing](err); ok {
		return string(missing.Reason)
	}
	if err != nil {
		return "not a *Missing: " + err.Error()
	}
	return fmt.Sprint(v)
}

func TestBefore(t *testing.T) {
	r := counter(10, 20, 30)
	r.Add(sec(3), map[string]float64{"y": 1}) // x not read
	r.Add(sec(4), map[string]float64{"x": 50})
	r.AddGap("", gap(5, "late"))
	r.Add(sec(6), map[string]float64{"x": 70})
	r.AddGap("x", gap(6.5, "permission"))
	r.AddGap("y", gap(4.2, "unsupported"))
	r.AddGap("x", gap(2, "throttled")) // although it was read at that moment
	check := func(at float64, want string) {
		t.Helper()
		p, err := r.Series("x").Before(sec(at))
		if got := told(p.Value, err); got != want {
			t.Errorf("before %g s: %s, want %s", at, got, want)
		}
	}
	check(-1, "never-read")
	check(0, "never-read") // half-open: a reading is not before its own moment
	check(0.001, "10")
	check(1, "10")
	check(2.5, "30")
	check(3.5, "30")
	check(4.5, "50")
	check(5, "50") // nor is a gap
	check(5.001, "late")
	check(6, "late")
	check(6.2, "70")
	check(6.6, "permission")
	check(99, "permission")
	if p, err := r.Series("x").Before(sec(2.5)); err != nil || !p.At.Equal(sec(2)) {
		t.Errorf("the reading's own moment: %v, %v", p.At, err)
	}
	if _, err := r.Series("y").Before(sec(9)); told(nil, err) != "late" {
		t.Errorf("y, whose last gap is the probe's at 5 s: %v", err)
	}
	if _, err := r.Series("z").Before(sec(1)); told(nil, err) != "never-read" {
		t.Errorf("z, never read: %v", err)
	}
	if _, err := (Series{}).Before(noon); told(nil, err) != "never-read" {
		t.Errorf("zero value: %v", err)
	}
}

func TestMissingSaysAllItKnows(t *testing.T) {
	r := NewReadings()
	r.AddGap("", Gap{At: noon, Reason: "permission", Code: "42501", Detail: "permission denied for view pg_stat_wal"})
	_, err := r.Series("x").Before(sec(1))
	if got := err.Error(); told(nil, err) != "permission" || got != "permission denied for view pg_stat_wal (42501)" {
		t.Error(got)
	}
	for want, m := range map[string]Missing{
		"not local":                                  {Reason: "not-local"},
		"the server is gone":                         {Reason: "error", Code: "nothing", Detail: "the server is gone"},
		"no such device (ENODEV)":                    {Reason: "error", Code: "ENODEV", Detail: "no such device"},
		"the counter was reset: it fell from 2 to 0": {Reason: Reset, Detail: "fell from 2 to 0"},
	} {
		if got := m.Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDelta(t *testing.T) {
	check := func(what string, r *Readings, begin, end float64, want string) {
		t.Helper()
		c, err := r.Series("x").Delta(sec(begin), sec(end))
		if got := told(c.Amount, err); got != want {
			t.Errorf("%s: [%g, %g) grew by %s, want %s", what, begin, end, got, want)
		}
	}
	plain := func() *Readings { return counter(10, 20, 40, 80, 160) }
	check("whole", plain(), 0.5, 9, "150")
	check("inner", plain(), 1.5, 3.5, "60")
	check("a reading at begin belongs to the stretch", plain(), 1, 3.5, "70")
	check("a reading at end does not", plain(), 1.5, 3, "20")
	check("adjacent stretches share nothing", plain(), 3, 4.5, "120")
	check("nothing before", plain(), 0, 3, "never-read")
	check("nothing between", plain(), 1.2, 1.8, "never-read")
	check("backwards", plain(), 3, 1.5, "never-read")
	check("no growth is a number", counter(5, 5, 5), 0.5, 2.5, "0")

	check("a fall", counter(10, 20, 5, 30), 0.5, 3.5, "reset")
	check("a fall hidden by growth", counter(10, 20, 5, 300), 0.5, 3.5, "reset")
	check("a fall before", counter(10, 5, 6, 7), 1.5, 3.5, "2")
	check("a fall after", counter(10, 20, 30, 5), 0.5, 2.5, "20")

	withGap := func(at float64, reason Reason) *Readings {
		r := plain()
		r.AddGap("x", gap(at, reason))
		return r
	}
	check("gap in the middle", withGap(1.7, "late"), 0.5, 4.5, "150")
	check("gap at the end", withGap(4.2, "late"), 0.5, 4.5, "late")
	check("gap at the start", withGap(0.2, "late"), 0.5, 4.5, "late")
	check("reset gap inside", withGap(2, "reset"), 0.5, 4.5, "reset")
	check("reset gap with the first reading", withGap(0, "reset"), 0.5, 4.5, "150")
	check("reset gap with the last reading", withGap(4, "reset"), 0.5, 4.5, "reset")
	check("reset gap after", withGap(4.2, "reset"), 0.5, 4.5, "150")
	check("reset gap of the probe", func() *Readings {
		r := plain()
		r.AddGap("", gap(2, "reset"))
		return r
	}(), 0.5, 4.5, "reset")
}

func TestDeltaKnowsItsReadings(t *testing.T) {
	c, err := counter(10, 20, 40, 80).Series("x").Delta(sec(0.5), sec(2.5))
	want := Change{From: sec(0), To: sec(2), Amount: 30}
	if diff := cmp.Diff(want, c); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if c.Seconds() != 2 {
		t.Errorf("%g s", c.Seconds())
	}
}

func TestChanges(t *testing.T) {
	r := counter(10, 20, 40, 5, 6)
	r.AddGap("x", gap(0.5, "late"))
	r.AddGap("x", gap(3, "reset"))
	r.AddGap("x", gap(3.9, "throttled"))
	r.Add(sec(5), map[string]float64{"y": 1})
	r.Add(sec(6), map[string]float64{"x": 10})
	all := func(begin, end float64) []string {
		var got []string
		for c, err := range r.Series("x").Changes(sec(begin), sec(end)) {
			got = append(got, fmt.Sprintf("%g-%g %s", c.From.Sub(noon).Seconds(), c.To.Sub(noon).Seconds(),
				told(c.Amount/c.Seconds(), err)))
		}
		return got
	}
	want := []string{"0-1 late", "1-2 20", "2-3 reset", "3-4 throttled", "4-6 2"}
	if diff := cmp.Diff(want, all(-9, 99)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1-2 20"}, all(1, 3)); diff != "" {
		t.Errorf("half-open: %s", diff)
	}
	if got := all(1, 2); got != nil {
		t.Errorf("one reading is no change: %v", got)
	}
	for c, err := range r.Series("x").Changes(sec(0), sec(99)) {
		if told(c, err) != "late" {
			t.Errorf("first change: %v, %v", c, err)
		}
		break
	}
}

// TestOrderDoesNotMatter compares any order of arrival with the order of time, for random series with holes.
func TestOrderDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		type row struct {
			at     time.Time
			values map[string]float64
		}
		var rows []row
		for i := range 20 {
			values := map[string]float64{}
			for _, m := range []string{"x", "y"} {
				if random.IntN(3) > 0 {
					values[m] = float64(i)
				}
			}
			rows = append(rows, row{sec(float64(i)), values})
		}
		build := func() *Readings {
			r := NewReadings()
			for _, row := range rows {
				r.Add(row.at, row.values)
				if len(row.values) == 0 {
					r.AddGap("", Gap{At: row.at, Reason: "late"})
				}
			}
			return r
		}
		answers := func(r *Readings) (all []string) {
			for _, m := range []string{"x", "y"} {
				for at := -0.5; at < 21; at++ {
					p, err := r.Series(m).Before(sec(at))
					all = append(all, told(p, err))
					c, err := r.Series(m).Delta(sec(at-5), sec(at))
					all = append(all, told(c, err))
				}
			}
			return all
		}
		inOrder := build()
		if inOrder.SteppedBack() != 0 {
			t.Errorf("stepped back by %v though in order", inOrder.SteppedBack())
		}
		want := answers(inOrder)
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if diff := cmp.Diff(want, answers(build())); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestAgainstPlainSearch compares Before with a search through all rows, its definition.
func TestAgainstPlainSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	r, rows := NewReadings(), map[float64]float64{}
	for i := range 200 {
		values := map[string]float64{"y": 0}
		if random.IntN(4) > 0 {
			values["x"], rows[float64(i)] = random.Float64(), 0
			rows[float64(i)] = values["x"]
		}
		r.Add(sec(float64(i)), values)
	}
	for range 2000 {
		at := math.Round(random.Float64()*4400)/20 - 5
		want := "never-read"
		for _, s := range slices.Sorted(maps.Keys(rows)) {
			if s < at {
				want = fmt.Sprint(rows[s])
			}
		}
		p, err := r.Series("x").Before(sec(at))
		if got := told(p.Value, err); got != want {
			t.Fatalf("before %g s: %s, want %s", at, got, want)
		}
	}
}

func TestSteppedBack(t *testing.T) {
	r := counter(1, 2, 3)
	r.Add(sec(0.5), map[string]float64{"x": 4})
	r.Add(sec(1.5), map[string]float64{"x": 5})
	if got := r.SteppedBack(); got != 1500*time.Millisecond {
		t.Errorf("stepped back by %v", got)
	}
	if _, err := r.Series("x").Delta(sec(0.2), sec(9)); told(nil, err) != "reset" {
		t.Errorf("values that the clock mixed up: %v", err)
	}
}

func TestNaNWasNotRead(t *testing.T) {
	r := counter(1, math.NaN(), math.Inf(1), 4)
	if c, err := r.Series("x").Delta(sec(0.5), sec(3.5)); told(c.Amount, err) != "3" {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := r.Series("x").Delta(sec(0.5), sec(2.5)); told(nil, err) != "never-read" {
		t.Errorf("over rows without a number: %v", err)
	}
}

// TestAbsurdTimes: no time that JSON can hold may panic or move to another century.
func TestAbsurdTimes(t *testing.T) {
	r := NewReadings()
	for i, at := range []time.Time{{}, noon, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		r.Add(at, map[string]float64{"x": float64(i)})
		r.AddGap("x", Gap{At: at, Reason: Reset})
	}
	s := r.Series("x")
	for _, begin := range []time.Time{{}, noon, sec(1), latest} {
		for _, end := range []time.Time{{}, noon, sec(1), latest} {
			_, _ = s.Delta(begin, end)
			for range s.Changes(begin, end) {
			}
		}
	}
	if p, err := s.Before(sec(1)); told(p.Value, err) != "1" {
		t.Errorf("%v, %v", p, err)
	}
}

// TestSeriesStaysAsItWas because a report may hold one while the file is read on.
func TestSeriesStaysAsItWas(t *testing.T) {
	r := counter(1, 2)
	s := r.Series("x")
	r.Add(sec(2), map[string]float64{"x": 3})
	if p, err := s.Before(sec(9)); told(p.Value, err) != "2" {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := r.Series("x").Before(sec(9)); told(p.Value, err) != "3" {
		t.Errorf("%v, %v", p, err)
	}
}

// TestLongColumns: a counter of many rows, with and without a hole, behaves like a short one.
func TestLongColumns(t *testing.T) {
	const n = 5*longestRun + 3
	r := NewReadings()
	x, y := r.Column("x"), r.Column("y")
	for i := range n {
		if i%1000 == 999 {
			r.AddRow(sec(float64(i)), []*Column{y}, []float64{1})
			continue
		}
		r.AddRow(sec(float64(i)), []*Column{x, y}, []float64{float64(10 * i), math.NaN()})
	}
	s := r.Series("x")
	for i := range n {
		want := 10 * float64(i-1)
		if (i-1)%1000 == 999 {
			want -= 10
		}
		if p, err := s.Before(sec(float64(i))); i > 0 && (err != nil || p.Value != want) {
			t.Fatalf("before %d s: %v, %v, want %g", i, p.Value, err, want)
		}
	}
	changes := 0
	for range s.Changes(sec(0), sec(n)) {
		changes++
	}
	if want := n - n/1000 - 1; changes != want {
		t.Errorf("%d changes, want %d", changes, want)
	}
}

// TestFallInLongColumn is found at the beginning, the end and in the middle of packed runs, by every method that
// looks across it.
func TestFallInLongColumn(t *testing.T) {
	const n = 5*longestRun + 3
	for _, at := range []int{1, longestRun - 1, longestRun, longestRun + 1, 2*longestRun + 500, 3*longestRun - 1,
		3 * longestRun, n - 1} {
		r := NewReadings()
		for i := range n {
			value := 10 * float64(i)
			if i >= at {
				value -= 15
			}
			r.Add(sec(float64(i)), map[string]float64{"m": value})
		}
		s := r.Series("m")
		check := func(from, to int, want bool) {
			t.Helper()
			_, delta := s.Delta(sec(float64(from)+0.5), sec(float64(to)+0.5))
			_, between := s.Between(sec(float64(from)), sec(float64(to)), time.Second)
			if fell := delta != nil; fell != want || (between != nil) != want {
				t.Errorf("a fall at %d, from %d to %d: %v, %v", at, from, to, delta, between)
			}
		}
		check(0, n-1, true)
		check(at-1, at, true)
		if at > 1 {
			check(0, at-1, false)
		}
		if at < n-1 {
			check(at, n-1, false)
		}
	}
}
