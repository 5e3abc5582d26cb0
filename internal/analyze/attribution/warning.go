package attribution

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// enoughLoads is the number of loads that separates most quantities.
const enoughLoads = 5

// warnings makes the warnings about the run as a whole.
type warnings struct {
	*evidence
	options Options
}

func (w warnings) list() (all []Warning) {
	add := func(code, text string) {
		if text != "" {
			all = append(all, Warning{code, text})
		}
	}
	if w.run.Observed != nil {
		add("never-varied", w.neverVaried())
		add("quantities-missing", w.quantitiesMissing())
	} else {
		if n := len(w.loads); n < enoughLoads {
			were := fmt.Sprintf("%d loads were", n)
			if n == 1 {
				were = "1 load was"
			}
			add("few-loads", fmt.Sprintf("Only %s measured, too few to tell most quantities apart", were))
		}
		if w.run.Idle.Repetitions == 0 {
			add("no-idle", "The server was not measured idle, so every count includes the background")
		}
		if len(w.loads) > 0 && !slices.ContainsFunc(w.loads, func(a counts.Load) bool {
			return len(a.Repetitions) > 1
		}) {
			add("few-repetitions", "No load has more than one repetition, so nothing shows how much counts vary")
		}
		add("no-rows", w.noRows())
		add("checkpoints", w.checkpoints())
		add("quantities-missing", w.quantitiesMissing())
		add("modelled", w.run.Modelled())
		if len(w.loads) >= enoughLoads {
			add("quantities-unparted", w.quantitiesUnparted())
		}
	}
	for _, n := range w.run.Notes {
		add(n.Code, n.Text)
	}
	return all
}

// listed returns a sentence about several items; empty if there are none.
func listed(before string, several []string, between, after string) string {
	if len(several) == 0 {
		return ""
	}
	return before + strings.Join(several, between) + after
}

func (w warnings) noRows() string {
	var loads []string
	for i, a := range w.loads {
		if a.Method != runfile.Observed && !w.does(i, writes) && !w.does(i, reads) {
			loads = append(loads, a.Name)
		}
	}
	return listed("No rows were written in ", loads, ", ", "")
}

// checkpoints names the loads with more checkpoints than others: their pages were written more than once.
func (w warnings) checkpoints() string {
	least, most := math.Inf(1), map[string]float64{}
	for _, a := range w.loads {
		for _, r := range a.Repetitions {
			n, found := 0.0, false
			for _, metric := range []string{"pgstat.checkpointer/checkpoints_timed",
				"pgstat.checkpointer/checkpoints_req"} {
				if c, known := r.Counts[metric]; known && c.Missing == nil {
					n, found = n+c.Raw, true
				}
			}
			if found {
				least, most[a.Name] = min(least, n), max(most[a.Name], n)
			}
		}
	}
	loads := slices.DeleteFunc(slices.Sorted(maps.Keys(most)), func(a string) bool { return most[a] <= least })
	return listed("More checkpoints than under other loads ran under ", loads, ", ",
		", so pages may have been written more than once")
}

// quantitiesMissing lists the quantities that the run lacks, by reason.
func (w warnings) quantitiesMissing() string {
	byReason := map[string][]metric.Quantity{}
	for i, d := range w.quantities {
		if why := w.columns[i].whole(); why != nil && len(w.loads) > 0 {
			reason := why.Reason.InWords()
			byReason[reason] = append(byReason[reason], d.Name)
		}
	}
	var all []string
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		all = append(all, fmt.Sprintf("%s (%s)", conjoined(byReason[reason]), reason))
	}
	return listed("Not counted in this run, so not considered: ", all, "; ", "")
}

// quantitiesUnparted lists pairs of quantities whose ratio was the same in all loads.
func (w warnings) quantitiesUnparted() string {
	var pairs []string
	for i, one := range w.quantities {
		for k, other := range w.quantities[:i] {
			if isNotable(w.columns[i]) && isNotable(w.columns[k]) && w.sameThroughout(w.columns[i], w.columns[k]) {
				pairs = append(pairs, other.Name.Many()+" and "+one.Name.Many())
			}
		}
	}
	return listed("No load of this run tells apart ", pairs, ", nor ", "")
}

// isNotable reports whether some load has more than a handful of what the column counts.
func isNotable(x column) bool {
	const few = 10
	return slices.ContainsFunc(x, func(cells []cell) bool { return greatest(cells) > few })
}

func (w warnings) sameThroughout(x, y column) bool {
	lowest, highest, n := math.Inf(1), math.Inf(-1), 0
	for a := range w.loads {
		if ratio, logs, _ := quotients(x[a], y[a]); len(logs) > 0 {
			l := math.Log(ratio.Value)
			lowest, highest, n = min(lowest, l), max(highest, l), n+1
		}
	}
	return n > 1 && highest-lowest < math.Log(w.options.Tolerance)
}

// neverVaried lists the quantities whose ratios never varied, so that nothing tells them apart.
func (w warnings) neverVaried() string {
	if len(w.loads) == 0 {
		return ""
	}
	var groups [][]metric.Quantity
	taken := map[int]bool{}
	for i := range w.quantities {
		together := []metric.Quantity{w.quantities[i].Name}
		for k := i + 1; k < len(w.quantities) && !taken[i]; k++ {
			if !taken[k] && w.together(i, k) {
				together, taken[k] = append(together, w.quantities[k].Name), true
			}
		}
		if len(together) > 1 {
			groups = append(groups, together)
		}
	}
	if len(groups) == 0 {
		return ""
	}
	var said []string
	for _, g := range groups {
		said = append(said, conjoined(g))
	}
	text := "These kept a constant ratio to each other, so this run cannot tell them apart: " + strings.Join(said, "; ")
	if s := w.settle(groups[0]); s != nil {
		text += fmt.Sprintf(". The short load %s would tell most of them apart", s.Load)
	}
	return text
}

// together reports whether two quantities kept one ratio, as they always do with one kind of load.
func (w warnings) together(i, k int) bool {
	if w.columns[i].whole() != nil || w.columns[k].whole() != nil {
		return false
	}
	return len(w.loads) == 1 || w.sameThroughout(w.columns[i], w.columns[k])
}
