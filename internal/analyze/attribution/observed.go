package attribution

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// In an observation the windows of one kind of load stand in for a load. Nobody chose these loads: quantities may run
// together for reasons of their own, or with work that no quantity counts. So more evidence is needed.
const (
	// observedLevel is the default confidence level.
	observedLevel = 0.99
	// parted is the factor by which the ratio to each quantity of the other side must move between loads. The interval
	// must also exclude the tolerance.
	parted = 1.3
	// steady is the factor below which a rate does not surely move between loads. If the metric is steady, equality
	// with a quantity is still evidence, but a constant ratio to a steady quantity is none, and takes the tolerance.
	steady = 1.03
)

// Reasons for no verdict on an observation: all windows are alike, or nothing was counted beside the periods.
const (
	OneLoad     = "The load varied too little to tell what it counts"
	OnlyPeriods = "The server's own counts for these periods are unknown"
)

// restrain withdraws verdicts for which an observation lacks the evidence. It states no sums, since two or three of a
// dozen quantities add up to nearly anything in loads that nobody chose. It names a quantity only if all of the other
// side clearly vary against the metric. It names a logical one only at a ratio of one, since storage work may be
// proportional to rows, too.
func (tr *trial) restrain(v *Verdict) {
	if len(tr.loads) < 2 && v.Kind != Silent {
		*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: CannotTell, Why: OneLoad}
		if tr.run.Observed.Period > 0 {
			v.Why = OnlyPeriods
		}
		return
	}
	if ones := tr.oneForOne(v.Metric); len(ones) > 0 && v.Kind != Silent && (v.Mixture != nil || len(v.named()) == 0) {
		*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: Kind(ones[0].Side)}
		for _, h := range ones {
			v.Between = append(v.Between, h.Quantity)
		}
		if len(ones) == 1 {
			v.Counts, v.PerUnit, v.Between = ones[0].Quantity, ones[0].Ratio, nil
		}
		return
	}
	if v.Kind == CannotTell || v.Kind == Silent {
		v.SettleWith = cmp.Or(v.SettleWith, tr.settle(v.Between))
		return
	}
	why := tr.unproved(v)
	if why == "" {
		v.widen(tr.rivals)
		return
	}
	left := v.named()
	*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: CannotTell, Between: left, Why: why, SettleWith: tr.settle(left)}
}

// oneForOne returns the quantities of one side that equal the metric in every kind of load, provided that time and all
// quantities of the other side are excluded. A sum that fits better is no objection: there are hundreds of sums.
func (tr *trial) oneForOne(m runfile.Metric) (ones []held) {
	for _, h := range tr.rivals {
		if h.bounded(mostSpread) && tr.oneToOne(m, h) && tr.isOne(h.Ratio) && (h.Status != Excluded || h.Beaten != "") {
			ones = append(ones, h)
		}
	}
	if len(ones) == 0 || tr.moves(tr.y).Lo <= math.Log(steady) {
		return nil
	}
	named := len(ones)
	for _, h := range tr.rivals {
		switch open := h.Status != Excluded || h.Beaten != ""; {
		case h.Status == Unknown || h.Status == Itself:
		case h.Side != ones[0].Side && open:
			return nil
		case h.Side == ones[0].Side && (open || h.Spread.Value < parted) && !slices.ContainsFunc(ones[:named], func(o held) bool { return o.place == h.place }):
			ones = append(ones, h) // the loads do not tell it from those named
		}
	}
	return ones
}

// widen restores the quantities of the same side that only likelihood excluded: in loads that nobody chose, a better
// fit is no proof.
func (v *Verdict) widen(rivals []held) {
	named := slices.Clone(v.named())
	for _, h := range rivals {
		if string(h.Side) == string(v.Kind) && h.Beaten != "" && !slices.Contains(named, h.Quantity) {
			named = append(named, h.Quantity)
		}
	}
	if len(named) > 1 {
		v.Counts, v.PerUnit, v.Exact, v.Between = "", nil, false, named
	}
}

// unproved says what evidence a verdict lacks in an observation; empty if none.
func (tr *trial) unproved(v *Verdict) string {
	if v.Mixture != nil || len(v.named()) == 0 {
		return "A sum of quantities comes close, but an uncontrolled load cannot prove it"
	}
	names := v.named()
	one := slices.ContainsFunc(tr.rivals, func(h held) bool {
		return string(h.Side) == string(v.Kind) && slices.Contains(names, h.Quantity) && tr.oneToOne(v.Metric, h) && tr.isOne(h.Ratio)
	})
	if !one && !slices.ContainsFunc(tr.rivals, func(h held) bool { return h.Status == Consistent && slices.Contains(names, h.Quantity) }) {
		return fmt.Sprintf("Its ratio to %s is not 1.00 and may vary: statements, which an observation does not "+
			"count, may fit as well", conjoined(names))
	}
	for _, h := range tr.rivals {
		switch {
		case string(h.Side) == string(v.Kind) && slices.Contains(names, h.Quantity):
			if len(h.loads) < fewestLoads {
				return fmt.Sprintf("It keeps its ratio to %s, but only in %s of load", h.Quantity.Many(), printable.Counted(len(h.loads), "kind"))
			}
		case string(h.Side) != string(v.Kind) && h.Status != Unknown && h.Status != Itself:
			far := h.Beaten == "" && h.Spread != nil && h.Spread.Value >= parted
			if h.Status != Excluded || !far && (!one || tr.oneToOne(v.Metric, h)) {
				return fmt.Sprintf("It keeps its ratio to %s, but these loads do not separate %s from %s", conjoined(names), conjoined(names), h.Quantity.Many())
			}
		}
	}
	if spread := tr.moves(tr.y); spread.Lo <= math.Log(steady) || !one && (spread.Lo <= math.Log(tr.options.Tolerance) || spread.Value < math.Log(parted)) {
		return fmt.Sprintf("It keeps its ratio to %s, but its rate hardly changes, as if the load did not cause "+
			"it", conjoined(names))
	}
	if v.Kind == Logical && !one {
		return fmt.Sprintf("Its ratio to %s is steady but not 1.00: under an uncontrolled load, storage may keep "+
			"such a ratio, too", conjoined(names))
	}
	return ""
}

// moves returns the factor, as a logarithm, by which the rate of a metric varies between kinds of load. Anything steady
// keeps a ratio to time.
func (j *judge) moves(y column) stats.Interval {
	var logs [][]stats.Value
	for _, load := range y {
		var values []stats.Value
		for _, c := range load {
			if c.missing == nil && c.seconds > 0 {
				values = append(values, stats.Value{X: math.Log(c.value / c.seconds), Var: c.relative()})
			}
		}
		if len(values) > 0 {
			logs = append(logs, values)
		}
	}
	if len(logs) < 2 {
		return stats.Interval{}
	}
	return grouped(logs, make([]float64, len(logs))).Between(j.options.Level)
}

// besidesLoad is how far a ratio of one is off for the work beside the load.
const besidesLoad = 1.05

// isOne reports whether a ratio is one, apart from work beside the load, and within the tolerance.
func (j *judge) isOne(e *Estimate) bool {
	return e != nil && e.Lo <= besidesLoad && e.Hi >= 1/besidesLoad && e.Lo*j.options.Tolerance > 1 && e.Hi < j.options.Tolerance
}
