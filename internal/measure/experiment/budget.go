package experiment

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
)

// Budget is how long the loads of a plan may take whose sources all answer at once: of the default so long that the report is there after
// two and a half minutes.
func Budget(plan string) time.Duration {
	switch plan {
	case Default().Name:
		return 140 * time.Second
	case Everything().Name:
		return 5 * time.Minute
	default:
		return 2 * time.Minute
	}
}

// Limits decide what a plan leaves open: how long its arms last and how often each is run.
type Limits struct {
	Budget time.Duration // for all arms and what lies between them; 0: as long as sources with periods ask for
	Period float64       // seconds, of the slowest source asked for; 0: all answer at once
	Pause  Pause
}

// Pause is what lies between the loads of two arms: a part that is always the same, and one that grows with the load,
// because what it wrote is to be flushed, counted and dropped.
type Pause struct {
	Fixed time.Duration
	Share float64 // of the arm's length
}

// DefaultPause is that of a plain disk, until it has been measured (see [Experiment.Calibrate]).
func DefaultPause() Pause { return Pause{Fixed: 600 * time.Millisecond, Share: typicalShare} }

// typicalShare is from 5 % for rows without indexes to 25 % for wide ones whose pages have checksums.
const typicalShare = 0.12

// Lengths of an arm in seconds. A source that answers at once is read at both ends of an arm, which any length allows; but
// a load takes a moment to become steady, and what it shows on the way makes the record richer.
const (
	idealArm       = 5
	comfortableArm = 2
	leastArm       = 1
)

// wholePeriods of a source that tells of periods must lie inside an arm: two show that they agree.
const wholePeriods = 2

// Lead is by what share of a period a load begins before one and ends after another, so that it is steady in between and
// two clocks need not agree to the second.
const Lead = 1.0 / 12

// aligned tells whether arms begin and end with the periods of a source, as all do whose periods are worth it.
func (l Limits) aligned() bool { return l.Period > 1 }

// Aligned is the period that arms begin and end with; zero: they begin at once.
func (l Limits) Aligned() time.Duration {
	if !l.aligned() {
		return 0
	}
	return time.Duration(l.Period * float64(time.Second))
}

// Short tells whether arms so many seconds long hold too few whole periods, as they may where the user has said how long
// they are.
func (l Limits) Short(seconds float64) bool { return l.aligned() && seconds < l.Period*wholePeriods }

// whole is the length of an arm in which whole periods lie, in seconds, to a tenth.
func (l Limits) whole() float64 { return math.Ceil(10*l.Period*(wholePeriods+2*Lead)) / 10 }

// Replicates: three show how far an arm's figures vary, two hint at it.
const (
	usualReplicates = 3
	leastReplicates = 2
)

// Fit fills in the length and the replicates that a plan leaves open, so that all of it fits the budget. Shorter arms
// are preferred to fewer replicates until an arm has two seconds. What the plan says itself stands, whatever it costs.
func Fit(plan runfile.Plan, limits Limits) (runfile.Plan, error) {
	switch {
	case plan.Replicates < 0, plan.ArmSeconds != 0 && plan.Replicates != 0:
		return plan, validateLengths(plan)
	case plan.ArmSeconds != 0:
		plan = fewer(plan, limits)
		return plan, validateLengths(plan)
	case limits.aligned():
		return fitAligned(plan, limits)
	case plan.Replicates != 0:
		plan.ArmSeconds = max(longest(plan, limits, idealArm), leastArm)
		return plan, validateLengths(plan)
	}
	for _, try := range []struct {
		replicates int
		atLeast    float64
	}{{usualReplicates, comfortableArm}, {leastReplicates, leastArm}} {
		plan.Replicates = try.replicates
		if plan.ArmSeconds = longest(plan, limits, idealArm); plan.ArmSeconds >= try.atLeast {
			return plan, nil
		}
	}
	plan.ArmSeconds = leastArm
	return plan, tooShort(plan, limits)
}

// fewer replicates than usual where the usual number does not fit.
func fewer(plan runfile.Plan, limits Limits) runfile.Plan {
	plan.Replicates = usualReplicates
	if Duration(plan, limits) > limits.Budget {
		plan.Replicates = leastReplicates
	}
	return plan
}

// fitAligned makes arms as long as the periods ask for. Without a budget they are run as often as tells how far they vary
// at all: an arm may take a quarter of an hour.
func fitAligned(plan runfile.Plan, limits Limits) (runfile.Plan, error) {
	plan.ArmSeconds = limits.whole()
	switch {
	case plan.Replicates != 0:
		return plan, validateLengths(plan)
	case limits.Budget == 0:
		plan.Replicates = leastReplicates
		return plan, nil
	}
	if plan = fewer(plan, limits); Duration(plan, limits) > limits.Budget {
		return plan, tooShort(plan, limits)
	}
	return plan, nil
}

// ErrTooShort is a budget that the shortest loads, run twice, do not fit.
var ErrTooShort = errors.New("too short")

func tooShort(plan runfile.Plan, limits Limits) error {
	return fmt.Errorf("--budget %v is %w for %d loads: give it at least %v, or choose a shorter --plan",
		limits.Budget, ErrTooShort, len(plan.Arms), Duration(plan, limits).Truncate(time.Second)+time.Second)
}

// longest is the length of arms at which the plan with its replicates fits, in tenths of a second.
func longest(plan runfile.Plan, limits Limits, ideal float64) float64 {
	replicates, budget := plan.Steps(), limits.Budget-filling(plan)
	length := limits.Pause.length(budget / time.Duration(replicates+1)) // with a warm-up as long as an arm
	if length > longestWarmUp.Seconds() {
		length = limits.Pause.length((budget - limits.Pause.after(longestWarmUp.Seconds())) / time.Duration(replicates))
	}
	return min(math.Floor(length*10)/10, ideal)
}

// Duration is about how long a plan takes.
func Duration(plan runfile.Plan, limits Limits) time.Duration {
	each := limits.Pause.after(plan.ArmSeconds)
	if limits.aligned() { // each load waits for the next period
		period := limits.Aligned()
		each = (each + period - 1) / period * period
	}
	warmUp := limits.Pause.after(min(plan.ArmSeconds, longestWarmUp.Seconds()))
	return resting(plan) + filling(plan) + each*time.Duration(plan.Steps()) + warmUp
}

// filling is about how long it takes to make the tables of the loads that read and change what is there: those that read share one, the
// others have one each in each repetition.
func filling(plan runfile.Plan) (took time.Duration) {
	shared := time.Duration(0)
	for _, arm := range plan.Arms {
		switch each := load.FillsIn(arm); {
		case load.Reads(arm.Method):
			shared = max(shared, each)
		default:
			took += each * time.Duration(plan.Times(arm))
		}
	}
	return shared + took
}

// resting is how long nothing is done before the first load.
func resting(plan runfile.Plan) time.Duration {
	return time.Duration(plan.RestSeconds * float64(time.Second))
}

// after is about how long a replicate takes whose load lasts so many seconds.
func (p Pause) after(seconds float64) time.Duration {
	return time.Duration(seconds*(1+p.Share)*float64(time.Second)) + p.Fixed
}

// length is how long the load of a replicate may last that takes so long.
func (p Pause) length(replicate time.Duration) float64 {
	return (replicate - p.Fixed).Seconds() / (1 + p.Share)
}

// About writes a length of time that is only estimated.
func About(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds < 60 {
		return fmt.Sprintf("%d s", seconds)
	}
	if seconds >= 3600 {
		return fmt.Sprintf("%d h %d min", seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
}
