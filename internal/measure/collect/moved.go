package collect

import (
	"context"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Move is an instance that a failover moved the load to, and the stretch from its first load there to its last.
type Move struct {
	Cloud runfile.Cloud
	Span  Span
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

// rename returns a metric's name there; "" stays "".
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
