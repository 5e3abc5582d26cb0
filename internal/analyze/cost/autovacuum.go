package cost

import (
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// unvacuumed returns the repetitions without autovacuum, if there are any. Autovacuum runs on the server's schedule. If
// it ran in all repetitions, its writes are counted, too.
func (c *Cost) unvacuumed(repetitions []counts.Repetition) (without []counts.Repetition) {
	var with []int
	var on []string
	for _, r := range repetitions {
		if r.Autovacuum == nil {
			without = append(without, r)
			continue
		}
		with, on = append(with, r.Number), append(on, r.Autovacuum.On...)
	}
	slices.Sort(on)
	on = slices.Compact(on)
	switch {
	case len(with) == 0:
		return repetitions
	case len(without) > 0:
		c.Warnings = append(c.Warnings, "What was counted in "+in(with)+
			" is left out, because autovacuum worked meanwhile, on "+strings.Join(on, ", "))
		return without
	}
	c.Autovacuum = on
	c.Warnings = append(c.Warnings, "Autovacuum worked in all repetitions, on "+strings.Join(on, ", ")+
		": what it wrote is counted, too. "+
		"alter table … set (autovacuum_enabled = off) keeps it away while you measure")
	return repetitions
}

func (c *Cost) byAutovacuum() (all []string) {
	for _, table := range c.Autovacuum {
		all = append(all, "autovacuum of "+table)
	}
	return all
}

const notAutovacuums = "the rest may be autovacuum's"

// surely returns the part of a repetition that is certainly the operation's own, and who may have caused the rest; nil
// if all is its own. Autovacuum has no counted session, and writes no rows, entries or deletions to users' tables: it
// prunes and freezes, which is upkeep.
func (k kind) surely(r counts.Repetition) (own func(counts.Load, counts.Repetition) float64, rest string) {
	if r.Autovacuum == nil {
		return k.own, k.rest
	}
	switch k.name {
	case "sessions", OwnFsyncs:
		return k.own, k.rest
	case OwnRecords:
		return func(_ counts.Load, r counts.Repetition) float64 { n, _ := userWAL(r.WAL); return n }, notAutovacuums
	case OwnBytes:
		return func(_ counts.Load, r counts.Repetition) float64 { _, n := userWAL(r.WAL); return n }, notAutovacuums
	default:
		return func(counts.Load, counts.Repetition) float64 { return 0 }, notAutovacuums
	}
}

// userWAL returns the own WAL of users' tables and indexes; zero if unknown.
func userWAL(w *runfile.WAL) (records, bytes float64) {
	if whyUnknown(w) != "" {
		return 0, 0
	}
	for _, item := range w.Items {
		if item.Is != runfile.WALTable && item.Is != runfile.WALIndex || strings.HasPrefix(item.Name, "pg_") {
			continue
		}
		n, size := ownRecords(anatomyOf(item))
		records, bytes = records+n, bytes+size
	}
	return records, bytes
}
