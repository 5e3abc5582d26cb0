package collect

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// sourceState holds the known and the open periods of one source. Only periods entirely within the span are waited
// for; others are recorded as they come.
type sourceState struct {
	source  probe.Backfiller
	span    runfile.Stretch
	rules   Rules
	metrics map[string]*metric
	gaps    map[gapKind]bool
	failed  bool // the source is not asked any more
	periods int  // recorded
	left    int  // of these, unsettled
}

type gapKind struct {
	metric string
	reason runfile.Reason
	code   string
}

// metric holds one metric's periods. Its slots are the periods within the span, by number.
type metric struct {
	period  time.Duration
	first   time.Time
	slots   int
	tracks  map[string]*track // by statistic and dimensions
	present map[int]bool      // slots with data
	absent  map[int]time.Time // slots without data, and since when
	lost    map[int]bool      // slots given up
	gapped  bool              // the source has no data, or no more
	told    bool              // the file already says that slots are lost

	unanswered *runfile.Gap // the source's last failure to return it; nil: none
	asks       int          // failed requests
	asked      time.Time    // the last of them
}

// mostAsks is how often a collection asks in vain for a metric; the next collection asks again.
const mostAsks = 3

// hopeless reports whether to stop asking for the metric.
func (m *metric) hopeless() bool {
	return m.unanswered != nil && (m.unanswered.Reason == runfile.Permission || m.asks >= mostAsks)
}

// track is one statistic of one set of dimensions.
type track struct {
	settled map[int64]bool // by the period's begin
	open    map[int64]*reading
}

type reading struct {
	period   runfile.Period
	since    time.Time // first reading of this value
	recorded bool
}

func newSourceState(source probe.Backfiller, span runfile.Stretch, rules Rules) *sourceState {
	l := &sourceState{source: source, span: span, rules: rules, metrics: map[string]*metric{}, gaps: map[gapKind]bool{}}
	for _, m := range source.Metrics() {
		period := max(time.Duration(m.Period*float64(time.Second)), time.Millisecond)
		first := series.PeriodUp(span.From, period)
		l.metrics[m.Name] = &metric{
			period: period, first: first, slots: max(0, int(span.To.Sub(first)/period)),
			tracks: map[string]*track{}, present: map[int]bool{}, absent: map[int]time.Time{}, lost: map[int]bool{},
		}
	}
	return l
}

func (m *metric) slot(i int) runfile.Stretch {
	from := m.first.Add(time.Duration(i) * m.period)
	return runfile.Stretch{From: from, To: from.Add(m.period)}
}

func (m *metric) track(p runfile.Period) *track {
	key := p.Statistic + fmt.Sprint(p.Dimensions) // maps print in order of their keys
	if m.tracks[key] == nil {
		m.tracks[key] = &track{settled: map[int64]bool{}, open: map[int64]*reading{}}
	}
	return m.tracks[key]
}

// covers marks the slots of a period as known. A coarse period has several.
func (m *metric) covers(p runfile.Period) {
	for i := int(p.From.Sub(m.first) / m.period); i < m.slots && m.slot(i).From.Before(p.To); i++ {
		if i >= 0 && !m.slot(i).From.Before(p.From) {
			m.present[i] = true
			delete(m.absent, i)
		}
	}
}

// read adds a period's current value. It returns the period to be recorded if it has settled.
func (l *sourceState) read(p runfile.Period, now time.Time) (runfile.Period, bool) {
	m := l.metrics[p.Metric]
	if m == nil { // not announced; the file could not describe it
		return p, false
	}
	m.covers(p)
	t, begin := m.track(p), p.From.UnixNano()
	if t.settled[begin] {
		return p, false
	}
	known := t.open[begin]
	if known == nil || known.period.Value != p.Value || !known.period.To.Equal(p.To) {
		known = &reading{since: now}
		t.open[begin] = known
	}
	known.period = p
	if !l.rules.settled(p.To, known.since, now) {
		return p, false
	}
	delete(t.open, begin)
	t.settled[begin] = true
	p.Unsettled = false
	return p, true
}

