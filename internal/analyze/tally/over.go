package tally

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/lag"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// viewer counts a run as a metric saw it.
type viewer struct {
	*builder
	moving  sync.Map // when each counter moves, cached
	counted sync.Map // the counts of repetitions in some stretches, cached: many metrics have the same periods
	stays   func() []stay
	loads   func() *lag.Loads
}

func newViewer(b *builder) *viewer {
	v := &viewer{builder: b}
	v.stays = sync.OnceValue(v.findStays)
	v.loads = sync.OnceValue(v.findLoads)
	return v
}

// Over recounts the run if the metric covers other times than the repetitions.
func (v *viewer) Over(metric string) (*counts.Run, counts.View) {
	m, known := v.run.Counter(metric)
	if !known {
		return v.run, counts.View{}
	}
	if m.Type != runfile.Counter {
		if run, ok := v.overStretches(metric, v.stretched[metric]); ok {
			return run, counts.View{Periods: true}
		}
		return v.run, counts.View{}
	}
	moves := v.moves(metric)
	if p := moves.pulse; p.apart > 0 {
		if len(p.steps) >= fewestSteps-1 {
			if run, ok := v.overStretches(metric, p.steps); ok {
				return run, counts.View{Stepped: p.apart}
			}
		}
		return v.tooShort(metric, p), counts.View{Stepped: p.apart}
	}
	if moves.lag > 0 {
		return v.later(metric, v.Series(metric), moves.lag), counts.View{Lag: moves.lag}
	}
	return v.run, counts.View{}
}

// moves says when a counter moves.
type moves struct {
	pulse pulse
	lag   time.Duration // of a counter that moves at any time
}

// moves returns when a counter moves. The result is cached, because the search for a lag is slow.
func (v *viewer) moves(metric string) moves {
	if known, ok := v.moving.Load(metric); ok {
		return known.(moves)
	}
	s := v.Series(metric)
	split := v.split(s) // most counters move neither in steps nor late, and there are many
	m := moves{pulse: v.pulse(s, split)}
	if m.pulse.apart == 0 {
		m.lag = v.lag(s, split)
	}
	v.moving.Store(metric, m)
	return m
}

// tooShort returns the run without counts of a metric whose steps are longer than the loads.
func (v *viewer) tooShort(metric string, p pulse) *counts.Run {
	missing := &series.Missing{Reason: counts.InSteps, Detail: fmt.Sprintf(
		"it moves every %s: loads of %s would tell", seconds(p.apart), seconds(counts.StepsInLoad*p.apart))}
	if p.once > 0 {
		missing.Detail = fmt.Sprintf("it moved once in the run, by %s: if it moves every %s or later, loads of %s or "+
			"longer would tell", number.Grouped(p.once, 0), seconds(p.apart), seconds(counts.StepsInLoad*p.apart))
	}
	run := *v.run
	run.Narrowed, run.Idle = true, unknownOf(run.Idle, metric)
	run.Loads = slices.Clone(run.Loads)
	for i, load := range run.Loads {
		run.Loads[i].Repetitions = slices.Clone(load.Repetitions)
		for k, r := range load.Repetitions {
			r.Counts, r.Variants = maps.Clone(r.Counts), nil // without the metric there is nothing to vary
			r.Counts[metric] = counts.Count{Missing: missing}
			run.Loads[i].Repetitions[k] = r
		}
	}
	return &run
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) }

// rebuilt returns the run with the repetitions that change returns, with counts of their own.
func (v *viewer) rebuilt(change func(a *attempt, idle bool, r counts.Repetition) counts.Repetition) *counts.Run {
	run := *v.run
	run.Loads = slices.Clone(v.run.Loads)
	for i := range run.Loads {
		load := &run.Loads[i]
		load.Repetitions = slices.Clone(load.Repetitions)
		for k, r := range load.Repetitions {
			r.Variants = nil
			load.Repetitions[k] = change(v.byKey[attemptKey{load.Name, r.Number}], load.Idle(), r)
		}
	}
	run.TakeOffBackground(0) // verdicts do not use variants
	run.Narrowed = true
	return &run
}

// overStretches counts everything over a metric's stretches that touch one repetition and no other. ok is false if the
// file does not show the work in them.
func (v *viewer) overStretches(metric string, stretches []stretch) (run *counts.Run, ok bool) {
	told, counted := 0, 0
	run = v.rebuilt(func(a *attempt, idle bool, r counts.Repetition) counts.Repetition {
		if missing := r.Counts[metric].Missing; a == nil || a.untimed() || missing != nil &&
			(missing.Reason == counts.Elsewhere || missing.Reason == counts.NotMoved) {
			r.Counts = maps.Clone(r.Counts)
			return r
		}
		from, to := r.Begin, r.End
		if !idle {
			from = a.clients.from
		}
		windows, count := v.periodsOf(a, stretches, from, to)
		r = v.recounted(a, idle, r, windows)
		if count.Missing == nil && !idle {
			count.Seconds = 0
			for _, w := range windows {
				count.Seconds += w.seconds()
			}
			told++
			if v.anyCounted(r, metric) {
				counted++
			}
			if r.Work.Rows <= 0 && r.Work.Transactions <= 0 {
				count = counts.Count{
					Missing: &series.Missing{
						Reason: counts.NoPeriod, Detail: "no load was recorded in the periods of its source"}}
			}
		}
		r.Counts[metric] = count
		return r
	})
	return run, told > 0 && 2*counted >= told
}

