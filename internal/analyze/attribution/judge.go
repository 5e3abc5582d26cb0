package attribution

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Judge decides what each metric of a run counts.
func Judge(run *counts.Run, options Options) Verdicts {
	j := &judge{evidence: newEvidence(run), options: options.forRun(run)}
	known := slices.Concat(j.quantities, counts.OfInserts())
	metrics := slices.DeleteFunc(run.Metrics(), func(m counts.Metric) bool { return !j.wanted(m, known) })
	all := Verdicts{Metrics: AtOnce(metrics, func(m counts.Metric) Verdict { return j.over(m).settled(m) })}
	for _, name := range options.Asked {
		if !slices.ContainsFunc(all.Metrics, func(v Verdict) bool { return v.Metric.Name == name }) {
			all.Metrics = append(all.Metrics, Verdict{
				Metric: runfile.Metric{Name: name}, Kind: CannotTell, Why: "This run did not read " + name,
			})
		}
	}
	if run.Observed != nil && run.Observed.Period > 0 {
		for i, v := range all.Metrics { // the yardsticks are no more certain than the rest
			if v.Why == "" || v.Kind != CannotTell {
				all.Metrics[i] = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: CannotTell, Why: OnlyPeriods}
			}
		}
	}
	slices.SortFunc(all.Metrics, func(a, b Verdict) int { return cmp.Compare(a.Metric.Name, b.Metric.Name) })
	all.Warnings = warnings{j.evidence, j.options}.list()
	return all
}

// AtOnce calls of for each metric, on all processors, and returns the results in the order of the metrics. Calls must
// be independent.
func AtOnce[T any](metrics []counts.Metric, of func(counts.Metric) T) []T {
	all := make([]T, len(metrics))
	var next atomic.Int64
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(metrics)) {
		working.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(metrics)); i = next.Add(1) - 1 {
				all[i] = of(metrics[i])
			}
		})
	}
	working.Wait()
	return all
}

// over returns the judge for the run as the metric saw it, with its lag and periods.
func (j *judge) over(m counts.Metric) *judge {
	run, view := j.run.Over(m.Name)
	if run == j.run {
		return j
	}
	over := &judge{evidence: newEvidence(run), options: j.options, view: view, whole: j.columns}
	if view.Lag > 0 { // so late that it may be silent for lack of whole repetitions
		if late, _ := over.silent(m, over.stepOf(m)); late != "" {
			return j
		}
	}
	return over
}

// wanted leaves out trivial verdicts, such as that WAL records count WAL records.
func (j *judge) wanted(m counts.Metric, known []counts.Quantity) bool {
	if len(j.options.Asked) > 0 {
		return slices.Contains(j.options.Asked, m.Name)
	}
	return !slices.ContainsFunc(known, func(d counts.Quantity) bool {
		return d.Side == counts.Logical && intersect(d.From, m.From) && !m.PartOf(d)
	})
}

// settled returns the verdict on a metric. If the background hides the metric, and the run cannot tell what it counts,
// it judges with nothing taken off, because a counter counts the background's share, too. Then only a single counter can
// be named.
func (j *judge) settled(m counts.Metric) Verdict {
	step := j.stepOf(m)
	v := j.verdict(m, step)
	if v.Kind != CannotTell || j.run.Observed != nil || j.run.Idle.Repetitions == 0 || !j.hidden(m, step) {
		return v
	}
	raw := &judge{evidence: j.raw(), options: j.options, view: j.view}
	if moves := raw.moves(raw.column(m, m.From, step)); moves.Lo < math.Log(j.options.Tolerance) {
		return v // it keeps its ratio to any other steady background
	}
	all := raw.verdict(m, step)
	i := slices.IndexFunc(raw.quantities, func(d counts.Quantity) bool { return d.Name == all.Counts })
	if i < 0 || len(raw.quantities[i].From) == 0 || intersect(m.From, raw.quantities[i].From) {
		return v
	}
	all.Warnings = append(all.Warnings, v.Warnings...)
	return all
}

