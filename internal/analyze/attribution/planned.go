package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
)

// planned are two loads that differ in one thing: an index, COPY for INSERT, how commits wait.
type planned struct{ with, without int }

// Difference is the effect on a metric of one change between two loads, at equal rows, and the effect that a
// quantity predicts: both as a part of the load without the change.
type Difference struct {
	Load     string   `json:"load"`
	Without  string   `json:"without"`
	More     Estimate `json:"more"`
	Foretold Estimate `json:"foretold"`
}

const (
	// surelyDiffer is the level of the intervals of all differences of a metric together.
	surelyDiffer = 0.99
	// toldApart is the factor from which on two differences are not one.
	toldApart = 2
)

// contrasts are what pairs of loads that differ in one thing show of a metric.
type contrasts struct {
	*evidence
	pairs []planned
	shown []eachRow // of the metric
}

func (e *evidence) contrasts(y column) contrasts {
	return contrasts{evidence: e, pairs: e.planned(), shown: e.forEachRow(y)}
}

// planned returns the pairs of loads that differ in one thing: of our own, by one factor; of those of others, as the plan says.
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

// differInOne reports whether two loads of ours differ in a single factor.
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

// differ takes out, of the quantities that are left, those whose difference between two loads is surely not the metric's. A ratio over all loads
// cannot see what is less than the tolerance; two loads that differ in one thing can, where it is surely more than noise. What is left is
// named by that alone only if the difference is surely its own: else all stay.
func (tr *trial) differ(left []held) (kept []held) {
	found, differences := map[int]*Difference{}, tr.contrasts(tr.y)
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

// contradicted returns the first difference of two loads that a metric and a quantity surely do not have in common; nil: none.
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

// confirmed reports whether some difference of two loads is surely none, and surely that of a quantity.
func (c contrasts) confirmed(h held) (is bool) {
	c.eachDifference(h, func(_ planned, more, foretold stats.Interval, _ float64) bool {
		least, most := alike(foretold)
		is = is || (more.Lo > 0 || more.Hi < 0) && least <= more.Lo && more.Hi <= most
		return !is
	})
	return is
}

// eachDifference goes through the pairs of loads that have both the metric and what a quantity foretells, until it is told to stop.
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

// part turns a difference of logarithms into a part of the load without.
func part(i stats.Interval, level float64) Estimate {
	return Estimate{Value: math.Expm1(i.Value), Lo: math.Expm1(i.Lo), Hi: math.Expm1(i.Hi), Level: level, N: 2}
}

// alike returns the differences that pass for one within an interval: from half of it to twice as much.
func alike(foretold stats.Interval) (least, most float64) {
	return min(foretold.Lo/toldApart, foretold.Lo*toldApart), max(foretold.Hi/toldApart, foretold.Hi*toldApart)
}

// foretold returns by how much a quantity is more in one load of a pair than in the other, at equal rows.
func (c contrasts) foretold(h held, p planned, level float64) (stats.Interval, bool) {
	if i, known := c.atEqualRows(c.forEachRow(c.columns[h.place]), p, level, 0); known {
		return i, true
	}
	if with := c.loads[p.with]; h.Quantity == counts.Entries && with.MoreEntries > 0 {
		var all []int
		for r := range with.Repetitions {
			all = append(all, r)
		}
		rows, _, known := c.recorded(counts.Rows, p.with, all)
		most := math.Log1p(float64(with.MoreEntries) / rows) // the fewer index entries the load without makes, the more are these of them
		return stats.Interval{Value: most, Lo: 0, Hi: most}, known
	}
	return stats.Interval{}, false
}

// atEqualRows returns the logarithm of how many times as much there is of something for a row in the one load as in the other. Its interval has what
// repetitions differ by (Student's t) and on top what is known beforehand, and by how much either load may be off.
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

// eachRow holds an amount for each row of a load, as logarithms.
type eachRow struct {
	logs  []stats.Value
	mean  float64
	known float64 // variance of the mean that is known beforehand
}

func (e *evidence) forEachRow(of column) (all []eachRow) {
	rows := e.columnOf(counts.Rows)
	for a := range e.loads {
		_, logs, shared := quotients(of[a], rows[a])
		row := eachRow{logs: logs, known: shared + mostModelled(of[a])}
		for _, l := range logs {
			n := float64(len(logs))
			row.mean, row.known = row.mean+l.X/n, row.known+l.Var/n/n
		}
		all = append(all, row)
	}
	return all
}

// repeated returns the variance of repetitions. A load that equals another one in all is a repetition of it.
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
