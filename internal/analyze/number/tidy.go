package number

import "math"

// Tidy removes binary rounding errors from an integer: 760 with 10% is 836, and not 837.
func Tidy(v float64) float64 {
	if whole := math.Round(v); math.Abs(v-whole) <= 1e-9*max(1, math.Abs(v)) {
		return whole
	}
	return v
}