// periodsOf returns the stretches that touch this repetition and lie between the other ones, consecutive ones merged,
// and the amount in them.
func (v *viewer) periodsOf(a *attempt, all []stretch, from, to time.Time) (windows []stretch, count counts.Count) {
	earliest, latest := v.alone(a)
	open := false
	for _, s := range between(all, earliest, latest) {
		switch {
		case !s.to.After(from) || !s.from.Before(to) || a.countedAcross(s):
			continue
		case s.open:
			open = true
			continue
		case !(s.amount >= 0):
			return nil, counts.Count{Missing: &series.Missing{Reason: series.Reason(runfile.Failed),
				Detail: "its source reports a negative count for a period"}}
		}
		count.Raw += s.amount
		count.Seconds += s.seconds()
		if n := len(windows); n > 0 && windows[n-1].to.Equal(s.from) {
			windows[n-1].to = s.to
			continue
		}
		windows = append(windows, s)
	}
	switch {
	case len(windows) == 0 && open:
		count.Missing = &series.Missing{Reason: counts.Unsettled,
			Detail: "its source may still change its values: realiops aws collect asks again"}
	case len(windows) == 0:
		count.Missing = &series.Missing{Reason: counts.NoPeriod, Detail: "no whole period of its source lies inside"}
	}
	count.Amount = count.Raw
	return windows, count
}

// countedIn returns the rows of the load's table that were counted one by one in the stretches. This counting is our
// work, too.
func (a *attempt) countedIn(windows []stretch) int64 {
	for _, w := range windows {
		if from, to := a.counting(); from.Before(w.to) && to.After(w.from) {
			return a.proof.Rows
		}
	}
	return 0
}

// countedAcross reports whether an unknown number of rows was counted in a stretch: the counting crossed an end of it,
// or did not finish.
func (a *attempt) countedAcross(s stretch) bool {
	from, to := a.counting()
	return from.Before(s.to) && to.After(s.from) && (from.Before(s.from) || to.After(s.to) || a.proof.Missing != "")
}

// counting returns the time in which the rows of the load's table were counted one by one.
func (a *attempt) counting() (from, to time.Time) {
	if a.proof == nil || a.proof.Counter != "" {
		return time.Time{}, time.Time{}
	}
	return a.proof.At, a.proof.At.Add(time.Duration(a.proof.Took * float64(time.Second)))
}

// alone returns the time around an attempt in which no other one ran.
func (v *viewer) alone(a *attempt) (from, to time.Time) {
	to = a.ends[0].Add(1000 * time.Hour)
	for _, other := range v.attempts {
		if other == a || len(other.begins) == 0 {
			continue
		}
		begin, end := other.begins[0], other.begins[0]
		if len(other.ends) > 0 {
			end = other.ends[0]
		}
		if other.clients.lines > 0 && other.clients.to.After(end) {
			end = other.clients.to
		}
		if !end.After(a.begins[0]) && end.After(from) {
			from = end
		}
		if !begin.Before(a.ends[0]) && begin.Before(to) {
			to = begin
		}
	}
	return from, to
}

// recounted returns a repetition with the counters and the work of some stretches.
func (v *viewer) recounted(a *attempt, idle bool, r counts.Repetition, windows []stretch) counts.Repetition {
	r.Counts, r.Log, r.Quiet = v.countsIn(a, r, windows), nil, nil
	if idle {
		return r
	}
	part := 0.0
	if a.clients.all > 0 {
		for _, w := range windows {
			part += a.clients.workIn(w.from, w.to) / a.clients.all
		}
	}
	r.Work = times(r.Work, part)
	r.Work.Counted = sum(r.Work.Returned, a.countedIn(windows)) - r.Work.Returned // it is added to Returned
	r.Seconds *= part
	return r
}

// countsIn returns the counts of a repetition in some stretches.
func (v *viewer) countsIn(a *attempt, r counts.Repetition, windows []stretch) map[string]counts.Count {
	type place struct {
		of     *attempt
		bounds string
	}
	var bounds []byte
	for _, w := range windows {
		bounds = binary.AppendVarint(binary.AppendVarint(bounds, w.from.UnixNano()), w.to.UnixNano())
	}
	in := place{a, string(bounds)}
	if known, ok := v.counted.Load(in); ok {
		return maps.Clone(known.(map[string]counts.Count))
	}
	all := map[string]counts.Count{}
	for name, count := range r.Counts {
		if m, known := v.run.Counter(name); !known || m.Type != runfile.Counter {
			count.Amount = count.Raw
			all[name] = count
			continue
		}
		all[name] = inWindows(v.Series(name), windows)
	}
	v.counted.Store(in, all)
	return maps.Clone(all)
}

