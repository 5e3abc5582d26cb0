package attribution

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// cautions returns what a reader of the verdict should know before relying on it.
func (tr *trial) cautions(v Verdict) (all []Warning) {
	add := func(code, text string) {
		if text != "" {
			all = append(all, Warning{code, text})
		}
	}
	if tr.view.Lag > 0 {
		add("lag", fmt.Sprintf("This counter lags: it shows work %.1f s after it happened. The report allows for that",
			tr.view.Lag.Seconds()))
	}
	if tr.view.Stepped > 0 {
		text := fmt.Sprintf("It changes only every %.0f s, so whole steps were compared", tr.view.Stepped.Seconds())
		if v.Kind == CannotTell {
			text += fmt.Sprintf(". Loads of %.0f s would tell", counts.StepsInLoad*tr.view.Stepped.Seconds())
		}
		add("steps", text)
	}
	if shows := metric.All().Row(tr.metric.Name).OnAurora(); shows != "" && tr.run.Header.Target.Flavor == "aurora" {
		add("on-aurora", capital(shows))
	}
	var wasReset, uncounted []string
	reset := func(c cell) bool { return c.missing != nil && c.missing.Reason == series.Reset }
	for a, load := range tr.loads {
		if slices.ContainsFunc(tr.y[a], reset) {
			wasReset = append(wasReset, load.Name)
		}
		if !isCounted(tr.y[a]) {
			uncounted = append(uncounted, load.Name)
		}
	}
	add("reset", listed("It was reset during ", wasReset, ", ", ", so its count there is unknown"))
	add("loads-missing", listed("It was not counted in ", uncounted, ", ", ""))
	add("background", listed(fmt.Sprintf("More than %.0f%% of it was background under ", 100*muchBackground),
		moving(tr.loads, v, tr.background(tr.metric)), ", ", ""))
	add("below-background", listed("It was below the background in ",
		moving(tr.loads, v, tr.belowBackground(tr.metric, tr.y)), ", ", ""))
	nearest := append([]metric.Quantity{v.Counts}, v.Tied...)
	if v.Mixture != nil && len(v.Mixture.Terms) == 1 {
		nearest = []metric.Quantity{v.Mixture.Terms[0].Quantity}
	}
	for _, h := range tr.rivals {
		// if it is nil, no load has both counted
		if slices.Contains(nearest, h.Quantity) && h.Status != Itself && h.Ratio != nil {
			add("odd-load", tr.oddLoads(h))
			add("drift", tr.drift(tr.y, h))
		}
	}
	return all
}

// muchBackground is the share of a count from which on the background is worth a warning.
const muchBackground = 0.2

// moving leaves out loads that only read, unless the metric may count reads: background writes are expected under them.
func moving(all []counts.Load, v Verdict, names []string) []string {
	counted := append([]metric.Quantity{v.Counts}, v.Between...)
	if v.Mixture != nil {
		for _, t := range v.Mixture.Terms {
			counted = append(counted, t.Quantity)
		}
	}
	if slices.ContainsFunc(counted, func(name metric.Quantity) bool { return name.OfReads() }) {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		i := slices.IndexFunc(all, func(l counts.Load) bool { return l.Name == name })
		return !slices.ContainsFunc(all[i].Repetitions, func(r counts.Repetition) bool {
			return r.Work.Returned == 0 || r.Work.Rows > 0
		})
	})
}

// background names the loads under which much of the metric was there without load.
func (j *judge) background(m counts.Metric) (loads []string) {
	for _, load := range j.loads {
		for _, r := range load.Repetitions {
			shown, ok := m.Raw(r)
			_, err := m.Count(load, r)
			if ok && err == nil && shown > 0 && j.run.Idle.Of(m, r) > muchBackground*shown {
				loads = append(loads, load.Name)
				break
			}
		}
	}
	return loads
}

// belowBackground names the loads under which the metric showed less than it does when idle.
func (j *judge) belowBackground(m counts.Metric, y column) (loads []string) {
	for a, load := range j.loads {
		for i, r := range load.Repetitions {
			if amount, err := m.Count(load, r); err == nil && amount < -surely*y[a][i].stdErr {
				loads = append(loads, load.Name)
				break
			}
		}
	}
	return loads
}

// oddLoads describes the loads whose ratio to the counted quantity differs from the rest.
func (j *judge) oddLoads(h held) string {
	var odd []string
	mean := math.Log(h.Ratio.Value)
	for i, g := range h.groups.Of {
		if d := g.Mean - mean; math.Abs(d) > math.Log(j.options.Tolerance) && d*d > surely*surely*g.Var {
			odd = append(odd, fmt.Sprintf("%s (%.2f times as high)", j.loads[h.loads[i]].Name, math.Exp(d)))
		}
	}
	return listed("The ratio to "+h.Quantity.Many()+" is the same under all loads except ", odd, ", ", "")
}

// drift describes a ratio that rises or falls over the repetitions of all loads; empty if it does not.
func (j *judge) drift(y column, h held) string {
	var all [][]stats.Point
	for _, a := range h.loads {
		var load []stats.Point
		_, logs, _ := quotients(y[a], j.columns[h.place][a])
		for r, l := range logs {
			load = append(load, stats.Point{X: float64(r), Y: l.X})
		}
		all = append(all, load)
	}
	slope, half, known := stats.SlopeWithin(all, 0.999)
	if !known || math.Abs(slope) <= half || math.Abs(slope) < math.Log(smallDrift) {
		return ""
	}
	return fmt.Sprintf("The ratio drifts by a factor of %.3f between repetitions of a load", math.Exp(slope))
}

// smallDrift is the factor per repetition below which a drift is not reported.
const smallDrift = 1.01
