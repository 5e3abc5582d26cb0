package reading

import (
	"math"
	"testing"
)

// TestFiguresSaidTwice: two numbers for one figure are rejected.
func TestFiguresSaidTwice(t *testing.T) {
	for text, want := range map[string]string{
		"iops=3000,iops=2000": "--check iops= is given twice",
		"queue=3 aqu-sz=2":    "--check aqu-sz= and queue= are the same; leave one out",
		"kbps=100 mbps=2":     "--check mbps= and kbps= are the same; leave one out", "r/s=1 w/s=1 kbps=3": "",
	} {
		if _, err := parseFigures(text); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzFigures: typed figures become possible numbers.
func FuzzFigures(f *testing.F) {
	for _, text := range []string{"iops=489 kbps=62598 kb=4 ms=62.1 queue=30", "r/s=1,w_await=inf", "iops=1e400",
		"buffered", "ms=-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if figures, err := parseFigures(text); err == nil {
			for _, v := range []float64{figures.Operations, figures.Bytes, figures.Latency, figures.Queue} {
				if v < 0 || math.IsInf(v, 0) {
					t.Errorf("%q: %+v", text, figures)
				}
			}
		}
	})
}
