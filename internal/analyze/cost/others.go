package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// company holds the other sessions that were active in some repetitions.
type company struct {
	who         []string
	repetitions []int
	reported    []runfile.Others
	walBytes    float64 // total, in these repetitions
}

// alone returns the repetitions in which nobody else was active, if there are any. Otherwise it returns all of them and
// warns that they include the work of others.
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
				fmt.Sprintf("What was counted in %s is left out, because other sessions were active "+
					"meanwhile: %s", in(of.repetitions), names))
			continue
		}
		c.Warnings = append(c.Warnings,
			fmt.Sprintf("Other sessions were active in %s, and their work is counted too: %s", in(of.repetitions), names))
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

// mayBeOthers stands for short sessions of unknown owners.
const mayBeOthers = "sessions that cannot be told from its own"

// alike leaves out repetitions in which more sessions connected than in most: a constant operation always connects as
// often, so the others may be foreign. If there is no such majority, or others connect during idle times, any
// repetition may include the work of others. Without a count of sessions, as in 13, it uses the rows written.
func (c *Cost) alike(run *counts.Run, repetitions []counts.Repetition) (same []counts.Repetition) {
	if len(c.Others) > 0 {
		return repetitions // already marked
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
		c.Warnings = append(c.Warnings, fmt.Sprintf("What was counted in %s is left out, because other sessions "+
			"may have been active meanwhile (%s: up to %s, and %s in the others)",
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
	c.Warnings = append(c.Warnings, "Other sessions may have been active meanwhile, and their work is "+
		"counted too ("+why+"; whose they were is unknown)")
}

// tally returns a number of a repetition, if known.
type tally func(counts.Repetition) (float64, bool)

// written returns the rows written in the operation's database.
func written(r counts.Repetition) (float64, bool) {
	sum, err := rows(counts.Load{}, r.AsRead())
	return sum, err == nil
}

// in returns the number for each repetition; nil if one is unknown.
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

// othersIn returns who else was active in a repetition, seen as sessions, or by rows written elsewhere.
func othersIn(run *counts.Run, load counts.Load, r counts.Repetition) (others runfile.Others) {
	for _, o := range run.Others {
		if o.Load == load.Name && o.Repetition == r.Number {
			others = o.Others
			others.Who = slices.Clone(o.Who)
		}
	}
	if rows := rowsElsewhere(r); rows > 0 {
		others.Who = append(others.Who, "sessions in other databases, which wrote "+printable.Counted(int(rows), "row"))
	}
	return others
}

// rowsElsewhere returns the rows written in other databases, the only trace of a short session.
func rowsElsewhere(r counts.Repetition) (sum float64) {
	for _, column := range []string{"tup_inserted", "tup_updated", "tup_deleted"} {
		all, here := r.Counts["pgstat.cluster/"+column], r.Counts["pgstat.database/"+column]
		if all.Missing == nil && here.Missing == nil {
			sum += all.Raw - here.Raw
		}
	}
	return sum
}

// wrote says how much others have reported, if the server shows it. A busy session reports once a second, so it may
// have written more, or earlier.
func (of *company) wrote() string {
	var bytes, writes, fsyncs int64
	for _, o := range of.reported {
		if o.WALFsyncs == nil {
			return " (PostgreSQL 18 and later show how much WAL each session wrote, to roles with pg_read_all_stats)"
		}
		bytes += o.WALBytes
		writes += *o.WALWrites
		fsyncs += *o.WALFsyncs
	}
	if bytes == 0 && writes == 0 && fsyncs == 0 {
		return " (sessions that are still there have reported no WAL so far)"
	}
	return fmt.Sprintf(" (of %s bytes of WAL, sessions that are still there have reported %s so far, with %s "+
		"writes and %s fsyncs)", printable.Count(of.walBytes), printable.Count(bytes), printable.Count(writes),
		printable.Count(fsyncs))
}

// withBackground drops a background that was disturbed whenever it was measured: others' work then would be subtracted
// from the operation's.
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
		"The server's own background work is unknown, and nothing was subtracted: other sessions were active when "+
			"it was measured")
	asRead := make([]counts.Repetition, len(repetitions))
	for i, r := range repetitions {
		asRead[i] = r.AsRead()
	}
	return asRead
}

// unseen reports whether nothing shows that a command used this database: it may have used another.
func unseen(run *counts.Run, load counts.Load) bool {
	if o := run.Header.Operation; o.SessionsKnown || o.SessionsNamed || run.Header.Target.Pooler {
		return false
	}
	for _, r := range load.Repetitions {
		rows, _ := written(r)
		if sessions, known := connected(r); !known || sessions+rows > 0 {
			return false
		}
	}
	return true
}

// warnOfOpen warns if the server's counts may be less than the operation's.
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
	if unseen(run, load) {
		c.Incomplete, c.Lacks = true, notSeen
		c.Warnings = append(c.Warnings, "The command did nothing here: no session connected to the database, and no row "+
			"was written. It finds this server by PGHOST, PGPORT, PGDATABASE or DATABASE_URL; if its sessions were "+
			"connected before, name them with --count")
	}
	if len(goesOn) > 0 {
		c.Warnings = append(c.Warnings,
			fmt.Sprintf("After %s, processes that it started went on: what they do later is not counted, or in a "+
				"later repetition", in(goesOn)))
	}
	switch {
	case len(staying) == 0:
	case run.Header.Target.Pooler:
		c.Lacks = pooled
		c.Warnings = append(c.Warnings, sentence(pooled))
	default:
		c.Warnings = append(c.Warnings,
			fmt.Sprintf("After %s, sessions stayed open that are its own or may be: what they did last may not be "+
				"counted yet. Where they were there before, name them with --count", in(staying)))
	}
}

// warnOfSwitches names the repetitions in which the server filled a WAL file with zeros and went on to the next, because
// of pg_switch_wal() or archive_timeout.
func (c *Cost) warnOfSwitches(repetitions []counts.Repetition) {
	var switched []int
	for _, r := range repetitions {
		all, known := grew(r, metric.InsertPosition)
		if !known || r.Log == nil || r.Log.Missing != nil || !r.Log.Exact() {
			continue
		}
		const fill, worthwhile = 8, 64 << 10 // records are aligned; small pages have headers of three percent
		if zeros := all - r.Log.Sum.Bytes - fill*r.Log.Sum.Records - all/32; zeros > worthwhile {
			switched = append(switched, r.Number)
		}
	}
	if len(switched) > 0 {
		c.Warnings = append(c.Warnings, "The server switched to a new WAL file in "+in(switched)+": wal_bytes, wal_writes and "+
			"the counts of the device include the zeros that filled the old one")
	}
}

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
