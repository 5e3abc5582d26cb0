package attribution

import (
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// repetition holds by what logarithm a metric misses a sum in one repetition, and the part of its variance known
// beforehand.
type repetition struct {
	at            time.Time
	off, variance float64
}

// repetitions holds the repetitions of each load.
type repetitions [][]repetition

// byRepetition returns the residuals of each load in which nothing is guessed.
func (t *table) byRepetition(m model) (all repetitions) {
	for i, a := range t.loads {
		if t.guesses(m, i) {
			continue
		}
		var load []repetition
		for _, r := range t.use[i] {
			predicted, variance := 0.0, 0.0
			for k, c := range m.columns {
				x := t.evidence.columns[t.places[c]][a][r]
				predicted, variance = predicted+m.of[k]*x.value, variance+m.of[k]*m.of[k]*x.stdErr*x.stdErr
			}
			load = append(load, repetition{t.evidence.loads[a].Repetitions[r].Begin, math.Log(t.metric[a][r].value) - math.Log(predicted),
				t.metric[a][r].relative() + variance/(predicted*predicted)})
		}
		all = append(all, load)
	}
	return all
}

// surelyChanges is the joint confidence level of all moments at which a metric may change.
const surelyChanges = 0.999

// changes reports whether, from some moment on, the metric shows more or less for the same work, by more than the
// tolerance. Only loads with repetitions before and after that moment count.
func (all repetitions) changes(tolerance float64) bool {
	const most = 300 // moments: each is compared with all repetitions
	var moments []repetition
	for i, every := 0, slices.Concat(all...); i < len(every); i += 1 + len(every)/most {
		moments = append(moments, every[i])
	}
	level := 1 - (1-surelyChanges)/float64(len(moments))
	return slices.ContainsFunc(moments, func(from repetition) bool {
		groups, both := all.around(from.at)
		slope, half, known := stats.SlopeWithin(groups, level)
		return known && both >= fewestForModels && math.Abs(slope) > max(math.Log(tolerance), half)
	})
}

// around returns the residuals of each load before a moment (X = 0) and from it on (X = 1), and the number of loads
// with both.
func (all repetitions) around(moment time.Time) (groups [][]stats.Point, both int) {
	for _, load := range all {
		var group []stats.Point
		after := 0
		for _, r := range load {
			p := stats.Point{Y: r.off}
			if !r.at.Before(moment) {
				p.X, after = 1, after+1
			}
			group = append(group, p)
		}
		groups = append(groups, group)
		if 0 < after && after < len(load) {
			both++
		}
	}
	return groups, both
}
