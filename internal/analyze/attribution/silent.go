package attribution

import (
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/stats"
)

// silentSpread is the largest ratio between a silent metric's rates under the loads.
const silentSpread = 1.25

// fewCounts is a number of counts per repetition too small to show the load.
const fewCounts = 2

// silent returns Silent if load does not move a metric: it hardly moved, or its rate is the same in all loads, idle
// included. The latter is the spread test with time as the quantity. The interval must include zero and be narrow, so
// that an erratic metric is not taken for silent. A metric that moved between repetitions may move late or in steps:
// then the kind is CannotTell. Otherwise it is empty.
func (j *judge) silent(m counts.Metric, s float64) (kind Kind, why string) {
	var logs [][]stats.Value
	most, amount, length, idle := 0.0, 0.0, 0.0, false
	for _, load := range j.run.Loads {
		var values []stats.Value
		for _, r := range load.Repetitions {
			count, ok := m.Raw(r)
			seconds := r.Counts[m.From[0]].Seconds
			if !(ok && count >= 0 && count <= mostCounted && seconds > 0) {
				continue
			}
			most, amount, length = max(most, math.Abs(count)), amount+count, length+seconds
			values = append(values, stats.Value{X: math.Log(max(count, s/2) / seconds),
				Var: s * s / max(4*count*count, s*s)})
			idle = idle || load.Idle()
		}
		if len(values) > 0 {
			logs = append(logs, values)
		}
	}
	few := fewCounts * s
	if len(logs) > 0 && most <= few {
		if between := j.run.GrewBetween(m, 0, most+few); between > 0 && between <= mostCounted {
			return CannotTell, fmt.Sprintf("It grew by %s in the run but by at most %s in any repetition: it moves "+
				"late, in steps, or between repetitions", number.Grouped(between, 0),
				number.Ratio(most))
		}
		return Silent, "It grew by at most " + number.Ratio(most) + " in any repetition of a load"
	}
	if !idle || len(logs) < 2 {
		return "", ""
	}
	g := grouped(logs, make([]float64, len(logs)))
	if g.Between(0.99).Lo > 0 || g.Between(j.options.Level).Hi > math.Log(silentSpread) ||
		j.run.GrewBetween(m, silentSpread*amount/length, few) > 0 {
		return "", ""
	}
	return Silent, "Its rate is the same with and without a load"
}
