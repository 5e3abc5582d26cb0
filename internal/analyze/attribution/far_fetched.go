package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/metric"
)

const (
	// widest is the width, in logarithms, of the bounds of a quantity about which next to nothing is known.
	widest = 7.0
	// coincidence gives up an unrecorded quantity for a recorded one: 2 ln 1000.
	coincidence = 13.8
	// fewestShown is the number of loads needed.
	fewestShown = 5
	// driven is the factor by which the ratio of a cause to its effect may vary.
	driven = 2.25
)

// farFetched reports whether an unrecorded quantity fits only by coincidence. The metric keeps one ratio to a recorded
// quantity of another side under at least five loads, so the unrecorded one would have to follow that quantity within
// the noise, although its bounds are wide. It is no coincidence if storage does something for each commit or each byte
// of WAL.
func (e *evidence) farFetched(y column, h held, rivals []held) bool {
	return slices.ContainsFunc(rivals, func(r held) bool {
		return r.Side != h.Side && r.Status == Consistent && len(r.loads) >= fewestShown && !e.drives(y, r, h) &&
			e.coincides(y, r, h) > coincidence
	})
}

// coincides returns twice the logarithm of how much likelier a recorded quantity makes the metric than one that lies
// anywhere within its bounds. One of the loads sets the ratio.
func (e *evidence) coincides(y column, recorded, h held) (gain float64) {
	most := 0.0
	for i, a := range recorded.loads {
		width := widest
		if of := e.implied(h.Quantity, a, countedIn(y[a])); of.Lo > 0 {
			width = min(widest, math.Log(of.Hi/of.Lo))
		}
		noise := math.Sqrt(recorded.groups.Of[i].Var + allowance*allowance)
		g := 2 * math.Log(max(1, width/(math.Sqrt(2*math.Pi)*noise)))
		gain, most = gain+g, max(most, g)
	}
	return gain - most
}

// drives reports whether the unrecorded quantity may have caused the recorded one: the latter stays near the commits,
// the bytes of WAL (which may be unknown), or a bound of the former.
func (e *evidence) drives(y column, recorded, h held) bool {
	var logs [4][]float64
	for i, a := range recorded.loads {
		use := countedIn(y[a])
		of, bytes, l := e.implied(h.Quantity, a, use), e.implied(metric.WALBytes, a, use), recorded.groups.Of[i].Mean
		x := math.Log(meanOf(y[a], use)) - l // of the recorded quantity
		for k, n := range [4]float64{e.done(a, use).Commits, math.Sqrt(bytes.Lo * bytes.Hi), of.Lo, of.Hi} {
			logs[k] = append(logs[k], x-math.Log(n))
		}
	}
	finite := func(l []float64) bool {
		return !slices.ContainsFunc(l, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) })
	}
	near := func(l []float64) bool { return finite(l) && slices.Max(l)-slices.Min(l) < math.Log(driven) }
	return !finite(logs[1]) || slices.ContainsFunc(logs[:], near)
}
