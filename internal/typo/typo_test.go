package typo

import "testing"

func TestNearest(t *testing.T) {
	check := func(typed, want string, names ...string) {
		t.Helper()
		if got := Nearest(typed, names); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	check("x", "")
	check("WriteIops", "WriteIOPS", "ReadIOPS", "WriteIOPS", "WriteLatency")
	check("WrietIOPS", "WriteIOPS", "ReadIOPS", "WriteIOPS", "WriteLatency")
	check("io/writes", "pgstat.io/writes", "block/writes", "pgstat.io/writes")
	check("IOPS", "ReadIOPS", "ReadIOPSLogVolume", "ReadIOPS")
}

// TestDistance counts distances by hand.
func TestDistance(t *testing.T) {
	check := func(a, b string, want int) {
		t.Helper()
		if got, back := distance(a, b), distance(b, a); got != want || back != want {
			t.Errorf("%q to %q: %d, and back %d, want %d", a, b, got, back, want)
		}
	}
	check("", "", 0)
	check("abc", "", 3)
	check("kitten", "sitting", 3)
	check("writes", "write", 1)
	check("flaw", "lawn", 2)
}

func TestGuess(t *testing.T) {
	check := func(typed, want string, names ...string) {
		t.Helper()
		if got := Guess(typed, names); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	check("x", "")
	check("anaylze", "analyze", "analyze", "run")
	check("budgt", "budget", "budget", "set")
	check("bench", "", "analyze", "load")
	check("", "", "analyze", "load")
	check("bud", "budget", "budget", "set")
}
