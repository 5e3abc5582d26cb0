package collect

import (
	"errors"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// File is the part of a run file that a collection needs.
type File struct {
	Header runfile.Run
	Span   runfile.Stretch // from the first load's begin to the last one's end; empty without loads
	Moves  []Move          // failovers that moved the load, in order

	begun     runfile.LoadEvent // the last one
	announced map[string]bool
	periods   []runfile.Period
	gaps      []runfile.Gap
}

// Read reads the run file at path. It accepts a torn end.
func Read(path string) (*File, error) {
	records, file, err := runfile.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	f := &File{announced: map[string]bool{}}
	for record, err := range records {
		if _, torn := errors.AsType[*runfile.TornError](err); torn && f.Header.Schema != "" {
			break
		}
		if err != nil {
			return nil, err
		}
		f.take(record)
	}
	return f, nil
}

func (f *File) take(record runfile.Record) {
	switch r := record.(type) {
	case runfile.Run:
		f.Header = r
	case runfile.Metric:
		f.announced[r.Name] = true
	case runfile.LoadEvent:
		f.event(r)
	case runfile.Period:
		f.periods = append(f.periods, r)
	case runfile.Gap:
		f.gaps = append(f.gaps, r)
	}
}

func (f *File) event(e runfile.LoadEvent) {
	switch e.Event {
	case runfile.Begin:
		f.begun = e
	case runfile.End:
	default:
		return
	}
	f.Span.Extend(e.At, e.At)
	if f.begun.Instance == "" || f.Header.Target.Cloud == nil {
		return // still the run's first instance
	}
	i := slices.IndexFunc(f.Moves, func(m Move) bool { return m.Cloud.Instance == f.begun.Instance })
	if i < 0 {
		i, f.Moves = len(f.Moves), append(f.Moves, Move{Cloud: f.movedCloud()})
	}
	f.Moves[i].Span.Extend(f.begun.At, e.At)
}

// movedCloud returns the file's description of the last load's instance. The cluster's metrics are read
// only for the run's first instance.
func (f *File) movedCloud() runfile.Cloud {
	cloud := *f.Header.Target.Cloud
	cloud.Resource, cloud.Insights = "", false
	if f.begun.Cloud != nil {
		cloud = *f.begun.Cloud
	}
	cloud.Instance, cloud.Cluster = f.begun.Instance, ""
	return cloud
}

// Announced reports whether the file announces the metric.
func (f *File) Announced(metric string) bool { return f.announced[metric] }

// AnnouncedAny reports whether it announces any metric of the source.
func (f *File) AnnouncedAny(source string) bool {
	for metric := range f.announced {
		if strings.HasPrefix(metric, source+"/") {
			return true
		}
	}
	return false
}

// replay restores the state from the file. Late or unknown data is not waited for again; refused or
// failed data is asked for again.
func (f *File) replay(l *sourceState) {
	for _, p := range f.periods {
		m := l.metrics[p.Metric]
		if p.Probe != l.source.Name() || m == nil {
			continue
		}
		m.covers(p)
		t, begin := m.track(p), p.From.UnixNano()
		if p.Unsettled {
			t.open[begin] = &reading{period: p, since: p.Fetched, recorded: true}
			continue
		}
		delete(t.open, begin)
		t.settled[begin] = true
	}
	for _, g := range f.gaps {
		if g.Probe != l.source.Name() {
			continue
		}
		l.gaps[gapKind{g.Metric, g.Reason, g.Code}] = true
		if g.Reason == runfile.Late || g.Reason == runfile.Unsupported {
			l.forget(g.Metric)
		}
	}
}

func (l *sourceState) forget(name string) {
	for n, m := range l.metrics {
		if name != "" && name != n {
			continue
		}
		m.told = true
		for i := range m.slots {
			if !m.present[i] {
				m.lost[i] = true
			}
		}
	}
}