func inWindows(s series.Series, windows []stretch) (c counts.Count) {
	variance := 0.0
	for _, w := range windows {
		amount, err := s.Between(w.from, w.to, series.Coarse(w.to.Sub(w.from)))
		if err != nil {
			return counts.Count{Missing: counts.WhyMissing(err)}
		}
		c.Raw += amount
		c.Seconds += w.seconds()
		variance += unevenness(s, w.from) + unevenness(s, w.to)
	}
	if len(windows) == 0 {
		return counts.Count{
			Missing: &series.Missing{Reason: counts.NoPeriod, Detail: "no whole period of the metric's source lies inside"}}
	}
	c.Amount, c.Error = c.Raw, math.Sqrt(variance)
	return c
}

// unevenness returns the variance of a counter's value interpolated at a moment between two readings: the squared
// distance to the value that the rate before the first reading, or after the second, would give.
func unevenness(s series.Series, t time.Time) float64 {
	before, after, ok := s.Around(t)
	if !ok || !after.At.After(before.At) {
		return 0
	}
	seconds := after.At.Sub(before.At).Seconds()
	evenly := before.Value + (after.Value-before.Value)*t.Sub(before.At).Seconds()/seconds
	most := max(evenly-before.Value, after.Value-evenly) // if there is no reading before, or after
	off := [2]float64{most, most}
	if earlier, _, ok := s.Around(before.At.Add(-1)); ok {
		rate := (before.Value - earlier.Value) / before.At.Sub(earlier.At).Seconds()
		off[0] = evenly - min(after.Value, before.Value+rate*t.Sub(before.At).Seconds())
	}
	if _, later, ok := s.Around(after.At.Add(1)); ok {
		rate := (later.Value - after.Value) / later.At.Sub(after.At).Seconds()
		off[1] = evenly - max(before.Value, after.Value-rate*after.At.Sub(t).Seconds())
	}
	return max(off[0]*off[0], off[1]*off[1])
}

// anyCounted reports whether another counter than but was counted.
func (v *viewer) anyCounted(r counts.Repetition, but string) bool {
	for name, count := range r.Counts {
		if m, _ := v.run.Counter(name); name != but && m.Type == runfile.Counter && count.Missing == nil {
			return true
		}
	}
	return false
}

// mostDoubt is the share of a count that may depend on interpolation.
const mostDoubt = 0.1

// later returns the run with a metric counted later by its lag: from the pause before a repetition to the pause after
// it.
func (v *viewer) later(metric string, s series.Series, lag time.Duration) *counts.Run {
	var amounts []float64
	for change, err := range s.Changes(time.Time{}, farFuture) {
		if err == nil {
			amounts = append(amounts, change.Amount)
		}
	}
	by, _ := stats.Divisor(amounts)
	return v.rebuilt(func(a *attempt, _ bool, r counts.Repetition) counts.Repetition {
		r = r.AsRead()
		r.Quiet = nil
		if a == nil {
			return r
		}
		before, after := v.alone(a)
		if before.IsZero() {
			before = r.Begin.Add(-time.Second)
		}
		if second := r.End.Add(time.Second); !after.Before(second) {
			after = second
		}
		from, doubtFrom, fromErr := inPause(s, before.Add(lag), r.Begin.Add(lag))
		to, doubtTo, toErr := inPause(s, r.End.Add(lag), after.Add(lag))
		change, err := s.Between(from.At, to.At, series.Coarse(0))
		switch err := errors.Join(fromErr, toErr, err); {
		case err != nil:
			r.Counts[metric] = counts.Count{Missing: counts.WhyMissing(err)}
		case doubtFrom+doubtTo > mostDoubt*change && doubtFrom+doubtTo > by:
			r.Counts[metric] = counts.Count{Missing: &series.Missing{Reason: series.NeverRead,
				Detail: "it lags, and was not read during the pauses it shows"}}
		default:
			r.Counts[metric] = counts.Count{Amount: change, Raw: change, Seconds: to.At.Sub(from.At).Seconds()}
		}
		return r
	})
}

// inPause returns a reading in a pause without work. If there is none, it interpolates between the readings around,
// with a doubt of half their difference.
func inPause(s series.Series, from, to time.Time) (at series.Point, doubt float64, err error) {
	middle := from.Add(to.Sub(from) / 2)
	before, after, ok := s.Around(middle)
	switch {
	case !ok:
		return at, 0, &series.Missing{Reason: series.NeverRead, Detail: "it lags, and was not read long enough"}
	case !before.At.Before(from):
		return before, 0, nil
	case !after.At.After(to):
		return after, 0, nil
	}
	return series.Point{At: middle}, (after.Value - before.Value) / 2, nil
}

// Share returns the share of a repetition's work done between two moments.
func (v *viewer) Share(load string, number int, from, to time.Time) (float64, bool) {
	a := v.byKey[attemptKey{load, number}]
	if a == nil || len(a.clients.course) < 2 {
		return 0, false
	}
	return a.clients.workIn(from, to) / a.clients.all, a.clients.all > 0
}
