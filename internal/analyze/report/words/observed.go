package words

import (
	"math"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

// Observed says for how long a server was observed: for that many windows of so many seconds.
func Observed(windows int, seconds float64) string {
	if windows == 0 {
		return "observed for less than " + Span(seconds)
	}
	return "observed for " + Span(float64(windows)*seconds)
}

// Span formats a number of seconds, to the second.
func Span(seconds float64) string {
	return printable.Duration(time.Duration(math.Round(seconds)) * time.Second)
}
