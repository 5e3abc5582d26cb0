package attribution

import (
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/series"
)

// IndexEntries are the entries of indexes alone, without their rows. No sum of counted quantities makes them, and nothing but loads without an
// index tells them from these: they are no quantity that other metrics are held against.
const IndexEntries = "index_entries"

// nextToNothing is the part of what an index entry shows that a row without one may.
const nextToNothing = 0.01

// ofIndexes looks, where no quantity and no sum explains a metric, whether it goes with index entries: next to nothing of it under loads without
// indexes, in which they would show, and one ratio to the entries under those with. The side is then theirs. That it counts them only
// a ratio of one tells, for much else is done for each so many of them, as the splits of their pages are.
func (tr *trial) ofIndexes(v *Verdict) {
	h := tr.against(tr.y, tr.indexEntries(), tr.blank, held{Rival: Rival{Quantity: IndexEntries, Side: counts.Logical}})
	if h.Status != Consistent || !h.bounded(mostSpread) || !tr.onlyWithIndexes(tr.y, h.Ratio.Value) {
		return
	}
	v.Kind, v.Why = Logical, ""
	if v.Metric.Unit != "bytes" && h.Ratio.Lo <= 1 && 1 <= h.Ratio.Hi {
		v.Counts, v.PerUnit = IndexEntries, h.Ratio
		return
	}
	v.Between = []string{IndexEntries}
	v.Warnings = append(v.Warnings, Warning{"index-entries", fmt.Sprintf(
		"It follows the index entries, %s, and nothing else that happens at that rate was counted", perUnit(h.Ratio.Value, IndexEntries))})
}

// indexEntries returns those that each repetition made; where it made none, there is no ratio to them.
func (e *evidence) indexEntries() column {
	all := make(column, len(e.loads))
	for a, load := range e.loads {
		for _, r := range load.Repetitions {
			made := float64(r.Work.Rows) * float64(load.Indexes)
			c := cell{value: made, log: math.Log(made), stdErr: 0.5}
			if !bounds.Inserts(load.Load) || c.value == 0 {
				c.missing = &series.Missing{Reason: counts.NotRecorded, Detail: "no index entries were made"}
			}
			all[a] = append(all[a], c)
		}
	}
	return all
}

// onlyWithIndexes reports whether the metric showed next to nothing under each load without indexes, one at least, in which as many rows as entries
// would have shown much.
func (e *evidence) onlyWithIndexes(y column, forEntry float64) bool {
	shown := 0
	for a, load := range e.loads {
		if load.Indexes > 0 || !bounds.Inserts(load.Load) {
			continue
		}
		for r, c := range y[a] {
			much := forEntry * float64(load.Repetitions[r].Work.Rows)
			switch {
			case c.missing != nil:
			case c.value > max(nextToNothing*much, c.stdErr):
				return false
			case nextToNothing*much > c.stdErr:
				shown++
			}
		}
	}
	return shown > 0
}
