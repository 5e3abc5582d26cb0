package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// planned is a pair of loads that differ in one parameter: an index, COPY for INSERT, how commits wait.
type planned struct{ with, without int }

const (
	// surelyDiffer is the joint confidence level of all differences of a metric.
	surelyDiffer = 0.99
	// toldApart is the factor from which on two differences are distinct.
	toldApart = 2
)

// contrasts holds the pairs of loads that differ in one parameter, with the metric in them.
type contrasts struct {
	*evidence
	pairs []planned
	shown []eachRow // of the metric
}

// planned returns the pairs of loads that differ in one parameter, or as the plan says for loads of others.
func (e *evidence) planned() (all []planned) {
	if e.run.Observed != nil {
		return nil
	}
	for b, with := range e.loads {
		for a, without := range e.loads {
			switch {
			case a == b, with.Like != without.Name && (b < a || !differInOne(with.Load, without.Load)):
			case with.Like != without.Name || with.But != "":
				all = append(all, planned{with: b, without: a})
			}
		}
	}
	return all
}

// differInOne reports whether two of our loads differ in a single parameter.
func differInOne(a, b runfile.Load) bool {
	n := 0
	for _, differ := range []bool{
		a.Method != b.Method, a.RowsPerTx != b.RowsPerTx, a.Indexes != b.Indexes, a.Width != b.Width, a.Clients != b.Clients,
		a.SynchronousCommit != b.SynchronousCommit,
	} {
		if differ {
			n++
		}
	}
	return n == 1 && bounds.Inserts(a) && bounds.Inserts(b)
}

// differ removes the quantities whose difference between two loads is surely not the metric's. It sees differences
// below the tolerance of a ratio, if they exceed the noise. It leaves a single quantity only if a difference confirms
// it; otherwise it returns all.
func (tr *trial) differ(left []held) (kept []held) {
	found, differences := map[int]*Difference{}, contrasts{tr.evidence, tr.planned(), tr.forEachRow(tr.y)}
	for _, h := range left {
		if d := differences.contradicted(h); d != nil {
			found[h.place] = d
			continue
		}
		kept = append(kept, h)
	}
	if len(kept) == 0 || len(kept) == 1 && len(left) > 1 && !differences.confirmed(kept[0]) {
		return left
	}
	for i, h := range tr.rivals {
		if d := found[h.place]; d != nil {
			tr.rivals[i].Status, tr.rivals[i].Difference = Excluded, d
		}
	}
	return kept
}

// contradicted returns the first difference of two loads in which the metric surely departs from the quantity; nil if
// none.
func (c contrasts) contradicted(h held) (found *Difference) {
	c.eachDifference(h, func(p planned, more, foretold stats.Interval, level float64) bool {
		if least, most := alike(foretold); more.Lo > most || more.Hi < least {
			found = &Difference{
				Load: c.loads[p.with].Name, Without: c.loads[p.without].Name, More: part(more, level), Foretold: part(foretold, level),
			}
		}
		return found == nil
	})
	return found
}

// confirmed reports whether the metric surely shows some difference, and surely the quantity's.
func (c contrasts) confirmed(h held) (is bool) {
	c.eachDifference(h, func(_ planned, more, foretold stats.Interval, _ float64) bool {
		least, most := alike(foretold)
		is = is || (more.Lo > 0 || more.Hi < 0) && least <= more.Lo && more.Hi <= most
		return !is
	})
	return is
}

// eachDifference calls yield for each pair of loads that has both the metric and a prediction of the quantity, until
// yield returns false.
func (c contrasts) eachDifference(h held, yield func(p planned, more, foretold stats.Interval, level float64) bool) {
	level := 1 - (1-surelyDiffer)/float64(max(1, len(c.pairs)))
	for _, p := range c.pairs {
		more, known := c.atEqualRows(c.shown, p, level, allowance)
		foretold, bounded := c.foretold(h, p, level)
		if known && bounded && !yield(p, more, foretold, level) {
			return
		}
	}
}

// part turns a difference of logarithms into a share of the load without the change.
func part(i stats.Interval, level float64) Estimate {
	return Estimate{Value: math.Expm1(i.Value), Lo: math.Expm1(i.Lo), Hi: math.Expm1(i.Hi), Level: level, N: 2}
}

// alike returns the range of differences that pass for a predicted one: from half to twice.
func alike(foretold stats.Interval) (least, most float64) {
	return min(foretold.Lo/toldApart, foretold.Lo*toldApart), max(foretold.Hi/toldApart, foretold.Hi*toldApart)
}

// foretold returns by how much more of a quantity one load of a pair has than the other, at equal rows.
func (c contrasts) foretold(h held, p planned, level float64) (stats.Interval, bool) {
	if i, known := c.atEqualRows(c.forEachRow(c.columns[h.place]), p, level, 0); known {
		return i, true
	}
	if with := c.loads[p.with]; h.Quantity == metric.Entries && with.MoreEntries > 0 {
		var all []int
		for r := range with.Repetitions {
			all = append(all, r)
		}
		rows, _, known := c.recorded(metric.RowsWritten, p.with, all)
		most := math.Log1p(float64(with.MoreEntries) / rows) // the most: the other load made no entries
		return stats.Interval{Value: most, Lo: 0, Hi: most}, known
	}
	return stats.Interval{}, false
}

// atEqualRows returns the logarithm of the ratio between the two loads of an amount per row. The interval adds the
// variance of repetitions (Student's t), the variance known beforehand, and off for each load.
func (c contrasts) atEqualRows(all []eachRow, p planned, level, off float64) (stats.Interval, bool) {
	with, without := all[p.with], all[p.without]
	within, freedom := c.repeated(all)
	if len(with.logs) == 0 || len(without.logs) == 0 || freedom == 0 {
		return stats.Interval{}, false
	}
	chance := stats.Student(level, float64(freedom)) * math.Sqrt(within/float64(len(with.logs))+within/float64(len(without.logs)))
	beforehand := stats.Normal(level) * math.Sqrt(with.known+without.known+2*off*off)
	d, half := with.mean-without.mean, math.Hypot(chance, beforehand)
	return stats.Interval{Value: d, Lo: d - half, Hi: d + half}, true
}

// eachRow holds an amount per row of a load, as logarithms.
type eachRow struct {
	logs  []stats.Value
	mean  float64
	known float64 // variance of the mean known beforehand
}

func (e *evidence) forEachRow(of column) (all []eachRow) {
	rows := e.columnOf(metric.RowsWritten)
	for a := range e.loads {
		_, logs, shared := quotients(of[a], rows[a])
		row := eachRow{logs: logs, known: shared + largestModelVariance(of[a])}
		for _, l := range logs {
			n := float64(len(logs))
			row.mean, row.known = row.mean+l.X/n, row.known+l.Var/n/n
		}
		all = append(all, row)
	}
	return all
}

// repeated returns the variance of repetitions. A load that equals another in every parameter repeats it.
func (c contrasts) repeated(all []eachRow) (within float64, freedom int) {
	logs := make([][]stats.Value, len(all))
	for a, load := range c.loads {
		place := a
		if load.Like != "" && load.But == "" {
			place = max(0, slices.IndexFunc(c.loads, func(other counts.Load) bool { return other.Name == load.Like }))
		}
		logs[place] = append(logs[place], all[a].logs...)
	}
	return stats.Within(logs)
}
