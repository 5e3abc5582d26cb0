package attribution

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/stats"
)

// silentSpread is how far the rate of a silent metric may move from load to load, as far as the run tells.
const silentSpread = 1.25

// fewCounts are so few in a repetition that they show nothing of the load.
const fewCounts = 2

// silent tells whether load leaves a metric where it was: it never moved to speak of, or its rate is the same in all
// loads, the idle one among them. That is the test for a quantity, with time for the quantity: the interval of its spread has
// to begin at none and must not reach far, so that a metric which merely jumps about is not taken for silent.
func (j *judge) silent(m counts.Metric) (why string, is bool) {
	var logs [][]stats.Value
	s := j.stepOf(m)
	most, idle := 0.0, false
	for _, load := range j.run.Loads {
		var values []stats.Value
		for _, r := range load.Repetitions {
			count, ok := m.Raw(r)
			seconds := r.Counts[m.From[0]].Seconds
			if !(ok && count >= 0 && count <= mostCounted && seconds > 0) {
				continue
			}
			most = max(most, math.Abs(count))
			values = append(values, stats.Value{X: math.Log(max(count, s/2) / seconds), Var: s * s / max(4*count*count, s*s)})
			idle = idle || load.Idle()
		}
		if len(values) > 0 {
			logs = append(logs, values)
		}
	}
	if len(logs) > 0 && most <= fewCounts*s {
		if j.grewElsewhere(m, most, s) {
			return "", false
		}
		return "It grew by no more than " + number.Ratio(most) + " in any repetition of a load", true
	}
	if !idle || len(logs) < 2 {
		return "", false
	}
	g := grouped(logs, make([]float64, len(logs)))
	if g.Between(0.99).Lo > 0 || g.Between(j.options.Level).Hi > math.Log(silentSpread) {
		return "", false
	}
	return "It goes on at the same rate with load and without", true
}

// grewElsewhere tells whether a metric that stood still in all repetitions may have moved for them all the same: in steps or late,
// so that it was by chance that all its moves fell between them. Of many moves that is no chance: they are those of what is done
// between repetitions, when tables are made and counted.
func (j *judge) grewElsewhere(m counts.Metric, most, step float64) bool {
	const seldom = 0.01
	if len(m.From) != 1 {
		return false
	}
	grew, known := j.run.Grew(m.Name)
	repetitions, inside := 0, 0.0
	for _, load := range j.run.Loads {
		repetitions += len(load.Repetitions)
		for _, r := range load.Repetitions {
			inside += r.End.Sub(r.Begin).Seconds()
		}
	}
	if !known || grew.Amount <= (most+fewCounts*step)*float64(repetitions+1) {
		return false
	}
	between := max(0, 1-inside/grew.Seconds)
	return math.Pow(between, float64(grew.Moves)) > seldom
}