// gap records the source's missing or refused data, and reports whether that is new. Only
// missing data counts as an answer.
func (l *sourceState) gap(g runfile.Gap, now time.Time) bool {
	for name, m := range l.metrics {
		switch {
		case g.Metric != "" && g.Metric != name:
		case g.Reason == runfile.Permission || g.Reason == runfile.Failed || g.Reason == runfile.Throttled:
			m.unanswered, m.asked = &g, now
			m.asks++
		default:
			m.gapped = true
		}
	}
	kind := gapKind{g.Metric, g.Reason, g.Code}
	fresh := !l.gaps[kind]
	l.gaps[kind] = true
	return fresh
}

// missed records the slots in a requested stretch without data.
func (l *sourceState) missed(s runfile.Stretch, now time.Time) {
	for _, m := range l.metrics {
		for i := range m.slots {
			slot := m.slot(i)
			if m.unanswered != nil || m.present[i] || m.lost[i] || slot.From.Before(s.From) || slot.To.After(s.To) {
				continue
			}
			if m.absent[i].IsZero() {
				m.absent[i] = now
			}
			if m.gapped || l.rules.settled(slot.To, m.absent[i], now) {
				m.lost[i] = true
				delete(m.absent, i)
			}
		}
	}
}

func (l *sourceState) whole(p runfile.Period) bool {
	return !p.From.Before(l.span.From) && !p.To.After(l.span.To)
}

// wanting calls each with every open period, and the earliest time at which it could settle.
func (l *sourceState) wanting(m *metric, each func(s runfile.Stretch, settles time.Time)) {
	for _, t := range m.tracks {
		for _, r := range t.open {
			if l.whole(r.period) {
				each(runfile.Stretch{From: r.period.From, To: r.period.To}, l.rules.settles(r.period.To, r.since))
			}
		}
	}
	for i := range m.slots {
		switch slot := m.slot(i); {
		case m.present[i] || m.lost[i] || m.gapped || m.hopeless():
		case m.unanswered != nil:
			each(slot, m.asked.Add(l.rules.Again))
		default:
			each(slot, l.rules.settles(slot.To, m.absent[i]))
		}
	}
}

// open returns the stretch of the open periods; false: none.
func (l *sourceState) open() (s runfile.Stretch, some bool) {
	for _, m := range l.metrics {
		l.wanting(m, func(w runfile.Stretch, _ time.Time) { s.Extend(w.From, w.To) })
	}
	return s, !s.From.IsZero()
}

// next returns when all open periods could have settled.
func (l *sourceState) next() (at time.Time, some bool) {
	for _, m := range l.metrics {
		l.wanting(m, func(_ runfile.Stretch, settles time.Time) { at, some = series.Later(settles, at), true })
	}
	return at, some
}

// unanswered returns the reasons for failed metrics, and their number.
func (l *sourceState) unanswered() (reasons []string, metrics int) {
	for _, name := range slices.Sorted(maps.Keys(l.metrics)) {
		if m := l.metrics[name]; m.unanswered != nil {
			metrics++
			if !slices.Contains(reasons, m.unanswered.Detail) {
				reasons = append(reasons, m.unanswered.Detail)
			}
		}
	}
	return reasons, metrics
}

// settled counts the metrics without open periods.
func (l *sourceState) settled() (settled, all int) {
	for _, m := range l.metrics {
		open := m.unanswered != nil
		l.wanting(m, func(runfile.Stretch, time.Time) { open = true })
		if !open {
			settled++
		}
	}
	return settled, len(l.metrics)
}

