package pgstat

import (
	"cmp"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// amounts holds the counts of many things by the key that tells them apart.
type amounts map[string]ranked

type ranked struct {
	name string
	of   map[string]float64 // by the name of a column; what is not there was not counted
}

// tally is by how much each thing of one sort grew, put together look by look: where counters begin anew, no more is
// lost than what lay between two looks.
type tally struct {
	by     []string // columns, by whose sum things are ranked
	last   amounts
	grew   map[string]runfile.TopItem // by the key of an amount; what never grew is not there
	total  map[string]float64         // what all did together
	forgot bool                       // what did little was let go of: what comes may have been there before
}

// mostTallied things are remembered over the looks; when there are twice as many, those that did least are forgotten.
// In days a server may see any number of statements.
const mostTallied = 2000

func startTally(by []string, first amounts) *tally {
	return &tally{by: by, last: first, grew: map[string]runfile.TopItem{}, total: map[string]float64{}}
}

func (t *tally) look(now amounts) {
	for key, n := range now {
		last := t.last[key].of
		if maps.Equal(n.of, last) {
			continue
		}
		item, known := t.grew[key]
		if !known {
			item = runfile.TopItem{Name: n.name, Grew: map[string]float64{}, AtLeast: t.forgot}
		}
		anew := beganAnew(last, n.of)
		for column, value := range n.of {
			if !anew {
				value -= last[column]
			}
			item.Grew[column] += value
			t.total[column] += value
		}
		item.AtLeast = item.AtLeast || anew
		t.grew[key] = item
	}
	t.last = now
	if len(t.grew) > 2*mostTallied {
		t.forget()
	}
}

func (t *tally) forget() {
	keys := slices.SortedFunc(maps.Keys(t.grew), func(a, b string) int { return t.compare(t.grew[a], t.grew[b]) })
	for _, key := range keys[mostTallied:] {
		delete(t.grew, key)
	}
	t.forgot = true
}

// beganAnew reports whether something was reset, or dropped and made again.
func beganAnew(last, now map[string]float64) bool {
	for column, value := range now {
		if value < last[column] {
			return true
		}
	}
	return false
}

func (t *tally) rank(i runfile.TopItem) (sum float64) {
	for _, column := range t.by {
		sum += i.Grew[column]
	}
	return sum
}

// compare puts what did more before what did less.
func (t *tally) compare(a, b runfile.TopItem) int {
	return cmp.Or(cmp.Compare(t.rank(b), t.rank(a)), cmp.Compare(a.Name, b.Name))
}

// most returns the first of what grew until now.
func (t *tally) most() []runfile.TopItem {
	items := slices.SortedFunc(maps.Values(t.grew), t.compare)
	items = slices.DeleteFunc(items, func(i runfile.TopItem) bool { return t.rank(i) <= 0 })
	items = slices.Clone(items[:min(len(items), runfile.MostTopItems)]) // what is left out is let go of
	for i := range items {
		items[i].Grew = maps.Clone(items[i].Grew) // the tally goes on
	}
	return items
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
