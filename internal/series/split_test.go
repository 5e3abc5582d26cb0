package series_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/series"
)

// TestSplit: a counter is read every second from 0 to 6 as 0, 10, 30, 30, 5, 9, 19, and at 10 as 59. Its changes are
// 10, 20, 0, a reset, 4, 10 and 40, of which 5 + 20 + 0 + 4 + 10 fall into the stretches.
func TestSplit(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	stretches := []series.Stretch{{From: at(0.5), To: at(3)}, {From: at(4), To: at(5)}, {From: at(7), To: at(8)}}
	r := series.NewReadings()
	for i, v := range []float64{0, 10, 30, 30, 5, 9, 19} {
		r.Add(at(float64(i)), map[string]float64{"m": v})
	}
	r.Add(at(10), map[string]float64{"m": 59})
	check := func(want series.Split) {
		t.Helper()
		if got := r.Series("m").Split(stretches, 2*time.Second); got != want {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	}
	check(series.Split{Changes: 7, Moved: 5, Known: 6, Coarse: 1, Inside: 39, Outside: 45, OutsideForSeconds: 4.5,
		Quietest: 10})
	r.AddGap("m", series.Gap{At: at(8), Reason: "error"}) // removes the last change
	check(series.Split{Changes: 7, Moved: 4, Known: 5, Inside: 29, Outside: 15, OutsideForSeconds: 1.5, Quietest: 10})
	if got := series.NewReadings().Series("m").Split(stretches, 0); got != (series.Split{Quietest: math.Inf(1)}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestSpread: of 1,000 changes one took half a second, one has a gap in it and one falls, which leaves 997, and every
// 100th of them.
func TestSpread(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := series.NewReadings()
	at := start
	for i := range 1001 {
		value := float64(i * i)
		if i == 300 {
			value = 0
		}
		r.Add(at, map[string]float64{"m": value})
		if i == 700 {
			r.AddGap("m", series.Gap{At: at.Add(time.Millisecond), Reason: "error"})
		}
		if at = at.Add(time.Second); i == 10 {
			at = at.Add(-time.Second / 2)
		}
	}
	got := r.Series("m").Spread(start, at, time.Second, 10)
	var want []series.Change
	n := 0
	for change, err := range r.Series("m").Changes(start, at) {
		if err != nil || change.Seconds() < 1 {
			continue
		}
		if n%100 == 0 {
			want = append(want, change)
		}
		n++
	}
	if n != 997 || len(got) != 10 || !slices.Equal(got, want) {
		t.Errorf("of %d: %v\nwant %v", n, got, want)
	}
}
