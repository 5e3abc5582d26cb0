package series_test

import (
	"testing"
	"time"

	"github.com/realiops/realiops/internal/series"
)

// TestBetween: read every second from 0 to 4 as 0, 10, 30, 30, 5, so it was reset before the last reading.
func TestBetween(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	r := series.NewReadings()
	for i, v := range []float64{0, 10, 30, 30, 5} {
		r.Add(at(float64(i)), map[string]float64{"m": v})
	}
	s := r.Series("m")
	check := func(from, to float64, coarse time.Duration, want float64, known bool) {
		t.Helper()
		got, err := s.Between(at(from), at(to), coarse)
		if (err == nil) != known || known && got != want {
			t.Errorf("from %g to %g: %g, %v; want %g, %v", from, to, got, err, want, known)
		}
	}
	check(0, 2, time.Second, 30, true)
	check(0.5, 1.5, time.Second, 15, true) // 5 to 20
	check(0.5, 1.5, time.Second/2, 0, false)
	check(-1, 1, time.Minute, 0, false)
	check(1, 5, time.Minute, 0, false)
	check(1, 3.5, time.Minute, 0, false) // it may have been reset by then
	if grew := s.Grew(); grew.Amount != 30 || grew.Seconds() != 4 {
		t.Errorf("grew %+v", grew)
	}
	if before, after, ok := s.Around(at(1.5)); !ok || before.Value != 10 || after.Value != 30 {
		t.Errorf("around 1.5: %v, %v, %v", before, after, ok)
	}
}
