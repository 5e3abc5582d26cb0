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

// Budget returns the default budget of a plan whose sources all answer immediately. Most plans leave 80 s of three
// minutes for compiling the program, since a first run may use go run.
func Budget(plan string) time.Duration {
	if plan == Everything().Name {
		return 5 * time.Minute
	}
	return 100 * time.Second
}

// Limits decide the length of loads and the number of repetitions where a plan leaves them open.
type Limits struct {
	Budget time.Duration // for all loads and the pauses between them; 0: as long as periods need
	Period float64       // in seconds, the longest of the sources used; 0: all answer immediately
	Pause  Pause
}

// Pause is the time between two loads: a fixed part, and one proportional to the load's length, because the data it
// wrote has to be flushed, counted and dropped.
type Pause struct {
	Fixed time.Duration
	Share float64 // of the load's length
}

// DefaultPause returns a plain disk's pause, used until [Experiment.Calibrate] has measured it.
func DefaultPause() Pause { return Pause{Fixed: 300 * time.Millisecond, Share: typicalShare} }

// typicalShare lies between 5 % for rows without indexes and 25 % for wide rows in pages with checksums.
const typicalShare = 0.12

// Lengths of a load in seconds. No load is shorter than LeastLoad, although counters read at both ends allow any
// length: a load takes a moment to become steady, and a longer one leaves more readings in the record.
const (
	idealLoad       = 5
	comfortableLoad = 1.5
	LeastLoad       = 1
)

// wholePeriods is how many whole periods of a source a load must hold: two show that they agree.
const wholePeriods = 2

// Lead is the part of a period by which a load begins before one and ends after another. It allows for a load that is
// not steady yet and for clocks that differ by seconds.
const Lead = 1.0 / 12

// aligned reports whether loads begin and end with a source's periods. A period of a second needs no alignment.
func (l Limits) aligned() bool { return l.Period > 1 }

// Aligned returns the period that loads are aligned to, or zero if they begin immediately.
func (l Limits) Aligned() time.Duration {
	if !l.aligned() {
		return 0
	}
	return time.Duration(l.Period * float64(time.Second))
}

// Short reports whether loads of that many seconds hold too few whole periods. That happens
// if the user set their length.
func (l Limits) Short(seconds float64) bool { return l.aligned() && seconds < l.Period*wholePeriods }

// Fit fills in the length and the repetitions that a plan leaves open, so that the plan fits the budget. It shortens
// loads to 1.5 seconds before it drops repetitions. If two repetitions do not fit, it plans one. Values that the plan
// sets stay, whatever they cost.
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

// fewer returns the plan with fewer repetitions than usual, if the usual number does not fit.
func fewer(plan runfile.Plan, limits Limits) runfile.Plan {
	plan.Repetitions = usualRepetitions
	if Duration(plan, limits) > limits.Budget {
		plan.Repetitions = LeastRepetitions
	}
	return plan
}

// fitAligned makes loads as long as the periods need. Without a budget it plans the fewest repetitions that show
// variation, because one load may take a quarter of an hour.
func fitAligned(plan runfile.Plan, limits Limits) (runfile.Plan, error) {
	plan.LoadSeconds = math.Ceil(10*limits.Period*(wholePeriods+2*Lead)) / 10
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

// ErrTooShort says that the budget is too small to run the shortest loads once.
var ErrTooShort = errors.New("too short")

func tooShort(plan runfile.Plan, limits Limits) error {
	return fmt.Errorf("--budget %s is %w for %s; use at least %s, or a shorter --plan",
		printable.Duration(limits.Budget), ErrTooShort, printable.Counted(plan.Loaded(), "load"),
		printable.Duration(Duration(plan, limits).Truncate(time.Second)+time.Second))
}

// longest returns the greatest length, in tenths of a second, at which the plan with its repetitions fits.
func longest(plan runfile.Plan, limits Limits, ideal float64) float64 {
	repetitions, budget := plan.Steps(), limits.Budget-filling(plan)
	length := limits.Pause.length(budget / time.Duration(repetitions+1)) // with a warm-up as long as a load
	if length > longestWarmUp.Seconds() {
		length = limits.Pause.length((budget - limits.Pause.after(longestWarmUp.Seconds())) / time.Duration(repetitions))
	}
	return min(math.Floor(length*10)/10, ideal)
}

// Duration returns roughly how long a plan takes.
func Duration(plan runfile.Plan, limits Limits) time.Duration {
	each := limits.Pause.after(plan.LoadSeconds)
	if limits.aligned() { // each load waits for the next period
		period := limits.Aligned()
		each = (each + period - 1) / period * period
	}
	warmUp := limits.Pause.after(min(plan.LoadSeconds, longestWarmUp.Seconds()))
	return resting(plan) + filling(plan) + each*time.Duration(plan.Steps()) + warmUp
}

// filling estimates the time to make the tables of loads that read and change rows. Reading loads share one table;
// each repetition of the others makes its own.
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

// resting returns the length of the rest before the first load.
func resting(plan runfile.Plan) time.Duration {
	return time.Duration(plan.RestSeconds * float64(time.Second))
}

// after estimates the length of a repetition whose load takes that many seconds.
func (p Pause) after(seconds float64) time.Duration {
	return time.Duration(seconds*(1+p.Share)*float64(time.Second)) + p.Fixed
}

// length returns the length of the load in a repetition of the given length, in seconds.
func (p Pause) length(repetition time.Duration) float64 {
	return (repetition - p.Fixed).Seconds() / (1 + p.Share)
}
