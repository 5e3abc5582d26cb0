package drivers

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Top is what caused the most in an observation, of one sort: tables, indexes or statements.
type Top struct {
	Of      string
	Seconds float64            // that it was looked at
	Items   []runfile.TopItem  // the first most of all, by the order of its last look
	Total   map[string]float64 // what all did together
	Missing string             // why there are no items
}

// topKey is what a later look stands for an earlier one by.
type topKey struct {
	of   string
	from time.Time
}

// tops joins what was seen from one start of the server to the next.
func (c *collector) joinTops() (all []Top) {
	keys := make([]topKey, 0, len(c.tops))
	for key := range c.tops {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b topKey) int { return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.of, b.of)) })
	for _, of := range []string{"statements", "tables", "indexes"} {
		t := Top{Of: of, Total: map[string]float64{}}
		for _, key := range keys {
			if key.of == of {
				t.join(c.tops[key])
			}
		}
		if t.Seconds > 0 || t.Missing != "" {
			all = append(all, t)
		}
	}
	return all
}

func (t *Top) join(part runfile.Top) {
	if part.Missing != "" {
		if len(t.Items) == 0 {
			t.Missing = part.Missing
		}
		return
	}
	t.Missing = ""
	t.Seconds += part.At.Sub(part.From).Seconds()
	for name, value := range part.Total {
		t.Total[name] += value
	}
	for _, item := range part.Items {
		t.add(item)
	}
}

// add sums up what is of one name. What was among the first in one part only did at least that.
func (t *Top) add(item runfile.TopItem) {
	i := slices.IndexFunc(t.Items, func(known runfile.TopItem) bool { return known.Name == item.Name })
	if i < 0 {
		sum := map[string]float64{}
		maps.Copy(sum, item.Grew)
		item.Grew = sum
		t.Items = append(t.Items, item)
		return
	}
	for name, value := range item.Grew {
		t.Items[i].Grew[name] += value
	}
	t.Items[i].Text = cmp.Or(item.Text, t.Items[i].Text)
	t.Items[i].AtLeast = t.Items[i].AtLeast || item.AtLeast
}
