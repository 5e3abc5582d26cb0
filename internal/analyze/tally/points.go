package tally

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/series"
)

// sparse lists metrics without final points for most of a repetition, and the loads concerned.
type sparse struct{ metrics, loads []string }

func (s *sparse) add(m, load string) {
	if name := metric.Printed(m, 0); !slices.Contains(s.metrics, name) {
		s.metrics = append(s.metrics, name)
	}
	if !slices.Contains(s.loads, load) {
		s.loads = append(s.loads, load)
	}
}

// sparse says which periods of repetitions have no points, and which have points that may still change; empty if the
// points cover at least half of each repetition.
func (b *builder) sparse() string {
	var open, absent sparse
	for _, l := range b.run.Loads {
		for _, r := range l.Repetitions {
			a := b.byKey[attemptKey{l.Name, r.Number}]
			if a == nil || a.untimed() {
				continue
			}
			from, to := r.Begin, r.End
			if a.clients.lines > 0 && !l.Idle() {
				from, to = a.clients.from, a.clients.to
			}
			for _, m := range b.run.Counters {
				all := b.stretched[m.Name]
				wanted, final, changing := coverage(all, time.Duration(m.Period*float64(time.Second)), from, to)
				switch {
				case 2*final >= wanted || b.elsewhere(a, m.Name) != nil:
				case changing > 0:
					open.add(m.Name, l.Name)
				default:
					absent.add(m.Name, l.Name)
				}
			}
		}
	}
	var texts []string
	if len(open.metrics) > 0 {
		texts = append(texts, fmt.Sprintf("AWS may still change its points of %s under %s, so they are not used. "+
			"Fetch the final ones with realiops aws collect.", printable.Listed(open.metrics), printable.Listed(open.loads)))
	}
	if len(absent.metrics) > 0 {
		texts = append(texts, fmt.Sprintf("AWS has no points of %s for most of a repetition of %s. With all points, "+
			"figures and verdicts may be different.", printable.Listed(absent.metrics), printable.Listed(absent.loads)))
	}
	return strings.Join(texts, " ")
}

// coverage returns the whole periods of a source between two moments, and how much of them its final points and those
// that it may still change cover.
func coverage(all []stretch, period time.Duration, from, to time.Time) (wanted, final, changing time.Duration) {
	if len(all) == 0 || period <= 0 {
		return 0, 0, 0
	}
	phase := all[0].from.Sub(series.PeriodDown(all[0].from, period))
	from, to = series.PeriodUp(from.Add(-phase), period).Add(phase), series.PeriodDown(to.Add(-phase), period).Add(phase)
	for _, s := range all[sort.Search(len(all), func(i int) bool { return all[i].to.After(from) }):] {
		if !s.from.Before(to) {
			break
		}
		if part := series.Earlier(s.to, to).Sub(series.Later(s.from, from)); s.open {
			changing += part
		} else {
			final += part
		}
	}
	return max(0, to.Sub(from)), final, changing
}
