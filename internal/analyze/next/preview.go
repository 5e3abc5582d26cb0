package next

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/printable"
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

// lookAgain divides the time so far into the pause before the next look, so that looks stay cheap.
const lookAgain = 10

// Settling analyzes the file from time to time, and notices when doubling the time has shown nothing new.
type Settling struct {
	AtLeast time.Duration // before which nothing is settled
	looks   []look
}

// look records what was known after some time.
type look struct {
	after time.Duration
	known string
	open  int // metrics without a verdict
}

// Ask analyzes the file if it is time for that, and may return why there is no use in going on.
func (s *Settling) Ask(after time.Duration, read func() (*counts.Run, error)) (why string, settled bool) {
	if n := len(s.looks); n > 0 && after < s.looks[n-1].after+s.looks[n-1].after/lookAgain {
		return "", false
	}
	run, err := read()
	if err != nil {
		return "", false
	}
	known, open := learned(run)
	return s.take(look{after, known, open})
}

// take reports whether, with this look, enough time has shown nothing new. It keeps only the looks of the second half.
func (s *Settling) take(now look) (why string, settled bool) {
	s.looks = append(s.looks, now)
	for len(s.looks) > 1 && s.looks[1].after <= now.after/2 {
		s.looks = s.looks[1:]
	}
	if now.after < s.AtLeast || s.looks[0].after > now.after/2 {
		return "", false
	}
	for _, l := range s.looks {
		if l.known != now.known {
			return "", false
		}
	}
	if now.open == 0 {
		return fmt.Sprintf("Settled after %s: every metric has its verdict", printable.About(now.after)), true
	}
	return fmt.Sprintf("Settled after %s: the second half changed nothing. Metrics without a verdict: %d; "+
		"they need loads that do not occur here", printable.About(now.after), now.open), true
}

// learned returns what a run shows as text that changes only if something is learned.
func learned(run *counts.Run) (known string, open int) {
	var all []string
	for _, v := range attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}).Metrics {
		all = append(all, fmt.Sprint(v.Metric.Name, v.Kind, v.Counts, v.Between))
		if v.Kind == attribution.CannotTell {
			open++
		}
	}
	return fmt.Sprint(len(run.Loads), strings.Join(all, "\n")), open
}
