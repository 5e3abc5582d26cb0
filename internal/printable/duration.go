package printable

import (
	"fmt"
	"strings"
	"time"
)

// Duration formats d exactly: 500 ms, 1.5 s, 2 min 5 s, 1 h, 30 days.
func Duration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case 0 < d && d < time.Millisecond:
		return fmt.Sprintf("%g µs", float64(d)/float64(time.Microsecond))
	case 0 < d && d < time.Second:
		return fmt.Sprintf("%g ms", float64(d)/float64(time.Millisecond))
	}
	var parts []string
	for _, unit := range []struct {
		name     string
		is, from time.Duration
	}{{"days", day, 2 * day}, {"h", time.Hour, time.Hour}, {"min", time.Minute, time.Minute}} {
		if d >= unit.from || len(parts) > 0 && d > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", d/unit.is, unit.name))
			d %= unit.is
		}
	}
	if d > 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%g s", d.Seconds()))
	}
	return strings.Join(parts, " ")
}

// About formats d like [Duration], in whole seconds, and from an hour on in whole minutes.
func About(d time.Duration) string {
	if d >= time.Hour {
		return Duration(d.Round(time.Minute))
	}
	return Duration(d.Round(time.Second))
}

// Counted returns a number of things: 1 load, 12 loads, 43,200 windows.
func Counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// Listed returns the first of several names, and the number of the others: "a, b, c, d, e and 3 more".
func Listed(names []string) string {
	const few = 5
	if more := len(names) - few; more > 0 {
		return strings.Join(names[:few], ", ") + " and " + Count(more) + " more"
	}
	return strings.Join(names, ", ")
}

// Count returns a whole number with commas between thousands. A fraction is rounded.
func Count[N int | int64 | uint64 | float64](n N) string {
	return Grouped(fmt.Sprintf("%.0f", float64(n)))
}

// Grouped puts commas between thousands into the digits of a whole number.
func Grouped(digits string) string {
	var text strings.Builder
	for i, r := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			text.WriteByte(',')
		}
		text.WriteRune(r)
	}
	return text.String()
}

// Largest formats a duration for which only the largest unit matters.
func Largest(d time.Duration) string {
	for _, unit := range []time.Duration{time.Hour, time.Minute} {
		if d >= 2*unit {
			return Duration(d.Round(unit))
		}
	}
	return Duration(d.Round(time.Second))
}
