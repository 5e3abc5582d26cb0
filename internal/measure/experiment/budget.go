package experiment

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Budget returns how long the loads of a plan may take whose sources all answer at once. That of most plans leaves
// 80 seconds of three minutes for compiling the program, which a first run from its source does.
func Budget(plan string) time.Duration {
	if plan == Everything().Name {
		return 5 * time.Minute
	}
	return 100 * time.Second
}

// Limits decide what a plan leaves open: how long its loads last and how often each is run.
type Limits struct {
	Budget time.Duration // for all loads and what lies between them; 0: as long as sources with periods ask for
	Period float64       // seconds, of the slowest source asked for; 0: all answer at once
	Pause  Pause
}

// Pause is the time between two loads: a fixed part, and one that grows with the load, because the data it wrote
// has to be flushed, counted and dropped.
type Pause struct {
	Fixed time.Duration
	Share float64 // of the load's length
}

// DefaultPause returns that of a plain disk, until it has been measured (see [Experiment.Calibrate]).
func DefaultPause() Pause { return Pause{Fixed: 300 * time.Millisecond, Share: typicalShare} }

// typicalShare is from 5% for rows without indexes to 25% for wide ones whose pages have checksums.
const typicalShare = 0.12

// Lengths of a load in seconds; no load is shorter than LeastLoad. A source that answers at once is read at both ends
// of a load, which any length allows; but a load takes a moment to become steady, and what it shows on the way makes
// the record richer.
const (
	idealLoad       = 5
	comfortableLoad = 1.5
	LeastLoad       = 1
)

// wholePeriods is the number of a source's periods that must lie inside a load: two show that they agree.
const wholePeriods = 2

// Lead is the part of a period by which a load begins before one and ends after another, so that it is steady in
// between and two clocks need not agree to the second.
const Lead = 1.0 / 12

// aligned reports whether loads begin and end with the periods of a source, as all do whose periods are worth it.
func (l Limits) aligned() bool { return l.Period > 1 }

// Aligned returns the period that loads begin and end with; zero: they begin at once.
func (l Limits) Aligned() time.Duration {
	if !l.aligned() {
		return 0
	}
	return time.Duration(l.Period * float64(time.Second))
}

// Short reports whether loads of that many seconds hold too few whole periods, which is possible if the user set
// their length.
func (l Limits) Short(seconds float64) bool { return l.aligned() && seconds < l.Period*wholePeriods }

// whole returns the length of a load in which whole periods lie, in seconds, to a tenth.
func (l Limits) whole() float64 { return math.Ceil(10*l.Period*(wholePeriods+2*Lead)) / 10 }

// Fit fills in the length and the repetitions that a plan leaves open, so that all of it fits the budget. Shorter loads
// are preferred to fewer repetitions until a load has a second and a half. A budget that two repetitions do not fit
// gets one. What the plan says itself stands, whatever it costs.
func Fit(plan runfile.Plan, limits Limits) (runfile.Plan, error) {
	switch {
	case plan.Repetitions < 0, plan.LoadSeconds != 0 && plan.Repetitions != 0:
		return plan, validateLengths(plan)
	case plan.LoadSeconds != 0:
		plan = fewer(plan, limits)
		return plan, validateLengths(plan)
	case limits.aligned():
		return fitAligned(plan, limits)
	case plan.Repetitions != 0:
		plan.LoadSeconds = max(longest(plan, limits, idealLoad), LeastLoad)
		return plan, validateLengths(plan)
	}
	for _, try := range []struct {
		repetitions int
		atLeast     float64
	}{{usualRepetitions, comfortableLoad}, {LeastRepetitions, LeastLoad}, {1, LeastLoad}} {
		plan.Repetitions = try.repetitions
		if plan.LoadSeconds = longest(plan, limits, idealLoad); plan.LoadSeconds >= try.atLeast {
			return plan, nil
		}
	}
	plan.LoadSeconds = LeastLoad
	return plan, tooShort(plan, limits)
}

// fewer repetitions than usual where the usual number does not fit.
func fewer(plan runfile.Plan, limits Limits) runfile.Plan {
	plan.Repetitions = usualRepetitions
	if Duration(plan, limits) > limits.Budget {
		plan.Repetitions = LeastRepetitions
	}
	return plan
}

// fitAligned makes loads as long as the periods ask for. Without a budget they are run as often as tells how far they
// vary at all: a load may take a quarter of an hour.
func fitAligned(plan runfile.Plan, limits Limits) (runfile.Plan, error) {
	plan.LoadSeconds = limits.whole()
	switch {
	case plan.Repetitions != 0:
		return plan, validateLengths(plan)
	case limits.Budget == 0:
		plan.Repetitions = LeastRepetitions
		return plan, nil
	}
	if plan = fewer(plan, limits); Duration(plan, limits) > limits.Budget {
		return plan, tooShort(plan, limits)
	}
	return plan, nil
}

// ErrTooShort is a budget that the shortest loads, run once, do not fit.
var ErrTooShort = errors.New("too short")

func tooShort(plan runfile.Plan, limits Limits) error {
	return fmt.Errorf("--budget is %s, %w for %s: give it at least %s, or choose a shorter --plan",
		printable.Duration(limits.Budget), ErrTooShort, printable.Counted(plan.Loaded(), "load"),
		printable.Duration(Duration(plan, limits).Truncate(time.Second)+time.Second))
}

// longest returns the length of loads at which the plan with its repetitions fits, in tenths of a second.
func longest(plan runfile.Plan, limits Limits, ideal float64) float64 {
	repetitions, budget := plan.Steps(), limits.Budget-filling(plan)
	length := limits.Pause.length(budget / time.Duration(repetitions+1)) // with a warm-up as long as a load
	if length > longestWarmUp.Seconds() {
		length = limits.Pause.length((budget - limits.Pause.after(longestWarmUp.Seconds())) /
			time.Duration(repetitions))
	}
	return min(math.Floor(length*10)/10, ideal)
}

// Duration returns about how long a plan takes.
func Duration(plan runfile.Plan, limits Limits) time.Duration {
	each := limits.Pause.after(plan.LoadSeconds)
	if limits.aligned() { // each load waits for the next period
		period := limits.Aligned()
		each = (each + period - 1) / period * period
	}
	warmUp := limits.Pause.after(min(plan.LoadSeconds, longestWarmUp.Seconds()))
	return resting(plan) + filling(plan) + each*time.Duration(plan.Steps()) + warmUp
}

// filling returns about how long it takes to make the tables of the loads that read and change what is there: those
// that read share one, the others have one each in each repetition.
func filling(plan runfile.Plan) (took time.Duration) {
	shared := time.Duration(0)
	for _, l := range plan.Loads {
		switch each := load.FillsIn(l); {
		case load.Reads(l.Method):
			shared = max(shared, each)
		default:
			took += each * time.Duration(plan.Times(l))
		}
	}
	return shared + took
}

// resting returns how long nothing is done before the first load.
func resting(plan runfile.Plan) time.Duration {
	return time.Duration(plan.RestSeconds * float64(time.Second))
}

// after estimates the length of a repetition with a load of that many seconds.
func (p Pause) after(seconds float64) time.Duration {
	return time.Duration(seconds*(1+p.Share)*float64(time.Second)) + p.Fixed
}

// length returns how long the load of a repetition may last that takes so long.
func (p Pause) length(repetition time.Duration) float64 {
	return (repetition - p.Fixed).Seconds() / (1 + p.Share)
}
