package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// advisable returns the loads that may be advised: those of the plan identify.
func advisable() []runfile.Load {
	return []runfile.Load{
		{Name: "bulk", Method: "insert-select", RowsPerTx: 1000},
		{Name: "bulk-indexed", Method: "insert-select", RowsPerTx: 1000, Indexes: 2},
		{Name: "copy", Method: "copy", RowsPerTx: 1000},
		{Name: "copy-indexed", Method: "copy", RowsPerTx: 1000, Indexes: 2},
		{Name: "single", Method: "insert", RowsPerTx: 1},
		{Name: "async", Method: "insert", RowsPerTx: 1, SynchronousCommit: "off"},
		{Name: "multi", Method: "insert", RowsPerTx: 100},
		{Name: "wide", Method: "insert-values", RowsPerTx: 100, Indexes: 1, Width: 1024},
	}
}

// typically returns the mean logarithm of the ratio of two quantities in the loads that were run, as measured, or else
// by rule of thumb.
func (e *evidence) typically(one, other metric.Quantity) (mean float64, ok bool) {
	n, x, y := 0.0, e.columnOf(one), e.columnOf(other)
	for a := range e.loads {
		l, found := 0.0, false
		if x != nil && y != nil {
			ratio, logs, _ := quotients(x[a], y[a])
			l, found = math.Log(ratio.Value), len(logs) > 0
		}
		if !found && bounds.Inserts(e.loads[a].Load) {
			of := bounds.Usual(e.loads[a].Load)
			l, found = math.Log(of[one]/of[other]), true
		}
		if found {
			mean, n = mean+l, n+1
		}
	}
	return mean / n, n > 0
}

// settle returns the load that separates most pairs of these quantities, or of several such loads the one that
// separates them furthest. It does not advise a load that was run as often as planned. If all loads only read, it
// returns nil: the advisable loads add rows and tell nothing about reads.
func (e *evidence) settle(open []metric.Quantity) (best *Settle) {
	if e.any(reads) && !e.any(writes) {
		return nil
	}
	read := slices.DeleteFunc(slices.Clone(open), func(d metric.Quantity) bool {
		c := e.columnOf(d)
		return c == nil || c.whole() != nil
	})
	if len(read) > 1 {
		open = read // no load helps with quantities that nobody reads
	}
	pairs := 0
	for _, load := range advisable() {
		if e.wasRun(load) {
			continue
		}
		s, n := e.partedBy(load, open)
		if n > 0 && (best == nil || n > pairs || n == pairs && s.Factor > best.Factor) {
			best, pairs = s, n
		}
	}
	return best
}

// wasRun reports whether a load of this kind was run as often as planned. The number of clients, the exact rows of a
// multi-row transaction and left-out repetitions make no difference.
func (e *evidence) wasRun(load runfile.Load) bool {
	return slices.ContainsFunc(e.loads, func(a counts.Load) bool {
		alike := a.Method == load.Method && a.Indexes == load.Indexes &&
			a.SynchronousCommit == load.SynchronousCommit &&
			(a.RowsPerTx > 1) == (load.RowsPerTx > 1) && (a.Width > 0) == (load.Width > 0)
		return alike && len(a.Repetitions)+len(a.LeftOut) >= e.run.Header.Plan.Repetitions
	})
}

// parting is the factor by which the ratio of two quantities must change to show through noise of a tenth.
const parting = 1.3

// partedBy returns which of the quantities a load would separate, and how many pairs.
func (e *evidence) partedBy(load runfile.Load, open []metric.Quantity) (s *Settle, pairs int) {
	s = &Settle{Load: load.Name, Factor: math.Inf(1)}
	there := bounds.Usual(load)
	for i, one := range open {
		for _, other := range open[:i] {
			here, ok := e.typically(one, other)
			if !ok {
				continue
			}
			if f := math.Exp(math.Abs(math.Log(there[one]/there[other]) - here)); f >= parting {
				pairs++
				s.Factor = min(s.Factor, f)
				s.add(other)
				s.add(one)
			}
		}
	}
	return s, pairs
}

func (s *Settle) add(quantity metric.Quantity) {
	if !slices.Contains(s.Between, quantity) {
		s.Between = append(s.Between, quantity)
	}
}
