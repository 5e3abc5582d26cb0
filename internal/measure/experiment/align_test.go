package experiment

import (
	"testing"
	"time"
)

func TestLoadsBeginShortlyBeforeAPeriod(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	check := func(after, period, want time.Duration) {
		t.Helper()
		if got := untilLead(noon.Add(after), period); got != want {
			t.Errorf("%v past noon, periods of %v: %v, want %v", after, period, got, want)
		}
	}
	check(0, time.Minute, 55*time.Second)
	check(54*time.Second, time.Minute, time.Second)
	check(55*time.Second, time.Minute, 0)
	check(56*time.Second, time.Minute, 59*time.Second)
	check(time.Minute, 5*time.Minute, 3*time.Minute+35*time.Second) // 25 s before 12:05
	check(0, 12*time.Second, 11*time.Second)
}
