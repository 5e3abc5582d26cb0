package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
)

const (
	// widest is the widest interval, in logarithms, of an unrecorded quantity: its bounds say next to nothing.
	widest = 7.0
	// coincidence gives up what was not recorded for what was: 2 ln 1000.
	coincidence = 13.8
	// fewestShown are the loads that it takes.
	fewestShown = 5
	// driven is the factor by which the ratio of what drives another quantity to that may vary.
	driven = 2.25
)

// farFetched reports whether a quantity that the run did not record would have to meet, under each of five loads or
// more, the value at which the metric keeps one ratio to a recorded quantity of another side. Within wide bounds that
// is a coincidence: a value anywhere between them (by its logarithm) is so much less likely than one within the noise.
// What follows commits or bytes of the WAL may be storage that does something for each of these, and is no coincidence.
func (e *evidence) farFetched(y column, h held, rivals []held) bool {
	return slices.ContainsFunc(rivals, func(r held) bool {
		return r.Side != h.Side && r.Status == Consistent && len(r.loads) >= fewestShown && !e.drives(y, r, h) &&
			e.coincides(y, r, h) > coincidence
	})
}

// coincides is twice the logarithm of how much likelier a recorded quantity makes the metric than one that lies
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

// drives reports whether what was not recorded may have followed the recorded quantity: in these loads that stays near
// to its commits, to the bytes of their WAL, of which nothing may be known, or to a bound of it.
func (e *evidence) drives(y column, recorded, h held) bool {
	var logs [4][]float64
	for i, a := range recorded.loads {
		use := countedIn(y[a])
		of, bytes, l := e.implied(h.Quantity, a, use), e.implied(counts.WALBytes, a, use), recorded.groups.Of[i].Mean
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

// countedIn returns the repetitions that have a count.
func countedIn(cells []cell) (use []int) {
	for r, c := range cells {
		if c.missing == nil {
			use = append(use, r)
		}
	}
	return use
}

func meanOf(cells []cell, use []int) (mean float64) {
	for _, r := range use {
		mean += cells[r].value / float64(len(use))
	}
	return mean
}
