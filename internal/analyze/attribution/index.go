package attribution

import (
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// IndexEntries counts index entries without their rows. No sum of counted quantities equals it, and only loads without
// an index tell it from entries. So it is not among the quantities that other metrics are compared with.
const IndexEntries metric.Quantity = "index_entries"

// nextToNothing is the share of an index entry's count that a row without one may show.
const nextToNothing = 0.01

// followIndexEntries checks, if no quantity and no sum explains the metric, whether it follows index entries: near zero
// under loads without indexes, and one ratio to the entries under the others. Then it is logical. Only a ratio of one
// shows that it counts them, since other work, such as page splits, is proportional to them.
func (tr *trial) followIndexEntries(v *Verdict) {
	h := tr.against(tr.y, tr.indexEntries(), tr.blank, held{Rival: Rival{Quantity: IndexEntries, Side: counts.Logical}})
	if h.Status != Consistent || !h.bounded(mostSpread) || !tr.onlyWithIndexes(tr.y, h.Ratio.Value) {
		return
	}
	v.Kind, v.Why = Logical, ""
	if v.Metric.Unit != "bytes" && h.Ratio.Lo <= 1 && 1 <= h.Ratio.Hi {
		v.Counts, v.PerUnit = IndexEntries, h.Ratio
		return
	}
	v.Between = []metric.Quantity{IndexEntries}
	v.Warnings = append(v.Warnings, Warning{"index-entries", fmt.Sprintf(
		"It follows the index entries, %s, and no other quantity with that rate was "+
			"counted", perUnit(h.Ratio.Value, IndexEntries))})
}

// indexEntries returns the index entries that each repetition made; missing if none.
func (e *evidence) indexEntries() column {
	all := make(column, len(e.loads))
	for a, load := range e.loads {
		for _, r := range load.Repetitions {
			made := float64(r.Work.Rows) * float64(load.Indexes)
			c := cell{value: made, log: math.Log(made), stdErr: 0.5}
			if !bounds.Inserts(load.Load) || c.value == 0 {
				c.missing = &series.Missing{Reason: counts.NotRecorded, Detail: "no index entries were written"}
			}
			all[a] = append(all[a], c)
		}
	}
	return all
}

// onlyWithIndexes reports whether the metric stayed near zero under all loads without indexes, and at least one had
// enough rows to show it.
func (e *evidence) onlyWithIndexes(y column, forEntry float64) bool {
	shown := 0
	for a, load := range e.loads {
		if load.Indexes > 0 || !bounds.Inserts(load.Load) {
			continue
		}
		for r, c := range y[a] {
			switch much := forEntry * float64(load.Repetitions[r].Work.Rows); {
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
