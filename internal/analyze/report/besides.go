package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
)

// besides is a number that looks like IOPS, and the disk's work meanwhile.
type besides struct {
	name, load  string
	loud, quiet Figure
}

// none reports whether the disk did nothing, vague whether its work is lost in the background.
func (b besides) none() bool  { return b.quiet.Highest <= figure.Resolution }
func (b besides) vague() bool { return b.quiet.Lowest <= figure.Resolution }

// factor returns how many times fewer operations the disk did; if vague, at least.
func (b besides) factor() float64 {
	switch {
	case b.none():
		return math.Inf(1)
	case b.vague():
		return b.loud.Value / b.quiet.Highest
	}
	return b.loud.Value / b.quiet.Value
}

func byFactor(a, b besides) int { return cmp.Compare(a.factor(), b.factor()) }

// times returns the factor with its range over the load's repetitions, which is unbounded if vague.
func (b besides) times() Figure {
	f := Figure{Value: b.factor(), Lowest: b.loud.Lowest / b.quiet.Highest, Highest: math.Inf(1),
		N: min(b.loud.N, b.quiet.N)}
	if !b.vague() {
		f.Highest = b.loud.Highest / b.quiet.Lowest
	}
	return f
}

// did says what the disk did; if vague, at most.
func (b besides) did() string {
	if b.none() {
		return "the disk did nothing"
	}
	return "the disk did " + b.quiet.Between() + "/s"
}

// ends returns the range of the factor.
func (b besides) ends() string {
	if b.none() {
		return map[bool]string{false: "the quiet one did not move", true: "lost in the background"}[b.quiet.Drowned()]
	}
	if b.vague() {
		return "at least " + number.AtLeast(b.factor())
	}
	return cmp.Or(b.times().WideRatio(), b.times().Factor())
}

// named returns the load, with the range of its factor if it is wide.
func (b besides) named() string {
	return strings.Join(words.Filled(b.load, b.times().WideRatio()), ", ")
}

// factorText returns the factor, or its range over the repetitions if that is wide.
func (b besides) factorText() string {
	times := b.times()
	switch {
	case b.none():
		return "not one request"
	case b.vague():
		return "at least " + number.AtLeast(times.Value) + " times fewer"
	case times.Value < 1:
		more := Figure{Value: 1 / times.Value, Lowest: 1 / times.Highest, Highest: 1 / times.Lowest, N: times.N}
		return cmp.Or(more.WideRatio(), more.Factor()) + " times more"
	}
	return cmp.Or(times.WideRatio(), times.Factor()) + " times fewer"
}

// each returns the pair in every load that has both, the largest first.
func (r screen) each(name string, loud, quiet metric.Quantity, loads []Load) (all []besides) {
	for _, a := range loads {
		b := besides{name, a.Name, a.Of(loud), a.Of(quiet)}
		if b.loud.Known() && b.quiet.Known() && b.loud.Value > 0 && !b.loud.Lost() && !b.quiet.Drowned() {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b besides) int { return cmp.Compare(b.loud.Value, a.loud.Value) })
	return all
}

// pairsWith returns the numbers that look like IOPS beside the disk's: in all loads that write, and in all that read.
func (r screen) pairsWith() (writes, reads []besides) {
	return r.each("WAL records", metric.WALRecords, metric.DeviceRequests, r.Loads.writing()),
		r.each("page reads", metric.PagesMissed, metric.DeviceReads, r.Loads.reading())
}

// loudest returns the largest wrong number of either side; none if the run has no such pair, or a cloud metric called
// IOPS comes first.
func (r screen) loudest() (rows []besides) {
	if misnamed(r.Metrics) != nil {
		return nil
	}
	writes, reads := r.pairsWith()
	for _, all := range [][]besides{writes, reads} {
		if len(all) > 0 {
			rows = append(rows, all[0])
		}
	}
	return rows
}

// tile returns the pair in large type.
func (b besides) tile() document.Tile {
	quiet := b.quiet.Between()
	if b.none() {
		quiet = "0"
	}
	return document.Tile{Of: b.name + " a second (" + b.load + ")", Loud: b.loud.Between(), Quiet: quiet,
		Said: "disk requests: " + b.factorText()}
}

// without names the loads without such a factor: the disk's part was not counted, or the number is lost in the
// background.
func without(loud metric.Quantity, counted []besides, loads []Load) string {
	loads = slices.DeleteFunc(slices.Clone(loads), func(a Load) bool {
		f := a.Of(loud)
		none := f.Known() && f.Highest <= figure.Resolution && !f.Lost()
		return none || slices.ContainsFunc(counted, func(b besides) bool { return b.load == a.Name })
	})
	if len(loads) == 0 || len(counted) == 0 {
		return ""
	}
	return "No factor of " + loud.Many() + " is known for " + words.Enumerated(Names(loads), " and ")
}

// factors says how far the factor varies between loads.
func factors(all []besides) string {
	if len(all) < 2 {
		return ""
	}
	least, most := slices.MinFunc(all, byFactor), slices.MaxFunc(all, byFactor)
	if least.none() || most.factor() <= steady*least.factor() {
		return map[bool]string{
			false: "The factor is much the same under the loads of this run, but another load may have another " +
				"factor."}[least.none()]
	}
	from, to := least.times().Factor(), most.times().Factor()
	if least.vague() {
		from = "more than " + number.AtLeast(least.factor())
	}
	switch {
	case most.none():
		return fmt.Sprintf("The factor depends on the load: %s (%s) and more, and under %s the disk did nothing. "+
			"No single factor converts them.", from, least.named(), most.load)
	case most.vague():
		to = "more than " + number.AtLeast(most.factor())
	}
	return fmt.Sprintf("The factor depends on the load, from %s (%s) to %s (%s): no single factor converts them.", from,
		least.named(), to, most.named())
}
