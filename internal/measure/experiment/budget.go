package experiment

import (
	"fmt"
	"math"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// DefaultBudget is how long a run may take whose sources all answer at once.
const DefaultBudget = 2 * time.Minute

// Limits decide what a plan leaves open: how long its arms last and how often each is run.
type Limits struct {
	Budget time.Duration // for all arms and what lies between them
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

// lengths of an arm in seconds for sources with a period. A source that answers at once is read at both ends of an arm,
// which any length allows; but a load takes a moment to become steady, and what it shows on the way makes the record
// richer. Of one that tells of whole periods, two must lie inside the arm wherever they begin.
func lengths(period float64) (ideal, comfortable, least float64) {
	if whole := 3 * period; period > 1 {
		return whole, whole, whole
	}
	return 5, 2, 1
}

// Replicates: three show how far an arm's figures vary, two hint at it.
const (
	usualReplicates = 3
	leastReplicates = 2
)

// Fit fills in the length and the replicates that a plan leaves open, so that all of it fits the budget. Shorter arms
// are preferred to fewer replicates until an arm has two seconds. What the plan says itself stands, whatever it costs.
func Fit(plan runfile.Plan, limits Limits) (runfile.Plan, error) {
	ideal, comfortable, least := lengths(limits.Period)
	switch {
	case plan.Replicates < 0, plan.ArmSeconds != 0 && plan.Replicates != 0:
		return plan, validateLengths(plan)
	case plan.ArmSeconds != 0:
		plan.Replicates = usualReplicates
		if Duration(plan, limits.Pause) > limits.Budget {
			plan.Replicates = leastReplicates
		}
		return plan, validateLengths(plan)
	case plan.Replicates != 0:
		plan.ArmSeconds = max(longest(plan, limits, ideal), least)
		return plan, validateLengths(plan)
	}
	for _, try := range []struct {
		replicates int
		atLeast    float64
	}{{usualReplicates, comfortable}, {leastReplicates, least}} {
		plan.Replicates = try.replicates
		if plan.ArmSeconds = longest(plan, limits, ideal); plan.ArmSeconds >= try.atLeast {
			return plan, nil
		}
	}
	plan.ArmSeconds = least
	return plan, fmt.Errorf("--budget %v is too short for %d arms: give it at least %v, or choose a shorter --plan",
		limits.Budget, len(plan.Arms), Duration(plan, limits.Pause).Truncate(time.Second)+time.Second)
}

// longest is the length of arms at which the plan with its replicates fits, in tenths of a second.
func longest(plan runfile.Plan, limits Limits, ideal float64) float64 {
	replicates := len(plan.Arms) * plan.Replicates
	length := limits.Pause.length(limits.Budget / time.Duration(replicates+1)) // with a warm-up as long as an arm
	if length > longestWarmUp.Seconds() {
		length = limits.Pause.length((limits.Budget - limits.Pause.after(longestWarmUp.Seconds())) / time.Duration(replicates))
	}
	return min(math.Floor(length*10)/10, ideal)
}

// Duration is about how long a plan takes.
func Duration(plan runfile.Plan, pause Pause) time.Duration {
	replicates := time.Duration(len(plan.Arms) * plan.Replicates)
	return pause.after(plan.ArmSeconds)*replicates + pause.after(min(plan.ArmSeconds, longestWarmUp.Seconds()))
}

// after is about how long a replicate takes whose load lasts so many seconds.
func (p Pause) after(seconds float64) time.Duration {
	return time.Duration(seconds*(1+p.Share)*float64(time.Second)) + p.Fixed
}

// length is how long the load of a replicate may last that takes so long.
func (p Pause) length(replicate time.Duration) float64 {
	return (replicate - p.Fixed).Seconds() / (1 + p.Share)
}
