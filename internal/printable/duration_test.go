package printable

import (
	"strings"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 5 * time.Second: "5 s", time.Minute: "1 min", 90 * time.Second: "1 min 30 s", 10 * time.Minute: "10 min",
		30 * time.Minute: "30 min", time.Hour: "1 h", 10 * time.Hour: "10 h", 70 * time.Minute: "1 h 10 min",
		3601 * time.Second: "1 h 0 min 1 s", 24 * time.Hour: "24 h", 36 * time.Hour: "36 h", 48 * time.Hour: "2 days",
		50 * time.Hour: "2 days 2 h", 48*time.Hour + time.Second: "2 days 0 h 0 min 1 s",
		500 * time.Millisecond: "500 ms", 1500 * time.Millisecond: "1.5 s", 1500 * time.Microsecond: "1.5 ms",
		250 * time.Microsecond: "250 µs", -90 * time.Second: "-1 min 30 s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		43400 * time.Millisecond: "43 s", 120400 * time.Millisecond: "2 min", 125 * time.Second: "2 min 5 s",
		3600 * time.Second: "1 h", 3689 * time.Second: "1 h 1 min",
	} {
		if got := About(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 loads", 1: "1 load", 12: "12 loads", 1000: "1,000 loads"} {
		if got := Counted(n, "load"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestListed(t *testing.T) {
	for want, names := range map[string]string{"": "", "a": "a", "a, b, c, d, e": "a b c d e",
		"a, b, c, d, e and 1 more": "a b c d e f"} {
		if got := Listed(strings.Fields(names)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 9999: "9,999", 10000: "10,000", 123456: "123,456", 1234567890: "1,234,567,890",
		-999: "-999", -100000: "-100,000",
	} {
		if got := Count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := Count(12345.6); got != "12,346" {
		t.Errorf("a fraction: %q", got)
	}
}
