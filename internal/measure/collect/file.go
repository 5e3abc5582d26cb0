package collect

import (
	"errors"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Span is a stretch of time: from included, to not.
type Span struct{ From, To time.Time }

// File is what a run file tells a collection.
type File struct {
	Header runfile.Run
	Span   Span // from the first arm's begin to the last one's end; empty where no arm was run
	Ended  bool

	announced map[string]bool
	periods   []runfile.Period
	gaps      []runfile.Gap
}

// Read reads the run file at path. A torn end is no error.
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
	case runfile.ArmEvent:
		f.event(r)
	case runfile.Period:
		f.periods = append(f.periods, r)
	case runfile.Gap:
		f.gaps = append(f.gaps, r)
	case runfile.Ended:
		f.Ended = true
	}
}

func (f *File) event(e runfile.ArmEvent) {
	switch {
	case e.Event == runfile.Begin && f.Span.From.IsZero():
		f.Span.From, f.Span.To = e.At, e.At
	case e.Event == runfile.End && e.At.After(f.Span.To):
		f.Span.To = e.At
	}
}

// Announced tells whether the file has a line about the metric.
func (f *File) Announced(metric string) bool { return f.announced[metric] }

// AnnouncedAny tells whether it has one about any metric of the source.
func (f *File) AnnouncedAny(source string) bool {
	for metric := range f.announced {
		if strings.HasPrefix(metric, source+"/") {
			return true
		}
	}
	return false
}

// replay brings a ledger to where the file is. What was said to be late or unknown is not waited for again; what was
// refused or failed is asked for anew.
func (f *File) replay(l *ledger) {
	for _, p := range f.periods {
		if p.Probe == l.source.Name() {
			l.recall(p)
		}
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

// recall takes a period of the file.
func (l *ledger) recall(p runfile.Period) {
	m := l.metrics[p.Metric]
	if m == nil {
		return
	}
	m.covers(p)
	t, begin := m.track(p), p.From.UnixNano()
	if p.Unsettled {
		t.open[begin] = &reading{period: p, since: p.Fetched, recorded: true}
		return
	}
	delete(t.open, begin)
	t.settled[begin] = true
}

// forget gives up what is missing of a metric, or of all.
func (l *ledger) forget(name string) {
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
