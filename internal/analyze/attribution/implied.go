package attribution

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// implied returns the bounds of a quantity in a load: as recorded, or as the work and the other records imply.
func (e *evidence) implied(quantity metric.Quantity, a int, use []int) bounds.Span {
	return e.done(a, use).Implies(quantity, func(quantity metric.Quantity) (bounds.Span, bool) {
		n, off, known := e.recorded(quantity, a, use)
		return bounds.Span{Lo: max(0, n-surely*off), Hi: n + surely*off}, known
	})
}

func (e *evidence) done(a int, use []int) bounds.Work {
	return bounds.Done(e.loads[a], use, e.run.Header.Target.Settings, e.onAurora())
}

// recorded returns the mean count of a quantity in a load, and the standard deviation that the background adds to all
// repetitions.
func (e *evidence) recorded(quantity metric.Quantity, a int, use []int) (mean, off float64, known bool) {
	c := e.columnOf(quantity)
	if c == nil {
		return 0, 0, false
	}
	n := 0.0
	for _, r := range use {
		if of := c[a][r]; of.missing == nil {
			mean, off, n = mean+of.value, off+of.shared, n+1
		}
	}
	return mean / n, off / n, n > 0
}

func (e *evidence) columnOf(quantity metric.Quantity) column {
	i := slices.IndexFunc(e.quantities, func(d counts.Quantity) bool { return d.Name == quantity })
	if i < 0 {
		return nil
	}
	return e.columns[i]
}

// ratios returns the ratios that a metric may keep to an unrecorded quantity, given its bounds in each load; empty if
// there are none. noise is the factor by which the metric's repetitions vary.
func (j *judge) ratios(y column, quantity metric.Quantity, noise float64) bounds.Span {
	s, blank := bounds.Anything(), j.blank(y)
	for a := range y {
		use := countedIn(y[a])
		if len(use) == 0 {
			continue
		}
		mean, of := meanOf(y[a], use), j.implied(quantity, a, use)
		slack := noise * math.Sqrt(j.options.Tolerance) // to either side
		s.Hi = min(s.Hi, mean*slack/of.Lo)
		if !blank[a] {
			s.Lo = max(s.Lo, mean/slack/of.Hi)
		}
	}
	return s
}

// unread returns the quantities that the run did not record, or lost in their own background, and that the metric may
// still count.
func (j *judge) unread(y column, rivals []held) (open []held) {
	if j.run.Observed != nil {
		return nil // nothing is known of an observation's loads
	}
	within, _ := leastWithin(slices.DeleteFunc(slices.Clone(rivals), func(h held) bool { return h.Status == Unknown }))
	if math.IsInf(within, 1) {
		within = 0
	}
	noise := math.Exp(twice * math.Sqrt(within))
	written := func(h held) bool { return h.Quantity.OfWrites() && h.recorded() && h.bounded(mostSpread) }
	reads := j.showsReads(y) && !slices.ContainsFunc(rivals, written)
	for _, h := range rivals {
		if reads && h.Status == Unknown && h.Quantity.OfWrites() {
			continue
		}
		ratios := j.ratios(y, h.Quantity, noise)
		if h.lost {
			ratios.Hi = min(ratios.Hi, h.most*noise*j.options.Tolerance)
		}
		lost := h.Status == Unknown && !j.absentByNature(h) || h.Status == Possible && h.lost
		if lost && !ratios.Empty() && !j.farFetched(y, h, rivals) {
			open = append(open, h)
		}
	}
	return open
}

// largeCount is a number of other programs' events that matters.
const largeCount = 100

// maxPerUnit returns the most that one unit of a counted quantity can add to the metric. It takes the load with the
// lowest ratio, background included, since the metric also counts what other programs do. busy reports that other
// programs did a lot while idle.
func (e *evidence) maxPerUnit(m counts.Metric, d counts.Quantity) (least float64, busy bool) {
	least = math.Inf(1)
	for i, load := range e.run.Loads {
		shown, done := 0.0, 0.0
		for k, r := range load.Repetitions {
			n, err := d.Count(load, e.raw().run.Loads[i].Repetitions[k])
			if raw, known := m.Raw(r); known && err == nil {
				shown, done = shown+raw, done+n
			}
		}
		if done >= 1 {
			least = min(least, shown/done)
		}
		busy = busy || load.Idle() && done >= largeCount*metric.Step(d.Unit)
	}
	return least, busy
}

// checkHidden leaves the side open if a quantity of another side may be much of the metric: one lost in the work of
// other programs, or, if few loads show more of the metric than those programs do, any.
func (tr *trial) checkHidden(v *Verdict) {
	if tr.run.Observed != nil {
		return
	}
	for _, h := range tr.rivals {
		kind := v.Kind.Or(Kind(h.Side))
		if kind == v.Kind || v.Kind == CannotTell || v.Kind == Mixed || h.impossible || !h.recorded() || h.Status == Itself {
			continue
		}
		if !h.lost && tr.fewLoadsShow() {
			h.most, h.busy = tr.maxPerUnit(tr.metric, tr.quantities[h.place])
		}
		if share, much := tr.largestShare(h); h.busy && share >= much {
			*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: kind, Why: fmt.Sprintf(
				"Up to %.0f%% of it may be %s, many of which others caused", 100*share, h.Quantity.Many())}
		}
	}
}

// fewLoadsShow reports whether few loads show the metric, and at least as many that do its work are lost in its
// background.
func (tr *trial) fewLoadsShow() bool {
	shown, hidden, blank, others := 0, 0, tr.blank, tr.unrelatedLoads(tr.y)
	for a := range tr.y {
		switch {
		case !isCounted(tr.y[a]), others[a]:
		case blank[a]:
			hidden++
		default:
			shown++
		}
	}
	return shown < fewestShown && hidden >= shown
}

// largestShare returns the largest share of the metric that a quantity may be, averaged over the loads that show it,
// and the share from which on that is much. A lost quantity may be as large as the background hides.
func (tr *trial) largestShare(h held) (share, much float64) {
	blank, n := tr.blank, 0.0
	for a := range tr.y {
		if !isCounted(tr.y[a]) || blank[a] {
			continue
		}
		n++
		if count, off, known := tr.recorded(h.Quantity, a, countedIn(tr.y[a])); known {
			if h.lost {
				count = surely * off
			}
			share += min(1, h.most*count/meanOf(tr.y[a], countedIn(tr.y[a])))
		}
	}
	if much = weighty; h.lost {
		much *= 2
	}
	return share / max(1, n), much
}

// absentByNature reports whether the server has no such quantity, as opposed to nobody having read it. Aurora has no
// device and no files of its own; it reads the missed pages from its storage. Its WAL has no page images, since its
// storage makes the pages (Verbitski et al., SIGMOD 2017).
func (e *evidence) absentByNature(h held) bool {
	if h.Quantity == metric.PagesWritten {
		return h.Why != nil && strings.HasPrefix(h.Why.Detail, "Aurora")
	}
	return e.onAurora() && slices.Contains([]metric.Quantity{metric.PageImages, metric.ReadCalls, metric.BytesAsked, metric.DeviceReads, metric.DeviceReadSize}, h.Quantity)
}
