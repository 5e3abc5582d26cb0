// Package number formats numbers for people: rounded, with commas between thousands.
//
// An uncertainty is rounded up, so that it never vanishes, and a missing number is never zero.
package number

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// Mega is the M in MB: storage is sold in powers of ten.
const Mega = 1e6

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Grouped formats v with the given decimals and with commas between groups of three digits.
func Grouped(v float64, decimals int) string {
	if !Finite(v) {
		return strings.TrimPrefix(strings.Replace(fmt.Sprint(v), "Inf", "∞", 1), "+")
	}
	whole, rest, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'f', decimals, 64), ".")
	var text strings.Builder
	if v < 0 && strings.Trim(whole+rest, "0") != "" { // no negative zero
		text.WriteByte('-')
	}
	text.WriteString(printable.Grouped(whole))
	if decimals > 0 {
		text.WriteString("." + rest)
	}
	return text.String()
}

// Rate formats a rate: as an integer, unless it is small.
func Rate(v float64) string {
	switch size := math.Abs(v); {
	case size == 0:
		return "0"
	case size >= 9.95:
		return Grouped(v, 0)
	case size >= 0.095:
		return Grouped(v, 1)
	default:
		return Significant(v, 1)
	}
}

// Ratio formats a ratio, to three digits if it is small.
func Ratio(v float64) string {
	switch size := math.Abs(v); {
	case size == 0:
		return "0"
	case size >= 99.95:
		return Grouped(v, 0)
	case size >= 9.995:
		return Grouped(v, 1)
	case size >= 0.0009995:
		return Significant(v, 3)
	default:
		return Significant(v, 2)
	}
}

// smallest is the value below which numbers are written as powers of ten.
const smallest = 1e-5

// Significant formats v with the given significant digits, and with all digits before the decimal point.
func Significant(v float64, digits int) string {
	if size := math.Abs(v); size < smallest {
		return fmt.Sprintf("%.*e", digits-1, v)
	}
	return Grouped(v, max(0, digits-1-int(math.Floor(math.Log10(math.Abs(v))))))
}

// Short formats v like Significant, without zeros at the end: 5 and 3.25, as people write what they chose.
func Short(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	text := Significant(v, digits)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Stated formats a number that somebody gave, or that a rule has.
func Stated(v float64) string { return Short(v, 9) }

// Percent formats a share as a percentage.
func Percent(share float64) string {
	switch size := math.Abs(share) * 100; {
	case size < 1e-6: // rounding error
		return "0%"
	case size < 0.95:
		return fmt.Sprintf("%.1f%%", math.Ceil(share*1000)/10)
	case !(size <= 999.5):
		return ">999%"
	default:
		return fmt.Sprintf("%.0f%%", share*100)
	}
}

// Milliseconds formats a time given in seconds.
func Milliseconds(seconds float64) string {
	if ms := seconds * 1000; ms < 9.95 && ms >= smallest {
		return Significant(ms, 2)
	}
	return Ratio(seconds * 1000)
}

// Estimate formats v, a value with an interval or an end of it, with the digits that the interval justifies. It rounds
// to at most three digits, or to an integer if that has more.
func Estimate(v, value, lo, hi float64) string {
	size := math.Abs(value)
	switch {
	case size < smallest || !Finite(value) || !Finite(v):
		return Ratio(v)
	case math.Abs(v) >= 1e6:
		return Grouped(v/1e6, 0) + "M"
	case math.Abs(v) >= large:
		return Grouped(v/1e3, 0) + "k"
	}
	three := 2 - int(math.Floor(math.Log10(size)))
	place := min(justified(value, (hi-lo)/2), max(three, 0))
	return Grouped(roundedAt(v, place), max(0, place))
}

// Rounded rounds v to the digits that an uncertainty of ±half justifies. It leaves v as it is if half is zero or
// unknown.
func Rounded(v, half float64) float64 {
	if v == 0 || !Finite(v) || !Finite(half) || half <= 0 {
		return v
	}
	return roundedAt(v, justified(v, half))
}

// Within formats v, a rate within an interval or an end of it, with the digits that the interval justifies.
func Within(v, lo, hi float64) string { return Rate(Rounded(v, (hi-lo)/2)) }

// Rough is the uncertainty of a number that nothing else is known of: it leaves two or three digits.
const Rough = 0.1

// About formats a rough rate.
func About(v float64) string { return Rate(Rounded(v, Rough*math.Abs(v))) }

// AtMost formats v, an upper bound, rounded up to two digits; AtLeast a lower bound, rounded down.
func AtMost(v float64) string  { return bound(v, math.Ceil) }
func AtLeast(v float64) string { return bound(v, math.Floor) }

func bound(v float64, round func(float64) float64) string {
	if v == 0 || !Finite(v) {
		return Ratio(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)
	return Short(round(Tidy(v/unit))*unit, 2)
}

// justified returns how many decimals an uncertainty of ±half justifies, negative to the left of the decimal point. It
// is the rule of the Particle Data Group: two digits of an uncertainty that begins with less than 355, and one of any
// other. At least two digits of the value remain.
func justified(v, half float64) int {
	if !Finite(half) || half <= 0 {
		return math.MaxInt32
	}
	exponent := math.Floor(math.Log10(half))
	decimals := -int(exponent)
	if half/math.Pow(10, exponent) < 3.55 {
		decimals++
	}
	return max(decimals, 1-int(math.Floor(math.Log10(math.Abs(v)))))
}

func roundedAt(v float64, decimals int) float64 {
	if decimals >= 0 {
		return v // formatting rounds it
	}
	unit := math.Pow(10, float64(-decimals))
	return math.Round(v/unit) * unit
}

// large is the value from which the last digits of a number are dropped.
const large = 1e5

// Spelled returns a small number as a word.
func Spelled(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// Ordinal formats an ordinal: 99th, 91st, 99.9th.
func Ordinal(v float64) string {
	suffix := "th"
	if whole := int(v); v == math.Trunc(v) && whole/10%10 != 1 {
		suffix = map[int]string{1: "st", 2: "nd", 3: "rd"}[whole%10]
	}
	return fmt.Sprintf("%g%s", v, cmp.Or(suffix, "th"))
}

// Tidy removes binary rounding errors from an integer: 760 with 10% is 836, and not 837.
func Tidy(v float64) float64 {
	if whole := math.Round(v); math.Abs(v-whole) <= 1e-9*max(1, math.Abs(v)) {
		return whole
	}
	return v
}
