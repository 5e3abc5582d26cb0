package attribution

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// cautions are what whoever believes the verdict on a metric should know.
func (j *judge) cautions(v Verdict, m drivers.Metric, y column, rivals []held) []Warning {
	var all []Warning
	add := func(code, text string) {
		if text != "" {
			all = append(all, Warning{code, text})
		}
	}
	if j.view.Lag > 0 {
		add("lag", fmt.Sprintf("It shows what was done %.1f s later, and was counted so much later", j.view.Lag.Seconds()))
	}
	if j.view.Stepped > 0 {
		add("steps", fmt.Sprintf("It moves every %.0f s only: what it counts was held against the same stretches of time", j.view.Stepped.Seconds()))
	}
	if shows := metric.All().Row(m.Name).OnAurora(); shows != "" && j.run.Header.Target.Flavor == "aurora" {
		add("on-aurora", capital(shows))
	}
	var wasReset, uncounted []string
	reset := func(c cell) bool { return c.missing != nil && c.missing.Reason == series.Reset }
	for a, arm := range j.arms {
		if slices.ContainsFunc(y[a], reset) {
			wasReset = append(wasReset, arm.Name)
		}
		if !isCounted(y[a]) {
			uncounted = append(uncounted, arm.Name)
		}
	}
	add("reset", listed("It was reset during ", wasReset, ", ", "; what it counted there is not known"))
	add("arms-missing", listed("It was not counted in ", uncounted, ", ", ""))
	add("background", j.background(m))
	add("below-background", j.belowBackground(m, y))
	nearest := append([]string{v.Counts}, v.Tied...)
	if v.Mixture != nil && len(v.Mixture.Terms) == 1 {
		nearest = []string{v.Mixture.Terms[0].Driver}
	}
	for _, h := range rivals {
		if slices.Contains(nearest, h.Driver) && h.Status != Itself && h.Ratio != nil { // nil: no load has both counted
			add("odd-arm", j.oddArms(h))
			add("drift", j.drift(y, h))
		}
	}
	return all
}

// muchBackground is the part of a count from which on the background deserves a word.
const muchBackground = 0.2

// background tells where much of what a metric showed was there without load.
func (j *judge) background(m drivers.Metric) string {
	var arms []string
	for _, arm := range j.arms {
		for _, r := range arm.Replicates {
			shown, ok := m.Raw(r)
			amount, err := m.Count(arm, r)
			if ok && err == nil && shown > 0 && shown-amount > muchBackground*shown {
				arms = append(arms, arm.Name)
				break
			}
		}
	}
	return listed(fmt.Sprintf("More than %.0f %% of it was there without load in ", 100*muchBackground), arms, ", ", "")
}

// surely is how many standard deviations are no chance.
const surely = 4

// belowBackground tells where a metric showed less than it does without load.
func (j *judge) belowBackground(m drivers.Metric, y column) string {
	var arms []string
	for a, arm := range j.arms {
		for i, r := range arm.Replicates {
			amount, err := m.Count(arm, r)
			if err == nil && amount < -surely*y[a][i].stdErr {
				arms = append(arms, arm.Name)
				break
			}
		}
	}
	return listed("It showed less than without load in ", arms, ", ", "")
}

// oddArms tells which arms lie off the ratio to the quantity that the metric counts.
func (j *judge) oddArms(h held) string {
	var odd []string
	mean := math.Log(h.Ratio.Value)
	for i, g := range h.groups.Of {
		if d := g.Mean - mean; math.Abs(d) > math.Log(j.options.Tolerance) && d*d > surely*surely*g.Var {
			odd = append(odd, fmt.Sprintf("%s, where it is %.2f of that", j.arms[h.arms[i]].Name, math.Exp(d)))
		}
	}
	return listed("The ratio to "+many(h.Driver)+" is the same under all loads but ", odd, "; ", "")
}

// drift tells whether the ratio went up or down with the replicates, in all arms together: a straight line through what
// is left of each replicate when its arm's mean is taken off.
func (j *judge) drift(y column, h held) string {
	var xx, xy, yy, freedom float64
	for _, a := range h.arms {
		_, logs, _ := quotients(y[a], j.columns[h.place][a])
		if len(logs) < 2 {
			continue
		}
		mean, centre := 0.0, float64(len(logs)-1)/2
		for _, l := range logs {
			mean += l.X / float64(len(logs))
		}
		for r, l := range logs {
			x := float64(r) - centre
			xx, xy, yy = xx+x*x, xy+x*(l.X-mean), yy+(l.X-mean)*(l.X-mean)
		}
		freedom += float64(len(logs) - 1)
	}
	if freedom < 4 || xx == 0 {
		return ""
	}
	slope := xy / xx
	half := stats.Student(0.999, freedom-1) * math.Sqrt(max(0, yy-slope*xy)/(freedom-1)/xx)
	if math.Abs(slope) <= half || math.Abs(slope) < math.Log(smallDrift) {
		return ""
	}
	return fmt.Sprintf("The ratio drifts: by a factor of %.3f from one repetition of a load to the next", math.Exp(slope))
}

// smallDrift from replicate to replicate is not worth a word.
const smallDrift = 1.01
