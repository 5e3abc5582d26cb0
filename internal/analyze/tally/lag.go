package tally

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/lag"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/series"
)

// Criteria for a counter that moves in steps: the size of a step in units of the counter, its length in readings, and
// the number of steps, which must be multiples of one length. A counter with fewer moves needs one within a repetition.
const (
	smallestStep  = 10
	stepsReadings = 5
	fewestSteps   = 6
	offStep       = 2.5 // readings
)

// pulse describes a counter that moves so seldom that most readings under load show no change.
type pulse struct {
	steps []stretch     // from one move to the next
	apart time.Duration // least distance of the steps; 0: it moves at any time
	once  float64       // growth of a counter that moved once in the run; 0: otherwise
}

// pulse finds the steps of a counter. A source that does not move between two readings was not updated. The time of a
// move is known to within the reading before it.
func (v *viewer) pulse(s series.Series, split series.Split) (p pulse) {
	if 2*split.Moved >= split.Changes {
		return p
	}
	var moves []time.Time
	var amounts, lengths []float64
	for change, err := range s.Changes(time.Time{}, farFuture) {
		if err != nil || change.Amount == 0 {
			continue
		}
		moves = append(moves, change.From.Add(change.To.Sub(change.From)/2))
		amounts = append(amounts, change.Amount)
		lengths = append(lengths, change.Seconds())
	}
	by, of := stats.Divisor(amounts)
	if of < fewestSame {
		by = min(by, 1)
	}
	during, few := v.during(moves), len(moves) < fewestSteps
	if len(moves) == 0 || during == 0 || stats.Median(amounts) < smallestStep*by || !few && 2*during < len(moves) {
		return p
	}
	if len(moves) == 1 {
		return movedOnce(moves[0].Sub(v.run.Header.Start).Seconds(), amounts[0], stepsReadings*lengths[0], v.stays())
	}
	var gaps []float64
	for i := 1; i < len(moves); i++ {
		gaps = append(gaps, moves[i].Sub(moves[i-1]).Seconds())
		p.steps = append(p.steps, stretch{from: moves[i-1], to: moves[i], amount: amounts[i]})
	}
	reading, shortest := stats.Median(lengths), slices.Min(gaps)
	step := evenly(gaps, shortest)
	skips := !few && stats.Median(gaps) > 1.5*step // most of the steps were skipped under load
	if shortest < stepsReadings*reading || skips || !wholeSteps(gaps, step, min(offStep*reading, step/4)) {
		return pulse{}
	}
	p.apart = time.Duration(step * float64(time.Second)).Round(time.Second)
	return p
}

// movedOnce returns the pulse of a counter that moved once under load: its step is unknown, but no shorter than the
// loads before the move, or after it.
func movedOnce(at, by, least float64, stays []stay) (p pulse) {
	if len(stays) == 0 {
		return p
	}
	if longest := max(at-stays[0].From, stays[len(stays)-1].End-at); longest > least && !math.IsInf(by, 0) {
		p.apart, p.once = time.Duration(longest*float64(time.Second)).Round(time.Second), by
	}
	return p
}

// evenly returns the step that best divides the gaps, if the shortest is one step.
func evenly(gaps []float64, shortest float64) float64 {
	sum, steps := 0.0, 0.0
	for _, gap := range gaps {
		sum, steps = sum+gap, steps+math.Round(gap/shortest)
	}
	return sum / steps
}

// wholeSteps reports whether four in five gaps are multiples of step, within doubt.
func wholeSteps(gaps []float64, step, doubt float64) bool {
	off := func(gap float64) bool { return math.Abs(gap-step*math.Round(gap/step)) > doubt }
	return 5*len(slices.DeleteFunc(slices.Clone(gaps), off)) >= 4*len(gaps)
}

// during counts the moments within repetitions. Moves between repetitions come from other work.
func (v *viewer) during(moments []time.Time) (n int) {
	var all []series.Stretch
	for _, load := range v.run.Loads {
		for _, r := range load.Repetitions {
			all = append(all, series.Stretch{From: r.Begin, To: r.End})
		}
	}
	for _, m := range moments {
		if slices.ContainsFunc(all, func(s series.Stretch) bool { return m.After(s.From) && m.Before(s.To) }) {
			n++
		}
	}
	return n
}

var farFuture = time.Unix(1<<33, 0)

// Criteria for a lag: the shares of the growth outside and within repetitions, and the number of readings.
const (
	outside      = 0.004
	within       = 0.1 // repetitions fill most of a run, so late work shows in other ones
	fewestMoving = 20
)

// lag returns how much later than the loads a counter moves.
func (v *viewer) lag(s series.Series, split series.Split) time.Duration {
	// A counter that moves only while tables are made between repetitions follows no load.
	beyond := beyondQuietest(split)
	lags := beyond > outside*split.Inside && split.Inside > within*(split.Inside+beyond)
	if split.Known < fewestMoving || 2*split.Coarse >= split.Known || !lags {
		return 0
	}
	var shown lag.Course
	start := v.run.Header.Start
	for change, err := range s.Changes(time.Time{}, farFuture) {
		if err == nil && change.To.After(change.From) {
			shown.Add(change.From.Sub(start).Seconds(), change.To.Sub(start).Seconds(), change.Amount/change.Seconds())
		}
	}
	return v.loads().Lag(&shown)
}

// stay is one repetition of a load.
type stay struct {
	lag.Stay
	whole series.Stretch
}

// findStays returns the repetitions of all loads, in order of time.
func (v *viewer) findStays() (stays []stay) {
	start := v.run.Header.Start
	for i, load := range v.run.Loads {
		if load.Idle() {
			continue
		}
		for _, r := range load.Repetitions {
			if a := v.byKey[attemptKey{load.Name, r.Number}]; a != nil && a.clients.lines > 0 {
				stays = append(stays, stay{
					lag.Stay{Load: i, From: a.clients.from.Sub(start).Seconds(), To: a.clients.to.Sub(start).Seconds(),
						End: r.End.Sub(start).Seconds()},
					series.Stretch{From: a.clients.from, To: r.End},
				})
			}
		}
	}
	slices.SortFunc(stays, func(a, b stay) int { return cmp.Compare(a.From, b.From) })
	return stays
}

// findLoads returns the loads to compare counters with.
func (v *viewer) findLoads() *lag.Loads {
	var stays []lag.Stay
	for _, stay := range v.stays() {
		stays = append(stays, stay.Stay)
	}
	return lag.NewLoads(stays)
}

// coarseReading is the longest interval between readings that shows when a counter moved.
const coarseReading = 2500 * time.Millisecond

// split returns a counter's growth within and outside repetitions.
func (v *viewer) split(s series.Series) series.Split {
	var repetitions []series.Stretch
	for _, l := range v.stays() {
		repetitions = append(repetitions, l.whole)
	}
	return s.Split(repetitions, coarseReading)
}

// beyondQuietest returns the growth between repetitions, less the slowest rate there.
func beyondQuietest(s series.Split) float64 {
	if math.IsInf(s.Quietest, 1) {
		return s.Outside
	}
	return s.Outside - s.Quietest*s.OutsideForSeconds
}
