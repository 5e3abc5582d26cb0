package next

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/printable"
)

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