// hidden reports whether the background hides what loads did to a metric.
func (j *judge) hidden(m counts.Metric, step float64) bool {
	y := j.column(m, m.From, step)
	return y.whole() == nil && len(j.background(m))+len(j.belowBackground(m, y)) > 0
}

func (j *judge) verdict(m counts.Metric, step float64) Verdict {
	v := Verdict{Metric: m.Metric, Derived: m.Derived, Kind: CannotTell}
	y := j.column(m, m.From, step)
	y.addChance(step)
	if why := y.whole(); why != nil {
		v.Why = uncounted + why.Error()
		switch why.Reason {
		case counts.NotMoved:
			v.Why = "The source did not change during these loads: " + why.Detail
		case counts.InSteps:
			v.Why = capital(why.Detail)
		}
		return v
	}
	if kind, why := j.silent(m, step); kind != "" {
		v.Kind, v.Why = kind, why
		if kind == CannotTell {
			j.documentedSide(&v)
		}
		return v
	}
	tr := &trial{judge: j, metric: m, y: y, blank: j.blank(y)}
	tr.rivals = j.rivals(m, y, tr.blank)
	return tr.outcome(v)
}

func (tr *trial) outcome(v Verdict) Verdict {
	if d, own := tr.source(tr.metric); own {
		tr.define(&v, d)
	} else {
		tr.decide(&v)
		switch {
		case tr.run.Observed != nil:
			tr.restrain(&v)
		case v.Kind == CannotTell && len(v.Between) == 0 && tr.part(tr.metric.Name) == "":
			tr.followIndexEntries(&v)
		}
		tr.checkHidden(&v)
		tr.forceDeviceKind(&v)
		tr.documentedSide(&v)
		tr.withoutPageCache(&v)
		tr.neverRead(&v)
	}
	v.ToDevice = tr.toDevice(v, tr.y)
	for _, h := range tr.rivals {
		v.Rivals = append(v.Rivals, h.Rival)
	}
	v.Warnings = append(v.Warnings, tr.cautions(v)...)
	return v
}

// forceDeviceKind makes the kernel's counters of a disk physical, whatever database work they grow with, and drops
// logical terms if the plainest sum without them fits.
func (tr *trial) forceDeviceKind(v *Verdict) {
	if !metric.OfDevice(v.Metric.Name) || v.Kind == Silent {
		return
	}
	logical := func(h held) bool { return h.Side == counts.Logical }
	said := slices.DeleteFunc(slices.Clone(tr.rivals), func(h held) bool {
		return !slices.Contains(v.named(), h.Quantity) && !v.Mixture.has([]metric.Quantity{h.Quantity})
	})
	if slices.ContainsFunc(said, logical) {
		t, best := tr.explanation(slices.DeleteFunc(slices.Clone(tr.rivals), logical))
		if math.Exp(best.predictionError) <= mostErrorAlike {
			*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: Physical}
			tr.explain(v, t, best)
		}
	}
	if v.Kind == Logical || v.Kind == Requested || v.Kind == Mixed {
		v.Kind = Physical
	}
}

// withoutPageCache leaves open, on Aurora, whether a metric that follows requested reads counts requests or reads:
// Aurora has no page cache, and nobody counts the reads of its storage. PostgreSQL's own counters count requests.
func (j *judge) withoutPageCache(v *Verdict) {
	counts := slices.ContainsFunc(v.named(), func(name metric.Quantity) bool { return slices.Contains(readsAsked(), name) }) || v.Mixture.has(readsAsked())
	nameless := len(v.named()) == 0 && v.Mixture == nil
	if v.Kind != Requested || !counts && !nameless || !j.onAurora() || j.part(v.Metric.Name) != "" || metric.All().Row(v.Metric.Name).Asked {
		return
	}
	v.Kind = NotLogical
	v.Warnings = append(v.Warnings, Warning{"no-page-cache", "Aurora has no page cache, so each page asked of " +
		"storage is read there, unless a local disk has it (Optimized Reads)"})
}

