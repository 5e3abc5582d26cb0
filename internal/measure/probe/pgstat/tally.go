package pgstat

import (
	"cmp"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// tally is by how much each thing of one sort grew, put together look by look: where counters begin anew, no more is lost than
// what lay between two looks.
type tally struct {
	last amounts
	grew map[string]runfile.TopItem // by the key of an amount; what never grew is not there
}

func startTally(first amounts) *tally { return &tally{first, map[string]runfile.TopItem{}} }

func (t *tally) look(now amounts) {
	for key, n := range now {
		last := t.last[key].of
		if maps.Equal(n.of, last) {
			continue
		}
		item, known := t.grew[key]
		if !known {
			item = runfile.TopItem{Name: n.name, Grew: map[string]float64{}}
		}
		anew := beganAnew(last, n.of)
		for column, value := range n.of {
			if !anew {
				value -= last[column]
			}
			item.Grew[column] += value
		}
		item.AtLeast = item.AtLeast || anew
		t.grew[key] = item
	}
	t.last = now
}

// beganAnew tells whether something was reset, or dropped and made again.
func beganAnew(last, now map[string]float64) bool {
	for column, value := range now {
		if value < last[column] {
			return true
		}
	}
	return false
}

// most are the first of what grew until now, by the sum of some columns.
func (t *tally) most(by []string) []runfile.TopItem {
	rank := func(i runfile.TopItem) (sum float64) {
		for _, column := range by {
			sum += i.Grew[column]
		}
		return sum
	}
	items := slices.SortedFunc(maps.Values(t.grew), func(a, b runfile.TopItem) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(a.Name, b.Name))
	})
	items = slices.DeleteFunc(items, func(i runfile.TopItem) bool { return rank(i) <= 0 })
	items = slices.Clone(items[:min(len(items), listed)]) // what is left out is let go of
	for i := range items {
		items[i].Grew = maps.Clone(items[i].Grew) // the tally goes on
	}
	return items
}

// total is what all did together.
func (t *tally) total() map[string]float64 {
	total := map[string]float64{}
	for _, item := range t.grew {
		for column, value := range item.Grew {
			total[column] += value
		}
	}
	return total
}

// serverTally is the same of the server as a whole. What was reset is not known from then on: shares of it would be too
// large.
type serverTally struct{ last, grew map[string]float64 }

func startServerTally(first map[string]float64) serverTally {
	t := serverTally{first, map[string]float64{}}
	for name := range first {
		t.grew[name] = 0
	}
	return t
}

// look gives what is known to have grown until now.
func (t serverTally) look(now map[string]float64) map[string]float64 {
	for name, value := range now {
		if value < t.last[name] {
			delete(t.grew, name)
		}
		if _, known := t.grew[name]; known {
			t.grew[name] += value - t.last[name]
		}
	}
	maps.Copy(t.last, now)
	return maps.Clone(t.grew)
}
