package number

import "math"

// Tidy takes off what arithmetic in binary fractions adds to a whole number: 760 with 10% are 836, and not 837.
func Tidy(v float64) float64 {
	if whole := math.Round(v); math.Abs(v-whole) <= 1e-9*max(1, math.Abs(v)) {
		return whole
	}
	return v
}
