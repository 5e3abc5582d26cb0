package pgstat

import (
	"cmp"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// amounts holds the counts of many things by key.
type amounts map[string]ranked

type ranked struct {
	name string
	of   map[string]float64 // by column; uncounted ones are missing
}

// tally adds up the growth of each thing of one sort over many looks. When counters are reset, only the
// growth between two looks is lost.
type tally struct {
	by     []string // columns by whose sum things are ranked
	last   amounts
	grew   map[string]runfile.TopItem // by the key of an amount; without things that never grew
	total  map[string]float64         // of all things
	forgot bool                       // small ones were dropped: a new one may be an old one
}

// mostTallied is how many things are remembered. When there are twice as many, the smallest are dropped, since a
// server may run any number of different statements.
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

// beganAnew reports whether a thing's counters were reset, or it was dropped and created again.
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

// compare orders things by what they did, the most first.
func (t *tally) compare(a, b runfile.TopItem) int {
	return cmp.Or(cmp.Compare(t.rank(b), t.rank(a)), cmp.Compare(a.Name, b.Name))
}

// most returns the things that grew most so far.
func (t *tally) most() []runfile.TopItem {
	items := slices.SortedFunc(maps.Values(t.grew), t.compare)
	items = slices.DeleteFunc(items, func(i runfile.TopItem) bool { return t.rank(i) <= 0 })
	items = slices.Clone(items[:min(len(items), runfile.MostTopItems)]) // a copy, so that the rest can be freed
	for i := range items {
		items[i].Grew = maps.Clone(items[i].Grew) // the tally goes on
	}
	return items
}

// serverTally is a tally of the server's totals. A total that was reset is unknown from then on:
// shares of it would be too large.
type serverTally struct{ last, grew map[string]float64 }

func startServerTally(first map[string]float64) serverTally {
	t := serverTally{first, map[string]float64{}}
	for name := range first {
		t.grew[name] = 0
	}
	return t
}

// look returns the known growth so far.
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
