package command

import (
	"math"
	"testing"
)

// FuzzAmounts: sizes become possible numbers, and print as they were written.
func FuzzAmounts(f *testing.F) {
	for _, text := range []string{"512M", "4GiB", "2TB", "1,000 GB", "0", "9223372036854775807", "1e3TiB", "inf", "-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var bytes, again Size
		if bytes.Set(text) == nil {
			if err := again.Set(bytes.String()); err != nil || bytes < 0 || again != bytes {
				t.Errorf("%q is %d, written %q, read %d: %v", text, bytes, bytes.String(), again, err)
			}
		}
		var amount, written Gibibytes
		if amount.Set(text) == nil {
			if err := written.Set(amount.String()); err != nil || !(amount >= 0) || math.IsInf(float64(amount), 0) ||
				written != amount {
				t.Errorf("%q is %g GiB, written %q, read %g: %v", text, amount, amount.String(), written, err)
			}
		}
	})
}
