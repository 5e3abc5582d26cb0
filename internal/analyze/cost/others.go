package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// company holds the sessions that were at work beside an operation, in some of its repetitions.
type company struct {
	who         []string
	repetitions []int
	reported    []runfile.Others
	walBytes    float64 // of all, in these repetitions
}

// alone gives the repetitions in which nobody else was at work, as long as there are any. If there are none, it
// returns all of them and warns that they include the work of others.
func (c *Cost) alone(run *counts.Run, load counts.Load) []counts.Repetition {
	var alone []counts.Repetition
	var beside []*company
	for _, r := range load.Repetitions {
		others := othersIn(run, load, r)
		if len(others.Who) == 0 {
			alone = append(alone, r)
			continue
		}
		same := func(known *company) bool { return slices.Equal(known.who, others.Who) }
		i := slices.IndexFunc(beside, same)
		if i < 0 {
			i = len(beside)
			beside = append(beside, &company{who: others.Who})
		}
		of := beside[i]
		of.repetitions, of.reported = append(of.repetitions, r.Number), append(of.reported, others)
		if all, known := grew(r, metric.InsertPosition); known {
			of.walBytes += all
		}
	}
	for _, of := range beside {
		names := strings.Join(of.who, ", ") + of.wrote()
		if len(alone) > 0 {
			c.Warnings = append(c.Warnings,
				fmt.Sprintf("What was counted in %s is left out, because others were at work on the server "+
					"meanwhile: %s", in(of.repetitions), names))
			continue
		}
		c.Warnings = append(c.Warnings,
			fmt.Sprintf("Others were at work on the server in %s, and what they did is counted, too: %s",
				in(of.repetitions), names))
		for _, who := range of.who {
			if !slices.Contains(c.Others, who) {
				c.Others = append(c.Others, who)
			}
		}
	}
	if len(alone) > 0 {
		return alone
	}
	return load.Repetitions
}

// mayBeOthers stands for sessions that came and went, and whose owner is unknown.
const mayBeOthers = "sessions that cannot be told from its own"

// alike leaves repetitions out in which more sessions connected to the database than in most: an operation that does
// the same each time connects as often, so that somebody else may have. Where there is no such most, and where others
// connect while nothing is done, any repetition may hold what others did. Where sessions are not counted, as on 13, the
// rows that were written tell instead.
func (c *Cost) alike(run *counts.Run, repetitions []counts.Repetition) []counts.Repetition {
	if len(c.Others) > 0 {
		return repetitions // it is marked already
	}
	came, kind, others := tally(connected).in(repetitions), "sessions that connected to the database",
		float64(run.OtherSessions)
	if came != nil && run.Header.Operation.SessionsKnown {
		return repetitions
	}
	if came == nil {
		came, kind = tally(written).in(repetitions),
			"PostgreSQL counts no sessions before 14; rows of the database that were written"
		idle, _ := run.Load(runfile.IdleLoad)
		for _, rows := range tally(written).in(idle.Repetitions) {
			others += rows
		}
	}
	if came == nil {
		return repetitions
	}
	if others > 0 {
		c.maybe(fmt.Sprintf("%s: %s while nothing was done", kind, amount(others)))
		return repetitions
	}
	fewest, most := slices.Min(came), slices.Max(came)
	var same []counts.Repetition
	var more []int
	for i, r := range repetitions {
		if came[i] == fewest {
			same = append(same, r)
		} else {
			more = append(more, r.Number)
		}
	}
	switch {
	case len(more) == 0:
		return repetitions
	case 2*len(same) > len(repetitions):
		c.Warnings = append(c.Warnings, fmt.Sprintf("What was counted in %s is left out, because somebody else may "+
			"have been at work on the server meanwhile (%s: up to %s, and %s in the others)",
			in(more), kind, amount(most), amount(fewest)))
		return same
	default:
		c.maybe(fmt.Sprintf("%s: %s to %s", kind, amount(fewest), amount(most)))
		return repetitions
	}
}

// maybe warns that the counts may include the work of others.
func (c *Cost) maybe(why string) {
	c.Others = append(c.Others, mayBeOthers)
	c.Warnings = append(c.Warnings, "Others may have been at work on the server meanwhile, and what they did is "+
		"counted, too ("+why+"; whose they were is not known)")
}

// tally counts something of a repetition, if it is known.
type tally func(counts.Repetition) (float64, bool)

// written are rows of the operation's database.
func written(r counts.Repetition) (float64, bool) {
	sum, err := rows(counts.Load{}, r.AsRead())
	return sum, err == nil
}

