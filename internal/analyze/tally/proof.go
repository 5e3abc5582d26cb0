package tally

import (
	"fmt"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// proof notes repetitions in which the rows of the load, of the server's counter and of the table differ: then
// something is missing from its counts.
func (k checks) proof(a *attempt, load runfile.Load, r counts.Repetition) {
	if load.Idle() || a.proof == nil || a.proof.Counter != "" {
		return
	}
	if a.proof.Missing != "" {
		k.notes.add("rows-not-counted", fmt.Sprintf("The rows of %s %d were not counted: %s", a.load, a.repetition,
			a.proof.Missing))
		return
	}
	if r.Work.Failures == 0 && r.Work.Returned > 0 && !lookedAt(r.Work.Returned, a.proof.Returned) {
		k.notes.add("rows-disagree",
			fmt.Sprintf("The rows of %s %d disagree: its clients asked for %s, and the server looked at %s",
				a.load, a.repetition, printable.Count(r.Work.Returned), printable.Count(a.proof.Returned)))
	}
	counted, inserted := r.Counts[metric.TablesNTupIns], r.Work.Rows-r.Work.Updated-r.Work.Deleted
	failed := float64(r.Work.Failures) * float64(load.RowsPerTx)
	known := counted.Missing == nil && counted.Seconds > 0
	more, left := counted.Raw-float64(inserted), load.TableRows+inserted-r.Work.Deleted
	if a.proof.Rows == left && (!known || more >= 0 && more <= failed) {
		return
	}
	text := fmt.Sprintf("The rows of %s %d disagree: the server confirmed %s, and its table holds %s", a.load,
		a.repetition, printable.Count(left), printable.Count(a.proof.Rows))
	if known {
		text += "; n_tup_ins grew by " + printable.Count(counted.Raw)
	}
	k.notes.add("rows-disagree", text)
}

// lookedAt reports whether the server examined the rows requested. The planner examines some at an end of an index by
// itself.
func lookedAt(asked, counted int64) bool {
	const byPlanner, oneInAHundred = 1000, 0.01
	return counted >= asked && float64(counted) <= (1+oneInAHundred)*float64(asked)+byPlanner
}

// added notes repetitions beyond the plan.
func (k checks) added() {
	for _, a := range k.attempts {
		if a.added != "" {
			k.notes.add("added", fmt.Sprintf("%s %d was run beyond the plan: %s", a.load, a.repetition, a.added))
		}
	}
}

func (k checks) clocks() {
	for _, probe := range slices.Sorted(maps.Keys(k.readings)) {
		if back := k.readings[probe].SteppedBack(); back > 0 {
			k.notes.add("clock-stepped", fmt.Sprintf(
				"The readings of %s go back in time by %s s: the clock was set during the run, or lines of its file were moved",
				probe, number.Short(back.Seconds(), 3)))
		}
	}
}

// driftTolerated is the drift between clocks that is not reported, beyond the uncertainty of comparing them.
const driftTolerated = 0.1 // seconds

// otherClocks notes clocks whose distance from ours changed during the run.
func (k checks) otherClocks() {
	if k.run.Ended == nil {
		return
	}
	for _, before := range k.run.Header.Clocks {
		for _, after := range k.run.Ended.Clocks {
			drift := after.Offset - before.Offset
			if before.Source == after.Source && max(drift, -drift) > driftTolerated+before.Error+after.Error {
				k.notes.add("clock-drifted",
					fmt.Sprintf("The clock of the %s moved by %s s against this machine's during the run", before.Source, number.Short(drift, 3)))
			}
		}
	}
}
