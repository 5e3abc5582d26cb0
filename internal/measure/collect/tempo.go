package collect

import (
	"context"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Tempo relates two clocks: when ours showed Here, the sources' showed There, and theirs runs Factor times as fast.
// Real sources follow our clock, the zero Tempo. A stand-in that publishes hours in minutes runs faster.
type Tempo struct {
	Here, There time.Time
	Factor      float64
}

// Real reports whether the two clocks are one.
func (t Tempo) Real() bool { return t.Factor == 0 }

// Times returns how many times faster than ours the sources' clock runs.
func (t Tempo) Times() float64 {
	if t.Real() {
		return 1
	}
	return t.Factor
}

// Source returns the source by our clock.
func (t Tempo) Source(s probe.Backfiller) probe.Backfiller {
	if t.Real() {
		return s
	}
	return faster{s, t, s.Metrics()}
}

// Rules returns the rules by our clock.
func (t Tempo) Rules(r Rules) Rules {
	if t.Real() {
		return r
	}
	return r.Faster(t.Factor)
}

// ToThere converts a moment to the sources' clock.
func (t Tempo) ToThere(moment time.Time) time.Time {
	if t.Real() {
		return moment
	}
	return t.There.Add(time.Duration(float64(moment.Sub(t.Here)) * t.Factor)).UTC()
}

// ToHere converts a moment to our clock.
func (t Tempo) ToHere(moment time.Time) time.Time {
	if t.Real() {
		return moment
	}
	return t.Here.Add(time.Duration(float64(moment.Sub(t.There)) / t.Factor)).UTC()
}

type faster struct {
	source  probe.Backfiller
	tempo   Tempo
	metrics []runfile.Metric
}

func (f faster) Name() string { return f.source.Name() }

func (f faster) Metrics() []runfile.Metric {
	quick := make([]runfile.Metric, len(f.metrics))
	for i, m := range f.metrics {
		m.Period /= f.tempo.Factor
		quick[i] = m
	}
	return quick
}

func (f faster) Backfill(ctx context.Context, from, to time.Time, keep func(runfile.Record) error) error {
	return f.source.Backfill(ctx, f.tempo.ToThere(from), f.tempo.ToThere(to), func(record runfile.Record) error {
		p, isPeriod := record.(runfile.Period)
		if !isPeriod {
			return keep(record)
		}
		p.From, p.To = f.tempo.ToHere(p.From), f.tempo.ToHere(p.To)
		for _, m := range f.metrics {
			if m.Name == p.Metric && m.Type == runfile.Rate {
				p.Value *= f.tempo.Factor // a rate there is Factor times as much in one of our seconds
			}
		}
		return keep(p)
	})
}

// Move is an instance that a failover moved the load to, and the stretch from its first load there to its last.
type Move struct {
	Cloud runfile.Cloud
	Span  runfile.Stretch
}

// Moved returns a source for the instance that the load moved to. It covers the time of the load there, and adds the
// instance's name to all metrics: "cloudwatch.two/WriteIOPS".
func Moved(source probe.Backfiller, to Move) probe.Backfiller { return moved{source, to} }

type moved struct {
	source probe.Backfiller
	to     Move
}

func (m moved) Name() string { return m.source.Name() + "." + m.to.Cloud.Instance }

func (m moved) Metrics() []runfile.Metric {
	all := m.source.Metrics()
	for i := range all {
		all[i].Name = m.rename(all[i].Name)
	}
	return all
}

func (m moved) rename(metric string) string {
	if _, name, whole := strings.Cut(metric, "/"); whole {
		return m.Name() + "/" + name
	}
	return metric
}

func (m moved) Backfill(ctx context.Context, from, to time.Time, keep func(runfile.Record) error) error {
	return m.source.Backfill(ctx, from, to, func(record runfile.Record) error {
		switch r := record.(type) {
		case runfile.Period:
			r.Probe, r.Metric = m.Name(), m.rename(r.Metric)
			return keep(r)
		case runfile.Gap:
			r.Probe, r.Metric = m.Name(), m.rename(r.Metric)
			return keep(r)
		default:
			return keep(record)
		}
	})
}

// spanOf returns the stretch to ask a source for: the whole run with the rest before and after it, or the
// load's time on another instance.
func (f *File) spanOf(source probe.Backfiller) runfile.Stretch {
	if m, is := source.(moved); is {
		return m.to.Span
	}
	span, rest := f.Span, time.Duration(f.Header.Plan.RestSeconds*float64(time.Second))
	if !span.From.IsZero() {
		span.From, span.To = span.From.Add(-rest), span.To.Add(rest)
	}
	return span
}
