package attribution

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
)

// A count that equals a quantity to the last unit or two, the background of both being the same, is no coincidence when
// it is large and happens in loads that differ.
const (
	largeCount = 100
	equalLoads = 2
)

// partOf looks, where no sum explains a metric, for a quantity that it is a part of: never more than the quantity, and
// in several loads exactly all of it. Checkpoints write what others have not written before: all pages where they fit
// into memory, and no more than that where they do not. The side is then the quantity's.
func (j *judge) partOf(v *Verdict, m counts.Metric, y column, rivals []held) {
	var whole held
	var where []string
	one := j.countsBy(m)
	for _, h := range rivals {
		if loads, is := j.partIn(y, h, one); is && h.Status != Itself && len(loads) > len(where) {
			whole, where = h, loads
		}
	}
	if len(where) < equalLoads {
		return
	}
	for _, h := range j.unread(y, rivals) {
		if h.Side != whole.Side { // equal in some loads by chance, and this all along
			v.Between = append(v.Between, h.Quantity)
		}
	}
	if len(v.Between) > 0 {
		v.Between = append([]string{whole.Quantity}, v.Between...)
		v.Why, v.SettleWith = "This run cannot tell between "+conjoined(v.Between), j.settle(v.Between)
		return
	}
	v.Kind, v.Between, v.Why = Kind(whole.Side), []string{whole.Quantity}, ""
	least := math.Inf(1)
	for _, a := range whole.Loads {
		if a.N > 0 {
			least = min(least, a.Value/one)
		}
	}
	v.Warnings = append(v.Warnings, Warning{"part-of", fmt.Sprintf(
		"It counts some of the %s: all in %s, down to %.0f%% elsewhere; what decides how many was not counted",
		many(whole.Quantity), strings.Join(where, ", "), 100*least)})
}

// partIn reports whether the metric, which shows so much for one, is never more than a quantity, and in which loads it
// is all of it, without a difference.
func (j *judge) partIn(y column, h held, one float64) (equal []string, is bool) {
	x := j.columns[h.place]
	for a := range y {
		all, compared := true, 0
		for r := range y[a] {
			c, d := y[a][r], x[a][r]
			if c.missing != nil || d.missing != nil {
				continue
			}
			value, stdErr := c.value/one, surely*(c.stdErr/one+d.stdErr)
			if value > d.value+stdErr {
				return nil, false
			}
			compared++
			all = all && math.Abs(d.value-value) <= 2 && d.value >= max(largeCount, stdErr)
		}
		if all && compared > 0 {
			equal = append(equal, j.loads[a].Name)
		}
	}
	return equal, true
}
