package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/runfile"
)

// alone gives the repetitions in which nobody else was at work, as long as there are any. Where there are none, all of them are
// told, and that what others did is among it.
func (c *Cost) alone(run *drivers.Run, arm drivers.Arm) []drivers.Replicate {
	var alone []drivers.Replicate
	var left, all []string
	for _, r := range arm.Replicates {
		others := othersIn(run, arm, r)
		if len(others.Who) == 0 {
			alone = append(alone, r)
			continue
		}
		for _, who := range others.Who {
			if !slices.Contains(c.Others, who) {
				c.Others = append(c.Others, who)
			}
		}
		said := strings.Join(others.Who, ", ") + wrote(others, r)
		left = append(left, fmt.Sprintf("Repetition %d is left out, because others were at work on the server meanwhile: %s", r.Number, said))
		all = append(all, fmt.Sprintf("Others were at work on the server in repetition %d, and what they did is counted, too: %s", r.Number, said))
	}
	if len(alone) > 0 {
		c.Others, c.Warnings = nil, append(c.Warnings, left...)
		return alone
	}
	c.Warnings = append(c.Warnings, all...)
	return arm.Replicates
}

// othersIn are those who were at work in a repetition: seen as sessions, or by the rows that were written elsewhere.
func othersIn(run *drivers.Run, arm drivers.Arm, r drivers.Replicate) (others runfile.Others) {
	for _, o := range run.Others {
		if o.Arm == arm.Name && o.Replicate == r.Number {
			others = o.Others
			others.Who = slices.Clone(o.Who)
		}
	}
	if rows := rowsElsewhere(r); rows > 0 {
		others.Who = append(others.Who, "sessions in other databases, which wrote "+number.Grouped(rows, 0)+" rows")
	}
	return others
}

// rowsElsewhere are those of other databases, and of what all databases share: a session that came and went shows in nothing
// else.
func rowsElsewhere(r drivers.Replicate) (sum float64) {
	for _, column := range []string{"tup_inserted", "tup_updated", "tup_deleted"} {
		all, here := r.Counts["pgstat.cluster/"+column], r.Counts["pgstat.database/"+column]
		if all.Missing == nil && here.Missing == nil {
			sum += all.Raw - here.Raw
		}
	}
	return sum
}

// wrote says how much others have written, as far as the server tells, and how much that is of all WAL.
func wrote(o runfile.Others, r drivers.Replicate) string {
	if o.WALFsyncs == nil {
		return " (how much WAL each session writes PostgreSQL tells from 18 on, to those who may read all statistics)"
	}
	share := ""
	if all, known := grew(r, "pgstat.lsn/insert"); known && all > 0 {
		share = fmt.Sprintf(", %.0f %% of all,", min(100, 100*float64(o.WALBytes)/all))
	}
	return fmt.Sprintf(" (those who are still there wrote %s bytes of WAL%s with %d writes and %d fsyncs)",
		number.Grouped(float64(o.WALBytes), 0), share, *o.WALWrites, *o.WALFsyncs)
}

// withBackground leaves a background out that was never measured alone: what others did then would be taken off what the
// operation did.
func (c *Cost) withBackground(run *drivers.Run, repetitions []drivers.Replicate) []drivers.Replicate {
	idle, _ := run.Arm(runfile.IdleArm)
	disturbed := slices.ContainsFunc(idle.Replicates, func(r drivers.Replicate) bool { return rowsElsewhere(r) > 0 })
	if run.Idle.Replicates > 0 && !disturbed {
		return repetitions
	}
	c.Warnings = append(c.Warnings, "What the server does by itself is not known, and nothing was taken off: others were at work when it was measured")
	asRead := make([]drivers.Replicate, len(repetitions))
	for i, r := range repetitions {
		asRead[i] = r.AsRead()
	}
	return asRead
}

// warnOfOpen says what makes counts of the server less than the operation's.
func (c *Cost) warnOfOpen(run *drivers.Run, arm drivers.Arm) {
	for _, o := range run.Others {
		used := func(r drivers.Replicate) bool { return o.Arm == arm.Name && o.Replicate == r.Number }
		if !slices.ContainsFunc(arm.Replicates, used) {
			continue
		}
		c.Incomplete = c.Incomplete || o.GoesOn || o.Staying > 0
		if o.GoesOn {
			c.Warnings = append(c.Warnings, fmt.Sprintf("After repetition %d, processes that it started went on: what they do later is not counted, "+
				"or in a later repetition", o.Replicate))
		}
		if o.Staying > 0 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("After repetition %d, sessions stayed open that are its own or may be (%d): what they did last may "+
				"not be counted yet. Where they were there before, name them with --count", o.Replicate, o.Staying))
		}
	}
}
