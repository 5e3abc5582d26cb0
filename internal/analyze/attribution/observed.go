package attribution

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// In an observation the windows of one kind of load stand in for an arm. Nobody chose these loads, so that drivers run
// together for reasons of their own, and what no driver counts may run with one of them: more evidence is asked for.
const (
	// observedLevel is that of intervals, unless another is asked for.
	observedLevel = 0.99
	// observedLoads are the least from which anything is named.
	observedLoads = 3
	// parted is by what factor the ratio to each driver of the other side must move from load to load, beyond doubt.
	parted = 1.3
	// same is how far a ratio may lie off one, with its interval, and be the ratio of a count to itself.
	same = 1.03
)

// OneLoad is why nothing can be told where all windows are alike.
const OneLoad = "The load never varied enough to tell drivers apart by"

// restrain takes a verdict back for which there is not the evidence that an observation takes: sums are not stated, for
// two or three of a dozen drivers add up to nearly anything in loads that nobody chose; a driver is named only where all
// of the other side are parted from the metric by far; and one that is logical only where the ratio is one, since all that
// storage does follows rows of one kind as well.
func (j *judge) restrain(v *Verdict, rivals []held) {
	if len(j.arms) < 2 && v.Kind != Silent {
		*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: Undetermined, Why: OneLoad}
		return
	}
	if v.Kind == Undetermined || v.Kind == Silent {
		v.SettleWith = cmp.Or(v.SettleWith, j.settle(v.Between))
		return
	}
	why := j.unproved(v, rivals)
	if why == "" {
		return
	}
	left := v.Between
	if v.Counts != "" {
		left = []string{v.Counts}
	}
	*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: Undetermined, Between: left, Why: why, SettleWith: j.settle(left)}
}

// unproved says what a verdict lacks in an observation; empty: nothing.
func (j *judge) unproved(v *Verdict, rivals []held) string {
	if v.Mixture != nil {
		return "It is near a sum of drivers, which loads that nobody chose cannot prove"
	}
	names := v.Between
	if v.Counts != "" {
		names = []string{v.Counts}
	}
	one := false
	for _, h := range rivals {
		switch {
		case string(h.Side) == string(v.Kind) && slices.Contains(names, h.Driver):
			if len(h.arms) < observedLoads {
				return fmt.Sprintf("It keeps its ratio to %s, but in %s only", h.Driver, counted(len(h.arms), "kind", "of load"))
			}
			one = one || j.oneToOne(v.Metric, h) && isOne(h.Ratio)
		case string(h.Side) != string(v.Kind) && h.Status != Unknown && h.Status != Itself:
			if h.Spread == nil || h.Spread.Lo < parted && !(h.Status == Excluded && one) {
				return fmt.Sprintf("It keeps its ratio to %s, but the loads do not part %s far enough from %s", conjoined(names), conjoined(names), h.Driver)
			}
		}
	}
	if v.Kind == Logical && !one {
		return fmt.Sprintf("It keeps a ratio to %s that is not one: in loads that nobody chose what storage does may keep one, too", conjoined(names))
	}
	return ""
}

func isOne(e *Estimate) bool {
	return e != nil && math.Abs(math.Log(e.Lo)) < math.Log(same) && math.Abs(math.Log(e.Hi)) < math.Log(same)
}

func conjoined(names []string) string { return strings.Join(names, ", ") }

func counted(n int, what, of string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s %s", n, what, of)
}

// confirm takes back what windows twice as long do not show: it came of where the windows were cut.
func confirm(all, coarse []Verdict) {
	for i := range all {
		v := &all[i]
		k := slices.IndexFunc(coarse, func(c Verdict) bool { return c.Metric.Name == v.Metric.Name })
		if k < 0 || v.Kind == Undetermined || v.Kind == Silent || byDefinition(*v) {
			continue
		}
		c := coarse[k]
		if c.Kind == v.Kind && (v.Counts == "" || c.Counts == v.Counts || slices.Contains(c.Between, v.Counts)) {
			continue
		}
		left := v.Between
		if v.Counts != "" {
			left = []string{v.Counts}
		}
		v.Kind, v.Counts, v.PerUnit, v.Exact, v.Between = Undetermined, "", nil, false, left
		v.Why = fmt.Sprintf("It keeps its ratio to %s in these windows, and not in such as are twice as long", conjoined(left))
	}
}

// byDefinition tells whether a driver is computed from the metric.
func byDefinition(v Verdict) bool {
	return slices.ContainsFunc(v.Rivals, func(r Rival) bool { return r.Status == Itself })
}

// warningsObserved are those about an observation as a whole.
func (j *judge) warningsObserved() []Warning {
	var all []Warning
	add := func(code, text string) {
		if text != "" {
			all = append(all, Warning{code, text})
		}
	}
	add("never-varied", j.neverVaried())
	add("drivers-missing", j.driversMissing())
	for _, n := range j.run.Notes {
		add(n.Code, n.Text)
	}
	return all
}

// neverVaried names the drivers whose ratios stayed the same all the time, and so cannot be told apart by anything.
func (j *judge) neverVaried() string {
	if len(j.arms) == 0 {
		return ""
	}
	var groups []string
	taken := map[int]bool{}
	for i := range j.drivers {
		together := []string{j.drivers[i].Name}
		for k := i + 1; k < len(j.drivers) && !taken[i]; k++ {
			if !taken[k] && j.together(i, k) {
				together, taken[k] = append(together, j.drivers[k].Name), true
			}
		}
		if len(together) > 1 {
			groups = append(groups, strings.Join(together, ", "))
		}
	}
	if len(groups) == 0 {
		return ""
	}
	text := "These kept their ratio to each other all the time, so that nothing here can tell them apart: " + strings.Join(groups, "; ")
	if s := j.settle(strings.Split(groups[0], ", ")); s != nil {
		text += fmt.Sprintf(". A short load of the arm %s would part most of them", s.Arm)
	}
	return text
}

// together tells whether two drivers were never parted; in one kind of load nothing is.
func (j *judge) together(i, k int) bool {
	if j.columns[i].whole() != nil || j.columns[k].whole() != nil {
		return false
	}
	return len(j.arms) == 1 || j.sameThroughout(j.columns[i], j.columns[k])
}
