package attribution

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// enoughLoads is the number of loads that tell most quantities apart.
const enoughLoads = 5

// warnings returns those about the run as a whole.
func (j *judge) warnings() []Warning {
	var all []Warning
	add := func(code, text string) {
		if text != "" {
			all = append(all, Warning{code, text})
		}
	}
	if j.run.Observed != nil {
		add("never-varied", j.neverVaried())
		add("quantities-missing", j.quantitiesMissing())
	} else {
		if n := len(j.loads); n < enoughLoads {
			were := fmt.Sprintf("%d loads were", n)
			if n == 1 {
				were = "1 load was"
			}
			add("few-loads", fmt.Sprintf("Only %s measured: most quantities cannot be told apart", were))
		}
		if j.run.Idle.Repetitions == 0 {
			add("no-idle", "The server was not measured idle, so every count includes the background")
		}
		if len(j.loads) > 0 && !slices.ContainsFunc(j.loads, func(a counts.Load) bool {
			return len(a.Repetitions) > 1
		}) {
			add("few-repetitions", "No load has more than one repetition, so nothing shows how much counts vary")
		}
		add("no-rows", j.noRows())
		add("checkpoints", j.checkpoints())
		add("quantities-missing", j.quantitiesMissing())
		add("modelled", j.run.Modelled())
		if len(j.loads) >= enoughLoads {
			add("quantities-unparted", j.quantitiesUnparted())
		}
	}
	for _, n := range j.run.Notes {
		add(n.Code, n.Text)
	}
	return all
}

// listed returns a sentence about several; empty where there are none.
func listed(before string, several []string, between, after string) string {
	if len(several) == 0 {
		return ""
	}
	return before + strings.Join(several, between) + after
}

func (j *judge) noRows() string {
	var loads []string
	for i, a := range j.loads {
		if a.Method != runfile.Observed && !j.does(i, writes) && !j.does(i, reads) {
			loads = append(loads, a.Name)
		}
	}
	return listed("No rows were written in ", loads, ", ", "")
}

// checkpoints tells of loads in which more of them ran than in others: their pages were written more than once.
func (j *judge) checkpoints() string {
	least, most := math.Inf(1), map[string]float64{}
	for _, a := range j.loads {
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
	var loads []string
	for _, a := range slices.Sorted(maps.Keys(most)) {
		if most[a] > least {
			loads = append(loads, a)
		}
	}
	return listed("More checkpoints ran than elsewhere in ", loads, ", ",
		": pages may have been written there more than once")
}

// quantitiesMissing says which quantities the run does not have, by reason.
func (j *judge) quantitiesMissing() string {
	byReason := map[string][]string{}
	for i, d := range j.quantities {
		if why := j.columns[i].whole(); why != nil && len(j.loads) > 0 {
			byReason[string(why.Reason)] = append(byReason[string(why.Reason)], d.Name)
		}
	}
	var all []string
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		all = append(all, fmt.Sprintf("%s (%s)", conjoined(byReason[reason]), reason))
	}
	return listed("Not counted in this run, and so not considered: ", all, "; ", "")
}

// quantitiesUnparted lists pairs of quantities whose ratio stayed the same in all loads.
func (j *judge) quantitiesUnparted() string {
	var pairs []string
	for i, one := range j.quantities {
		for k, other := range j.quantities[:i] {
			if toSpeakOf(j.columns[i]) && toSpeakOf(j.columns[k]) && j.sameThroughout(j.columns[i], j.columns[k]) {
				pairs = append(pairs, many(other.Name)+" and "+many(one.Name))
			}
		}
	}
	return listed("No load of this run tells apart ", pairs, ", nor ", "")
}

// toSpeakOf reports whether any load did more than next to nothing of what the column counts.
func toSpeakOf(x column) bool {
	const few = 10
	return slices.ContainsFunc(x, func(cells []cell) bool { return greatest(cells) > few })
}

func (j *judge) sameThroughout(x, y column) bool {
	lowest, highest, n := math.Inf(1), math.Inf(-1), 0
	for a := range j.loads {
		ratio, logs, _ := quotients(x[a], y[a])
		if len(logs) > 0 {
			l := math.Log(ratio.Value)
			lowest, highest, n = min(lowest, l), max(highest, l), n+1
		}
	}
	return n > 1 && highest-lowest < math.Log(j.options.Tolerance)
}
