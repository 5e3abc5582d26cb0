package next

import (
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
)

// firstPreview is after how long an observation may have seen a kind of load: its windows have five seconds, and it
// takes some.
const firstPreview = 30 * time.Second

// Preview looks now and then at the verdicts that a file supports so far, while somebody looks on. Its zero value
// has not looked yet.
type Preview struct{ last time.Duration }

// Seen is the result of a report made now.
type Seen struct {
	Kinds    int // of load
	Verdicts []attribution.Verdict
}

// Ask reads the file where it is time for that.
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

// String says it in a line.
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
