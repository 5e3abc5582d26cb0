package cloudwatch

import (
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Retention is the code of a gap for data that CloudWatch no longer has, or only in coarser periods.
const Retention = "retention"

// tally counts the points requested and received of a series, by its main statistic.
type tally struct {
	wanted, came int
	period       time.Duration // the coarsest requested
	missing      time.Time     // begin of the first period without a point
	end          time.Time     // of the last requested period
	trouble      *runfile.Gap  // if CloudWatch did not answer
}

// tally counts a batch's points, so that its queries can be released.
func (b *backfill) tally(batch []*query) {
	for _, q := range batch {
		t := &b.seen[q.series]
		if trouble := q.judge(); trouble != nil && t.trouble == nil {
			t.trouble = &runfile.Gap{
				At: q.wants(), Probe: Name, Metric: b.series[q.series].metric.Name, Reason: trouble.Reason(),
				Code: trouble.Code, Detail: trouble.Error(),
			}
		}
		if !q.main {
			continue
		}
		for i, got := range q.got {
			if !got && t.missing.IsZero() {
				t.missing = q.first.Add(time.Duration(i) * q.period)
			}
			if got {
				t.came++
			}
		}
		t.wanted, t.period, t.end = t.wanted+len(q.got), max(t.period, q.period), q.end()
	}
}

func (b *backfill) gone(w window) runfile.Gap {
	return runfile.Gap{At: w.from, Probe: Name, Reason: runfile.Late, Code: Retention, Detail: fmt.Sprintf(
		"CloudWatch keeps points for at most %d days, and %s is %s days ago", kept[len(kept)-1].days, day(w.from),
		printable.Count(int(b.now.Sub(w.from).Hours()/24)))}
}

// gaps passes on at most one gap for each metric, at the end of a stretch. Values that may still come are no gaps.
func (b *backfill) gaps() error {
	if gap, nothing := b.nothing(); nothing {
		return b.keep(gap)
	}
	for i, t := range b.seen {
		gap := b.gap(i, t)
		if gap == nil {
			continue
		}
		if err := b.keep(*gap); err != nil {
			return err
		}
	}
	return nil
}

func (b *backfill) gap(i int, t tally) *runfile.Gap {
	s := b.series[i]
	gap := &runfile.Gap{At: t.missing, Probe: Name, Metric: s.metric.Name, Reason: runfile.Late, Code: "missing"}
	switch {
	case t.trouble != nil:
		return t.trouble
	case t.came > 0 && t.period > max(s.period, b.Coarse):
		gap.At, gap.Code = b.from, Retention
		gap.Detail = fmt.Sprintf("CloudWatch keeps periods of %.0f s for %d days; for %s it has only those of %.0f s",
			s.period.Seconds(), keptFor(s.period), day(b.from), t.period.Seconds())
	case t.missing.IsZero() || b.now.Sub(t.end) < Final:
		return nil
	case s.underLoad:
		gap.Code = "idle"
		gap.Detail = fmt.Sprintf("CloudWatch has no point for %s of %s periods, the first at %s; it publishes this metric "+
			"only under load, so the server may have been idle", printable.Count(t.wanted-t.came), printable.Count(t.wanted),
			t.missing.Format(time.RFC3339))
	case t.came == 0:
		gap.Reason, gap.Code = runfile.Unsupported, "nothing"
		gap.Detail = "CloudWatch has no points for this time; not every instance class and storage type has this metric"
	default:
		gap.Detail = fmt.Sprintf("CloudWatch has no point for %s of %s periods, the first at %s",
			printable.Count(t.wanted-t.came), printable.Count(t.wanted), t.missing.Format(time.RFC3339))
	}
	return gap
}

// nothing returns the gap for a server without a single point although there should be some.
func (b *backfill) nothing() (runfile.Gap, bool) {
	wanted, names := 0, []string{}
	for i, t := range b.seen {
		wanted, names = wanted+t.wanted, append(names, b.series[i].name)
		if t.came > 0 || t.trouble != nil || b.now.Sub(t.end) < Final {
			return runfile.Gap{}, false
		}
	}
	return runfile.Gap{At: b.from, Probe: Name, Reason: runfile.Failed, Code: "nothing", Detail: fmt.Sprintf(
		"CloudWatch has no points of %s of %s in %s from %s to %s; check the name, and that it ran then",
		printable.Listed(names), b.whose, b.region, b.from.UTC().Format(time.RFC3339), b.to.UTC().Format(time.RFC3339))}, wanted > 0
}

// keptFor returns how many days periods of that length are kept.
func keptFor(period time.Duration) int {
	i := slices.IndexFunc(kept, func(k retention) bool { return k.period >= period })
	return kept[max(0, i)].days
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
