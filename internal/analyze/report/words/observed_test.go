package words

import "testing"

func TestObserved(t *testing.T) {
	for windows, want := range map[int]string{0: "observed for less than 5 s", 1: "observed for 5 s", 3: "observed for 15 s"} {
		if got := Observed(windows, 5); got != want {
			t.Errorf("%d windows: %q, want %q", windows, got, want)
		}
	}
}
