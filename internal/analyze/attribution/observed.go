package attribution

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
)

// In an observation the windows of one kind of load stand in for an arm. Nobody chose these loads, so that quantities run
// together for reasons of their own, and what no quantity counts may run with one of them: more evidence is asked for.
const (
	// observedLevel is that of intervals, unless another is asked for.
	observedLevel = 0.99
	// observedLoads are the least from which anything is named.
	observedLoads = 3
	// parted is by what factor the ratio to each quantity of the other side must move from load to load: by far more than the
	// tolerance, which the interval must exclude besides.
	parted = 1.3
)

// OneLoad is why nothing can be told where all windows are alike.
const OneLoad = "The load never varied enough to tell what it counts"

// restrain takes a verdict back for which there is not the evidence that an observation takes: sums are not stated, for
// two or three of a dozen quantities add up to nearly anything in loads that nobody chose; a quantity is named only where all
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
		v.widen(rivals)
		return
	}
	left := v.named()
	*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: Undetermined, Between: left, Why: why, SettleWith: j.settle(left)}
}

// widen puts back the quantities of the same side that only likelihood had ruled out: with loads that nobody chose, that one
// comes nearer than another does not make it the one.
func (v *Verdict) widen(rivals []held) {
	named := slices.Clone(v.named())
	for _, h := range rivals {
		if string(h.Side) == string(v.Kind) && h.Beaten != "" && !slices.Contains(named, h.Driver) {
			named = append(named, h.Driver)
		}
	}
	if len(named) > 1 {
		v.Counts, v.PerUnit, v.Exact, v.Between = "", nil, false, named
	}
}

// unproved says what a verdict lacks in an observation; empty: nothing.
func (j *judge) unproved(v *Verdict, rivals []held) string {
	if v.Mixture != nil || len(v.named()) == 0 {
		return "It is near a sum of quantities, which loads that nobody chose cannot prove"
	}
	names, one := v.named(), false
	for _, h := range rivals {
		switch {
		case string(h.Side) == string(v.Kind) && slices.Contains(names, h.Driver):
			if len(h.arms) < observedLoads {
				return fmt.Sprintf("It keeps its ratio to %s, but in %s only", many(h.Driver), counted(len(h.arms), "kind", "of load"))
			}
			one = one || j.oneToOne(v.Metric, h) && j.isOne(h.Ratio)
		case string(h.Side) != string(v.Kind) && h.Status != Unknown && h.Status != Itself:
			if far := h.Beaten == "" && h.Spread != nil && h.Spread.Value >= parted; h.Status != Excluded || !far && !one {
				return fmt.Sprintf("It keeps its ratio to %s, but the loads do not tell %s far enough from %s", conjoined(names), conjoined(names), many(h.Driver))
			}
		}
	}
	if v.Kind == Logical && !one {
		return fmt.Sprintf("It keeps a ratio to %s that is not one: in loads that nobody chose what storage does may keep one, too", conjoined(names))
	}
	return ""
}

// isOne tells whether a ratio is one, and surely nothing that the tolerance would not take for it.
func (j *judge) isOne(e *Estimate) bool {
	return e != nil && e.Lo <= 1 && 1 <= e.Hi && e.Lo*j.options.Tolerance > 1 && e.Hi < j.options.Tolerance
}

// conjoined writes counted quantities as people call them.
func conjoined(names []string) string {
	var words []string
	for _, name := range names {
		words = append(words, many(name))
	}
	return strings.Join(words, ", ")
}

func many(quantity string) string { return metric.Quantity(quantity).Many() }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func counted(n int, what, of string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s %s", n, what, of)
}

// confirm takes back what windows twice as long contradict: it came of where the windows were cut.
func confirm(all, coarse []Verdict) {
	for i := range all {
		v := &all[i]
		k := slices.IndexFunc(coarse, func(c Verdict) bool { return c.Metric.Name == v.Metric.Name })
		if k < 0 || v.Kind == Undetermined || v.Kind == Silent || byDefinition(*v) {
			continue
		}
		named := v.named()
		contradicted := func(r Rival) bool {
			return slices.Contains(named, r.Driver) && r.Status == Excluded && r.Beaten == ""
		}
		if !slices.ContainsFunc(coarse[k].Rivals, contradicted) {
			continue
		}
		v.Kind, v.Counts, v.PerUnit, v.Exact, v.Between = Undetermined, "", nil, false, named
		v.Why = fmt.Sprintf("It keeps its ratio to %s in these windows, and not in such as are twice as long", conjoined(named))
	}
}

// named are the quantities of which the metric is said to count one.
func (v Verdict) named() []string {
	if v.Counts != "" {
		return []string{v.Counts}
	}
	return v.Between
}

// byDefinition tells whether a quantity is computed from the metric.
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

// neverVaried names the quantities whose ratios stayed the same all the time, and so cannot be told apart by anything.
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
	var said []string
	for _, g := range groups {
		said = append(said, conjoined(strings.Split(g, ", ")))
	}
	text := "These kept their ratio to each other all the time, so that nothing here can tell them apart: " + strings.Join(said, "; ")
	if s := j.settle(strings.Split(groups[0], ", ")); s != nil {
		text += fmt.Sprintf(". The short load %s would tell most of them apart", s.Arm)
	}
	return text
}

// together tells whether two quantities were never parted; in one kind of load nothing is.
func (j *judge) together(i, k int) bool {
	if j.columns[i].whole() != nil || j.columns[k].whole() != nil {
		return false
	}
	return len(j.arms) == 1 || j.sameThroughout(j.columns[i], j.columns[k])
}