// neverRead withdraws the verdict on a counter that also counts blocks read, if all loads only added rows: that it
// follows their writes is a coincidence.
func (j *judge) neverRead(v *Verdict) {
	reads := func(a counts.Load) bool { return !bounds.Inserts(a.Load) }
	stated := v.Kind != CannotTell && v.Kind != Silent
	if stated && metric.All().Row(v.Metric.Name).AlsoReads && !slices.ContainsFunc(j.loads, reads) {
		*v = Verdict{
			Metric: v.Metric, Derived: v.Derived, Kind: CannotTell,
			Why: "It also counts blocks read, and every load only added rows, so that it follows writes is a " +
				"coincidence",
		}
	}
}

// documentedSide forces a counter of PostgreSQL's to its documented side: that of the quantity it counts a part of, or
// requested. The size of the part, such as the share of index pages, is no quantity, so any fit to one was chance.
func (j *judge) documentedSide(v *Verdict) {
	whole := j.part(v.Metric.Name)
	i := slices.IndexFunc(j.quantities, func(d counts.Quantity) bool { return d.Name == whole })
	documented := Verdict{Metric: v.Metric, Derived: v.Derived, Rivals: v.Rivals}
	switch {
	case i >= 0:
		documented.Kind, documented.Between = Kind(j.quantities[i].Side), []metric.Quantity{whole}
		documented.Warnings = append(documented.Warnings, Warning{"part-of", "PostgreSQL's manual says that it " +
			"counts some of the " + whole.Many()})
	case metric.All().Row(v.Metric.Name).Asked:
		documented.Kind = Requested
		documented.Why = "Documented as requests to the operating system, and no quantity explains their number"
	default:
		return
	}
	tooFew := v.Kind == CannotTell && len(j.loads) < fewestLoads // to contradict the documentation
	if v.Kind != Silent && v.Kind != documented.Kind && !tooFew {
		*v = documented
	}
}

// part returns the quantity of which PostgreSQL's manual says that the metric counts some.
func (e *evidence) part(name string) metric.Quantity {
	return metric.All().Part(name, metric.VersionNum(e.run.Header.Target.Version))
}

func (j *judge) rivals(m counts.Metric, y column, blank []bool) []held {
	all := make([]held, 0, len(j.quantities))
	for place, d := range j.quantities {
		h := j.against(y, j.columns[place], blank,
			held{Rival: Rival{Quantity: d.Name, Side: d.Side, Modelled: d.Modelled}, place: place})
		h.takeBack(y, j.columns[place])
		switch {
		case intersect(m.From, d.From):
			h.Status, h.Why = Itself, nil
		case h.Spread != nil &&
			(metric.WritesAlone(m.Name) && d.Name.OfReads() || neverDone(y, j.columns[place], blank)):
			h.Status, h.impossible = Excluded, true
		case j.lost(j.columns[place], blank):
			h.lost = true
			h.most, h.busy = j.maxPerUnit(m, d)
		}
		all = append(all, h)
	}
	return all
}

// judge holds what the judgement of all metrics shares.
type judge struct {
	*evidence
	options Options
	view    counts.View
	whole   []column // the quantities' columns over whole repetitions, if the view covers a part of each
}

// trial is the judgement of one metric: its counts, and how each quantity compares.
type trial struct {
	*judge
	metric counts.Metric
	y      column
	blank  []bool // by load: shows nothing of the metric
	rivals []held
}

// Options sets the tolerance and the confidence of verdicts. The zero value means the defaults.
type Options struct {
	Tolerance float64  // the factor by which a ratio may move from load to load; 0: DefaultTolerance
	Level     float64  // of all intervals; 0: DefaultLevel
	Asked     []string // only these metrics; nil: all
}

// Defaults of the options.
const (
	DefaultTolerance = 1.10
	DefaultLevel     = 0.95
)

// forRun fills in defaults, also for invalid values. Observations get a higher confidence level, because nobody
// controlled the load.
func (o Options) forRun(run *counts.Run) Options {
	if run.Observed != nil && o.Level == 0 {
		o.Level = observedLevel
	}
	if !(o.Tolerance > 1) {
		o.Tolerance = DefaultTolerance
	}
	if !(o.Level > 0 && o.Level < 1) {
		o.Level = DefaultLevel
	}
	return o
}
