package next

import (
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
)

// firstPreview is the time after which an observation may have seen a kind of load: a few windows of five seconds.
const firstPreview = 30 * time.Second

// Preview reports from time to time the verdicts that a file supports so far. Its zero value is ready to use.
type Preview struct{ last time.Duration }

// Seen is the result of a report made now.
type Seen struct {
	Kinds    int // of load
	Verdicts []attribution.Verdict
}

// Ask analyzes the file if it is time for that.
func (p *Preview) Ask(after time.Duration, read func() (*counts.Run, error)) (seen Seen, looked bool) {
	if after < max(firstPreview, p.last+p.last/lookAgain) {
		return Seen{}, false
	}
	p.last = after
	run, err := read()
	if err != nil {
		return Seen{}, false
	}
	return see(run), true
}

func see(run *counts.Run) (seen Seen) {
	seen.Kinds = len(slices.DeleteFunc(slices.Clone(run.Loads), func(a counts.Load) bool { return a.Idle() }))
	if seen.Kinds > 0 {
		seen.Verdicts = attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}).Metrics
	}
	return seen
}

// String returns a one-line summary.
func (s Seen) String() string {
	if s.Kinds == 0 {
		return "no kind of load seen yet"
	}
	decided, open := 0, 0
	for _, v := range s.Verdicts {
		switch v.Kind {
		case attribution.CannotTell:
			open++
		case attribution.Logical, attribution.Requested, attribution.Physical, attribution.NotLogical,
			attribution.Mixed:
			decided++
		}
	}
	loads := "kinds of load"
	if s.Kinds == 1 {
		loads = "kind of load"
	}
	return fmt.Sprintf("%d %s; %d of %d moving metrics have a verdict", s.Kinds, loads, decided, decided+open)
}
