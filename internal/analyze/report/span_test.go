package report

import "testing"

func TestSpan(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 s", 5: "5 s", 60: "1 min", 90: "1 min 30 s", 600: "10 min", 1800: "30 min", 3600: "1 h", 36000: "10 h",
		4200: "1 h 10 min", 3601: "1 h 0 min 1 s",
	} {
		if got := span(seconds); got != want {
			t.Errorf("%g s: %q, want %q", seconds, got, want)
		}
	}
}
