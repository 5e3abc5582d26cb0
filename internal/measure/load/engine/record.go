package engine

import (
	"cmp"
	"slices"
	"time"
)

// Record sums up the clients' work in a period.
type Record struct {
	Scripts []ScriptResult
	Faults  []Fault // by kind, the most frequent first
	Aborted []error // each is an *Abort
}

// NewRecord returns an empty Record for scripts.
func NewRecord(scripts []Weighted) *Record {
	r := &Record{Scripts: make([]ScriptResult, len(scripts))}
	for i, w := range scripts {
		r.Scripts[i] = ScriptResult{Name: w.Script.Name, Weight: w.Weight,
			Commands: make([]CommandResult, len(w.Script.Commands))}
		for at, c := range w.Script.Commands {
			r.Scripts[i].Commands[at].Line, r.Scripts[i].Commands[at].Text = c.Line, c.Text
		}
	}
	return r
}

// Add adds other, from another period or other clients. Only the aborts of a warm-up count.
func (r *Record) Add(other *Record, warmup bool) {
	r.Aborted = append(r.Aborted, other.Aborted...)
	if warmup {
		return
	}
	for i := range r.Scripts {
		to, from := &r.Scripts[i], &other.Scripts[i]
		to.Totals.merge(&from.Totals)
		for at := range to.Commands {
			c, more := &to.Commands[at], &from.Commands[at]
			c.Latency.merge(&more.Latency)
			c.Failures += more.Failures
			c.Retries += more.Retries
		}
	}
	for _, f := range other.Faults {
		r.addFault(f)
	}
}

func (r *Record) addFault(f Fault) {
	at := slices.IndexFunc(r.Faults, func(known Fault) bool { return known.Kind == f.Kind && known.Code == f.Code })
	if at < 0 {
		r.Faults = append(r.Faults, f)
	} else {
		r.Faults[at].Count += f.Count
	}
	slices.SortFunc(r.Faults, func(x, y Fault) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Code, y.Code))
	})
}

// Totals returns the sums over all scripts.
func (r *Record) Totals() (t Totals) {
	for i := range r.Scripts {
		t.merge(&r.Scripts[i].Totals)
	}
	return t
}

// reset empties r and keeps the memory of the histograms.
func (r *Record) reset() {
	for i := range r.Scripts {
		s := &r.Scripts[i]
		s.Latency.reset()
		s.Lag.reset()
		s.Totals = Totals{Latency: s.Latency, Lag: s.Lag}
		for at := range s.Commands {
			c := &s.Commands[at]
			c.Latency.reset()
			c.Failures, c.Retries = 0, 0
		}
	}
	r.Faults, r.Aborted = nil, nil
}

// outcome is an [Outcome] in one byte, or unfinished.
type outcome uint8

const (
	done outcome = iota
	skipped
	failedOtherwise
	failedSerializing
	failedByDeadlock
	unfinished // given up: only its bytes and statements count
)

func (o outcome) public() Outcome {
	return [...]Outcome{Done, Skipped, FailedOtherwise, FailedSerializing, FailedByDeadlock, FailedOtherwise}[o]
}

type sample struct {
	latency, lag                               time.Duration
	statements, rows, sent, received, returned int64
	script, retries                            int32
	outcome                                    outcome
	paced, late, warmup                        bool
}

// lap is one run of one command.
type lap struct {
	script, command int32
	warmup          bool
	took            time.Duration
}