// in counts in each repetition; nil: not all are known.
func (t tally) in(repetitions []counts.Repetition) (all []float64) {
	for _, r := range repetitions {
		n, known := t(r)
		if !known {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// in names repetitions.
func in(repetitions []int) string {
	if len(repetitions) == 1 {
		return fmt.Sprintf("repetition %d", repetitions[0])
	}
	return "repetitions " + strings.Trim(strings.ReplaceAll(fmt.Sprint(repetitions), " ", ", "), "[]")
}

// othersIn returns those who were at work in a repetition: seen as sessions, or by the rows that were written
// elsewhere.
func othersIn(run *counts.Run, load counts.Load, r counts.Repetition) (others runfile.Others) {
	for _, o := range run.Others {
		if o.Load == load.Name && o.Repetition == r.Number {
			others = o.Others
			others.Who = slices.Clone(o.Who)
		}
	}
	if rows := rowsElsewhere(r); rows > 0 {
		others.Who = append(others.Who, "sessions in other databases, which wrote "+number.Grouped(rows, 0)+" rows")
	}
	return others
}

// rowsElsewhere returns those of other databases, and of what all databases share: a session that came and went shows
// in nothing else.
func rowsElsewhere(r counts.Repetition) (sum float64) {
	for _, column := range []string{"tup_inserted", "tup_updated", "tup_deleted"} {
		all, here := r.Counts["pgstat.cluster/"+column], r.Counts["pgstat.database/"+column]
		if all.Missing == nil && here.Missing == nil {
			sum += all.Raw - here.Raw
		}
	}
	return sum
}

// wrote says how much others have reported, as far as the server tells. A session that is busy reports once a second,
// so that it may be less than they wrote, or what they wrote before.
func (of *company) wrote() string {
	var bytes, writes, fsyncs int64
	for _, o := range of.reported {
		if o.WALFsyncs == nil {
			return " (how much WAL each session writes PostgreSQL tells from 18 on, to those who may " +
				"read all statistics)"
		}
		bytes += o.WALBytes
		writes += *o.WALWrites
		fsyncs += *o.WALFsyncs
	}
	if bytes == 0 && writes == 0 && fsyncs == 0 {
		return " (those who are still there have reported no WAL so far)"
	}
	return fmt.Sprintf(" (of %s bytes of WAL, those who are still there have reported %s so far, with %d "+
		"writes and %d fsyncs)", number.Grouped(of.walBytes, 0), number.Grouped(float64(bytes), 0), writes, fsyncs)
}

// withBackground leaves a background out that was never measured alone: what others did then would be taken off what
// the operation did.
func (c *Cost) withBackground(run *counts.Run, repetitions []counts.Repetition) []counts.Repetition {
	idle, _ := run.Load(runfile.IdleLoad)
	disturbed := slices.ContainsFunc(idle.Repetitions, func(r counts.Repetition) bool {
		here, _ := written(r)
		return here+rowsElsewhere(r) > 0
	})
	if run.Idle.Repetitions > 0 && !disturbed {
		return repetitions
	}
	c.Warnings = append(c.Warnings,
		"What the server does by itself is not known, and nothing was taken off: others were at work when "+
			"it was measured")
	asRead := make([]counts.Repetition, len(repetitions))
	for i, r := range repetitions {
		asRead[i] = r.AsRead()
	}
	return asRead
}

// warnOfOpen warns of anything that makes the server's counts less than the operation's.
func (c *Cost) warnOfOpen(run *counts.Run, load counts.Load) {
	var goesOn, staying []int
	for _, o := range run.Others {
		used := func(r counts.Repetition) bool { return o.Load == load.Name && o.Repetition == r.Number }
		if !slices.ContainsFunc(load.Repetitions, used) {
			continue
		}
		if o.GoesOn {
			goesOn = append(goesOn, o.Repetition)
		}
		if o.Staying > 0 {
			staying = append(staying, o.Repetition)
		}
	}
	c.Incomplete = len(goesOn)+len(staying) > 0
	if len(goesOn) > 0 {
		c.Warnings = append(c.Warnings,
			fmt.Sprintf("After %s, processes that it started went on: what they do later is not counted, or in a "+
				"later repetition", in(goesOn)))
	}
	if len(staying) > 0 {
		c.Warnings = append(c.Warnings,
			fmt.Sprintf("After %s, sessions stayed open that are its own or may be: what they did last may not "+
				"be counted yet. "+
				"Where they were there before, name them with --count", in(staying)))
	}
}
