package command

import (
	"math"
	"testing"
)

// TestGibibytes: a TB is 10^12 bytes, 9 % less than a TiB.
func TestGibibytes(t *testing.T) {
	check := func(text string, want float64) {
		t.Helper()
		var g Gibibytes
		if err := g.Set(text); err != nil || math.Abs(float64(g)-want) > 0.05 {
			t.Errorf("%s: %g, %v, want %g", text, float64(g), err, want)
		}
	}
	check("500", 500)
	check("1,024 GiB", 1024)
	check("2TiB", 2048)
	check("2TB", 1862.6)
	check("2T", 2048)
	check("500G", 500)
	check("2tb", 1862.6)
	check("500GB", 465.7)
	check("1.5PiB", 1.5*1024*1024)
	for _, text := range []string{"", "TB", "1,5TB", "2 XB", "8Gb", "-1", "NaN", "2TBB", "1e"} {
		var g Gibibytes
		if err := g.Set(text); err == nil {
			t.Errorf("%q is %g", text, float64(g))
		}
	}
}