// unsettled returns the open periods, in order, whose last value is not in the file.
func (l *sourceState) unsettled() (all []runfile.Period) {
	l.left = 0
	for _, name := range slices.Sorted(maps.Keys(l.metrics)) {
		for _, key := range slices.Sorted(maps.Keys(l.metrics[name].tracks)) {
			t := l.metrics[name].tracks[key]
			for _, begin := range slices.Sorted(maps.Keys(t.open)) {
				r := t.open[begin]
				if l.whole(r.period) {
					l.left++
				}
				if !r.recorded {
					r.recorded, r.period.Unsettled = true, true
					all = append(all, r.period)
				}
			}
		}
	}
	return all
}

// lacking returns gaps for metrics with lost slots that the file does not mention yet.
func (l *sourceState) lacking(now time.Time) (all []runfile.Gap) {
	if gap, none := l.none(now); none {
		return []runfile.Gap{gap}
	}
	for _, name := range slices.Sorted(maps.Keys(l.metrics)) {
		m := l.metrics[name]
		if m.gapped || m.told || m.unanswered != nil || len(m.lost) == 0 {
			continue
		}
		first := m.slot(slices.Min(slices.Collect(maps.Keys(m.lost)))).From
		gap := runfile.Gap{At: now, Probe: l.source.Name(), Metric: name, Reason: runfile.Late}
		gap.Detail = fmt.Sprintf("%s of its %s periods never came, the first at %s", printable.Count(len(m.lost)),
			printable.Count(m.slots), first.Format(time.RFC3339))
		if len(m.lost) == m.slots {
			gap.Reason, gap.Detail = runfile.Unsupported, "no data for the time of the run"
		}
		m.told = true
		all = append(all, gap)
	}
	return all
}

// none returns the gap of a source that answered without any data, which is not an answer either.
func (l *sourceState) none(now time.Time) (runfile.Gap, bool) {
	some := len(l.metrics) == 0
	for _, m := range l.metrics {
		some = some || len(m.present) > 0 || m.gapped || m.told || m.unanswered != nil ||
			len(m.lost) < m.slots || m.slots == 0
	}
	if some {
		return runfile.Gap{}, false
	}
	gap := runfile.Gap{
		At: now, Probe: l.source.Name(), Reason: runfile.Failed, Code: "nothing",
		Detail: fmt.Sprintf("%s returned no data of any of %d metrics for the time of the run", l.source.Name(),
			len(l.metrics)),
	}
	return gap, l.gap(gap, now)
}

// Rules decide when a source's value is final. All times are by the source's clock.
type Rules struct {
	// Ripe is the shortest time from a period's end to the later of two readings that agree.
	// Corrections have come ten minutes late.
	Ripe time.Duration
	// Apart is the shortest time between two readings that agree.
	Apart time.Duration
	// Old is the age of a period from which one reading is enough.
	Old time.Duration
	// Again is when to ask again for a metric that the source failed to return.
	Again time.Duration
	// Patience bounds a collection after the end of its data's time.
	Patience time.Duration
}

// DefaultRules returns the rules for CloudWatch and Performance Insights.
func DefaultRules() Rules {
	return Rules{Ripe: 12 * time.Minute, Apart: 2 * time.Minute, Old: time.Hour, Again: 15 * time.Second,
		Patience: 40 * time.Minute}
}

// Faster returns the rules for a source whose clock runs factor times as fast as ours.
func (r Rules) Faster(factor float64) Rules {
	quick := func(d time.Duration) time.Duration { return time.Duration(float64(d) / factor) }
	return Rules{Ripe: quick(r.Ripe), Apart: quick(r.Apart), Old: quick(r.Old), Again: quick(r.Again),
		Patience: quick(r.Patience)}
}

// settles returns when another reading would settle a period that ended at end and has had the same value since.
func (r Rules) settles(end, since time.Time) time.Time {
	return series.Later(end.Add(r.Ripe), since.Add(r.Apart))
}

// settled reports whether a reading now settles a period that ended at end and has had the same value since.
func (r Rules) settled(end, since, now time.Time) bool {
	return !now.Before(end.Add(r.Old)) || !now.Before(r.settles(end, since))
}
