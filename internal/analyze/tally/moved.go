package tally

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/series"
)

const (
	// fewestSame is the number of equal periods that is no coincidence, if they are at least leastMoving units.
	fewestSame  = 3
	leastMoving = 1000
	leastHeld   = 2. / 3 // share of the periods that equal others beside them, of a source that changes in steps
	fewestApart = 10     // distinct amounts, below which their common divisor is large by chance
)

// countIn returns a metric's growth between two moments, if its source moved in between.
func (b *builder) countIn(name string, from, to time.Time, work func(from, to time.Time) float64) counts.Count {
	count := inPeriods(b.stretched[name], from, to, work)
	if count.Missing != nil {
		return count
	}
	step := b.constantFor(name)
	if step == 0 || to.Sub(from) >= counts.StepsInLoad*step {
		return count
	}
	inside := between(b.stretched[name], from, to)
	amount := 0.0
	for _, s := range inside {
		amount += s.amount
	}
	return counts.Count{Missing: &series.Missing{Reason: counts.NotMoved, Detail: fmt.Sprintf(
		"%s in %s; it changes in steps of about %s, and says nothing about a load shorter than %d of them",
		number.Grouped(amount, 0), minutes(inside[len(inside)-1].to.Sub(inside[0].from)), minutes(step), counts.StepsInLoad)}}
}

// knownSteps returns the time for which a source shows the same value in other runs, or 0. It ignores the flavor, which
// a file may lack.
func knownSteps(name string) (steps time.Duration) {
	for _, row := range metric.All().Of(name) {
		steps = max(steps, time.Duration(row.Steps*float64(time.Second)))
	}
	return steps
}

// constantFor returns the longest time for which a source shows the same value, or 0 if it moves from period to period.
// A source that changes in steps shows several values, and each for long; one that shows the same here and there may
// have counted even work. Of that, or of too few periods, it returns the time known from other runs.
func (b *builder) constantFor(name string) (longest time.Duration) {
	all := b.stretched[name]
	var amounts []float64
	for _, s := range all {
		amounts = append(amounts, s.amount)
	}
	by, of := stats.Divisor(amounts)
	if of > 0 && of < fewestApart {
		by = min(by, 1)
	}
	levels, held := map[float64]bool{}, 0
	for first := 0; first < len(all); {
		last := first
		for last+1 < len(all) && all[last+1].same(all[first]) && all[last+1].from.Equal(all[last].to) {
			last++
		}
		if all[first].amount >= leastMoving*by {
			levels[all[first].amount] = true
			if last-first+1 >= fewestSame {
				held += last - first + 1
				longest = max(longest, all[last].to.Sub(all[first].from))
			}
		}
		first = last + 1
	}
	even := held > 0 && (len(levels) == 1 || float64(held) < leastHeld*float64(len(all)))
	if len(all) < fewestSame || even {
		return knownSteps(name)
	}
	return longest
}

// same reports whether two periods are equal.
func (s stretch) same(other stretch) bool {
	return !s.open && !other.open && s.amount == other.amount && s.seconds() == other.seconds()
}

func minutes(d time.Duration) string {
	if d < time.Minute {
		return printable.Duration(d.Round(time.Millisecond))
	}
	return printable.Duration(d.Round(time.Minute))
}

// Whole adds up the periods from the rest before the first load to the rest after the last.
func (b *builder) Whole(name string) (amount float64, from, to time.Time, ok bool) {
	for _, a := range b.attempts {
		if begin := a.begin(); !begin.IsZero() && (from.IsZero() || begin.Before(from)) {
			from = begin
		}
		to = series.Later(to, a.end())
	}
	rest := time.Duration(b.run.Header.Plan.RestSeconds * float64(time.Second))
	from, to = from.Add(-rest), to.Add(rest)
	inside := between(b.stretched[name], from, to)
	if len(inside) == 0 {
		return 0, from, to, false
	}
	covered := time.Duration(0)
	for _, s := range inside {
		if s.open {
			return 0, from, to, false
		}
		amount, covered = amount+s.amount, covered+s.to.Sub(s.from)
	}
	period := inside[0].to.Sub(inside[0].from)
	return amount, from, to, to.Sub(from)-covered <= 2*period
}

// still notes the loads during which a source did not move.
func (k checks) still() {
	for _, m := range k.run.Counters {
		var during []string
		first := ""
		for _, a := range k.run.Loads {
			for _, r := range a.Repetitions {
				if count := r.Counts[m.Name]; count.Missing != nil && count.Missing.Reason == counts.NotMoved {
					during, first = append(during, a.Name), cmp.Or(first, count.Missing.Detail)
				}
			}
		}
		if len(during) == 0 {
			continue
		}
		text := fmt.Sprintf("%s: the source did not change during these loads (%s): %s",
			metric.Printed(m.Name, 0), strings.Join(slices.Compact(during), ", "), first)
		if amount, from, to, told := k.run.Whole(m.Name); told {
			text += fmt.Sprintf(". For all loads together, with the rest before and after them, it says %s in %s",
				number.Grouped(amount, 0), minutes(to.Sub(from)))
		}
		k.notes.add("not-moved", text)
	}
}
