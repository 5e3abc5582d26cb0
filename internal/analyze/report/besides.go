package report

import (
	"cmp"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/words"
)

// besides is a number that looks like IOPS, and the disk's work meanwhile.
type besides struct {
	name        string
	load        string
	loud, quiet Figure
}

// none reports whether the disk did nothing, vague whether its work is lost in the background.
func (b besides) none() bool  { return b.quiet.Highest <= figure.Resolution }
func (b besides) vague() bool { return b.quiet.Lowest <= figure.Resolution }

// factor returns how many times fewer operations the disk did; if vague, at least.
func (b besides) factor() float64 {
	switch {
	case b.none():
		return math.Inf(1)
	case b.vague():
		return b.loud.Value / b.quiet.Highest
	}
	return b.loud.Value / b.quiet.Value
}

func byFactor(a, b besides) int { return cmp.Compare(a.factor(), b.factor()) }

// did says what the disk did; if vague, at most.
func (b besides) did() string {
	switch {
	case b.none():
		return "the disk did nothing"
	case b.vague():
		return "the disk did at most " + number.Rate(b.quiet.Highest) + "/s"
	}
	return "the disk did " + number.Rate(b.quiet.Value) + "/s"
}

// wide returns the range of the factor over the load's repetitions if it is wide and finite; else empty.
func (b besides) wide() string {
	const unsteady = 2
	if lowest, highest := b.loud.Lowest/b.quiet.Highest, b.loud.Highest/b.quiet.Lowest; !b.vague() && lowest > 0 &&
		highest > unsteady*lowest {
		return number.Ratio(lowest) + " to " + number.Ratio(highest)
	}
	return ""
}

// ends returns the range of the factor.
func (b besides) ends() string {
	if b.none() {
		return "the quiet one did not move"
	}
	if b.vague() {
		return "at least " + number.Ratio(b.factor())
	}
	return cmp.Or(b.wide(), number.Ratio(b.factor()))
}

// named returns the load, with the range of its factor if it is wide.
func (b besides) named() string { return strings.Join(words.Filled(b.load, b.wide()), ", ") }

// factorText returns the factor, or its range over the repetitions if that is wide.
func (b besides) factorText() string {
	times := b.factor()
	switch {
	case b.none():
		return "not one request"
	case b.vague():
		return "at least " + number.Ratio(times) + " times fewer"
	case times < 1:
		return number.Ratio(1/times) + " times more"
	}
	return cmp.Or(b.wide(), number.Ratio(times)) + " times fewer"
}
