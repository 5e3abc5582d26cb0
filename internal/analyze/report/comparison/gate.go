package comparison

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
)

// Gate is a bound on the change of a quantity: WHAT>PERCENT or WHAT<PERCENT of the geometric mean over the loads, or
// WHAT/LOAD of one load.
type Gate struct {
	Text     string
	quantity metric.Quantity
	load     string
	more     bool
	bound    float64 // a ratio
}

var gateForm = regexp.MustCompile(`^\s*([\w +-]+?)\s*(?:/\s*([^<>]+?)\s*)?([<>])\s*([+-]?[0-9.]+)\s*%\s*$`)

// ParseGate parses a gate: device requests>10%, WAL fsyncs/copy<-5%. The quantity is named as in tables or in JSON: device
// MB, wal_syncs.
func ParseGate(text string) (Gate, error) {
	parts := gateForm.FindStringSubmatch(text)
	if parts == nil {
		return Gate{},
			fmt.Errorf("%q: want QUANTITY>PERCENT%% or QUANTITY/LOAD<PERCENT%%, such as device requests>10%% or "+
				"WAL fsyncs/copy<-5%%", text)
	}
	percent, err := strconv.ParseFloat(parts[4], 64)
	if err != nil || percent <= -100 || percent > 1e9 {
		return Gate{}, fmt.Errorf("%q: no count can fall by %s%%", text, parts[4])
	}
	quantity := metric.Quantity(parts[1])
	if q, known := metric.QuantityNamed(parts[1]); known {
		quantity = q
	}
	for _, q := range metric.Quantities() {
		if name, _ := label(q); strings.EqualFold(name, parts[1]) {
			quantity = q
		}
	}
	return Gate{Text: text, quantity: quantity, load: parts[2], more: parts[3] == ">", bound: 1 + percent/100}, nil
}

// Held is the result of a gate.
type Held struct {
	Tripped []string // runs whose change is surely beyond the bound, in words
	Unknown []string // runs whose change is unknown
	Unsure  []string // runs whose interval includes the bound, in words
}

// Hold applies a gate to a comparison. A change trips it if its whole interval lies beyond the bound, which chance
// alone seldom does. The change is unknown if some run lacks the quantity or the load, or if its load did different work.
// The change over all loads is unknown too if one of them was measured in some runs alone or did none of the work in a
// repetition, unless the others trip the gate.
func (c Comparison) Hold(g Gate) (h Held, err error) {
	i := slices.IndexFunc(c.Quantities, func(d ComparedQuantity) bool { return d.Quantity == g.quantity })
	switch name, _ := label(g.quantity); {
	case i < 0 && slices.Contains(metric.Quantities(), g.quantity):
		return Held{Unknown: []string{"some run did not count " + name + ", or cannot tell them from other quantities"}}, nil
	case i < 0:
		counted := words.Each(func(d ComparedQuantity) string {
			name, _ := label(d.Quantity)
			return name
		}, c.Quantities)
		return Held{}, fmt.Errorf("%q: the runs did not count %s; they counted %s", g.Text, g.quantity,
			strings.Join(counted, ", "))
	case slices.Contains(c.LeftOut, g.load):
		return Held{Unknown: []string{"some run lacks the load " + g.load}}, nil
	}
	of, where, lacks := c.Quantities[i].Geomean, "geomean", slices.Concat(c.LeftOut, c.Quantities[i].lacks)
	if g.load != "" {
		j := slices.Index(c.Loads, g.load)
		if j < 0 {
			return Held{}, fmt.Errorf("%q: the runs have no common load %s; they have %s", g.Text, g.load,
				cmp.Or(strings.Join(c.Loads, ", "), "none"))
		}
		of, where = c.Quantities[i].Loads[j], g.load
	}
	for i, r := range of.Runs[1:] {
		name := c.Runs[i+1].Name
		switch change := r.Change; {
		case g.load == "" && len(c.Runs[i+1].unlike) > 0, slices.Contains(c.Runs[i+1].unlike, g.load):
			h.Unknown = append(h.Unknown, fmt.Sprintf("%s, %s: not the same work as in A", name, where))
		case change == nil:
			h.Unknown = append(h.Unknown, fmt.Sprintf("%s, %s: some repetition has no count, or one of 0", name, where))
		case !number.Finite(change.P):
			h.Unknown = append(h.Unknown, fmt.Sprintf("%s, %s: a single repetition does not show chance", name, where))
		case g.more && change.Lo > g.bound, !g.more && change.Hi < g.bound:
			h.Tripped = append(h.Tripped, fmt.Sprintf("%s, %s: %s %s", name, where, change.by(change.Ratio),
				change.interval()))
		case g.load == "" && len(lacks) > 0:
			h.Unknown = append(h.Unknown, fmt.Sprintf("%s, %s: no change is known for %s", name, where,
				strings.Join(lacks, ", ")))
		case g.more && change.Hi > g.bound, !g.more && change.Lo < g.bound, !number.Finite(change.Hi - change.Lo):
			h.Unsure = append(h.Unsure, fmt.Sprintf("%s, %s: %s %s", name, where, change.by(change.Ratio),
				change.interval()))
		}
	}
	return h, nil
}
