package tally

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// clientWork sums up the work lines of one repetition.
type clientWork struct {
	from, to time.Time
	lines    int
	work     counts.Work
	latency  latency.Sum
	negative bool // a line ended before it began, or has a negative count
	course   []pace
	longest  time.Duration // of a line
	all      float64       // workIn over the whole repetition
}

// pace is the work done between two moments.
type pace struct {
	from, to           time.Time
	rows, transactions float64
}

func (l *clientWork) add(line runfile.Work) {
	span := runfile.Stretch{From: l.from, To: l.to}
	span.Extend(line.From, line.To)
	l.from, l.to = span.From, span.To
	l.lines++
	l.course = append(l.course, pace{line.From, line.To, float64(line.Rows), float64(line.Transactions)})
	more := []int64{line.Transactions, line.Statements, line.Rows, line.Updated, line.Deleted, line.Returned,
		line.Lookups, line.Failures, line.Retries, line.Late}
	for i, n := range amounts(&l.work) {
		*n = sum(*n, more[i])
	}
	l.negative = l.negative || line.To.Before(line.From) || min(slices.Min(more), line.BytesSent, line.BytesReceived) < 0
}

// sum adds without overflow.
func sum(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (l *clientWork) seconds() float64 { return l.to.Sub(l.from).Seconds() }

// complete sorts the lines once all are read.
func (l *clientWork) complete() {
	slices.SortStableFunc(l.course, func(a, b pace) int { return a.from.Compare(b.from) })
	for _, p := range l.course {
		l.longest = max(l.longest, p.to.Sub(p.from))
	}
	l.all = l.workIn(l.from, l.to)
}

// workIn returns the rows written between two moments, or the transactions of a load that writes none. It spreads each
// line's work evenly over its time.
func (l *clientWork) workIn(from, to time.Time) float64 {
	done, begun := 0.0, func(p pace, t time.Time) int { return p.from.Compare(t) }
	first, _ := slices.BinarySearchFunc(l.course, from.Add(-l.longest), begun)
	for _, p := range l.course[first:] {
		if !p.from.Before(to) {
			break
		}
		begin, end := p.from, p.to
		if begin.Before(from) {
			begin = from
		}
		if end.After(to) {
			end = to
		}
		if length := p.to.Sub(p.from); length > 0 && end.After(begin) {
			work := p.rows
			if l.work.Rows == 0 {
				work = p.transactions
			}
			done += work * float64(end.Sub(begin)) / float64(length)
		}
	}
	return done
}

// amounts returns what a file has of the work, in the order of its lines.
func amounts(w *counts.Work) []*int64 {
	return []*int64{&w.Transactions, &w.Statements, &w.Rows, &w.Updated, &w.Deleted, &w.Returned, &w.Lookups,
		&w.Failures, &w.Retries, &w.Late}
}

// times returns the given share of w.
func times(w counts.Work, part float64) counts.Work {
	for _, n := range amounts(&w) {
		*n = int64(math.Round(part * float64(*n)))
	}
	return w
}

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
				"The readings of %s go back in time by %.3g s: the clock was set during the run", probe, back.Seconds()))
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
					fmt.Sprintf("The clock of the %s moved by %.3g s against ours during the run", before.Source, drift))
			}
		}
	}
}
