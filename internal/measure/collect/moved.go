package collect

import (
	"context"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Move is an instance that a failover brought the load to, and the stretch from its first load there to its last one.
type Move struct {
	Cloud runfile.Cloud
	Span  Span
}

// Moved returns a source for the instance that the load was moved to. It asks for the time during which the load was
// there, and puts the instance's name into all metrics to keep them apart: "cloudwatch.two/WriteIOPS".
func Moved(source probe.Backfiller, to Move) probe.Backfiller {
	return moved{source, to}
}

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

// rename returns a metric's name there; none stays none.
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

// spanOf returns the stretch that a source is asked for: all of the run, with the rest before and after it, or what the
// load was there for.
func (f *File) spanOf(source probe.Backfiller) Span {
	if m, is := source.(moved); is {
		return m.to.Span
	}
	span, rest := f.Span, time.Duration(f.Header.Plan.RestSeconds*float64(time.Second))
	if !span.From.IsZero() {
		span.From, span.To = span.From.Add(-rest), span.To.Add(rest)
	}
	return span
}
