package tally

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// buildLoads makes loads from the plan and the attempts, and records why attempts were left out.
func (b *builder) buildLoads() {
	for _, load := range b.run.Header.Plan.Loads {
		if _, twice := b.places[load.Name]; twice {
			b.notes.add("load-twice", fmt.Sprintf("The plan names the load %s twice; the first is used", load.Name))
			continue
		}
		b.addLoad(load)
	}
	overlaps, check := b.overlaps(), checks{b}
	busy := b.busyUntil()
	var vacuumed vacuumed
	for _, a := range b.attempts {
		a.clients.complete()
		load := b.loadOf(a)
		why := cmp.Or(a.defect(load.Idle()), overlaps[a], b.changedSetting(a), a.outsideWindow())
		if why != "" {
			load.LeftOut = append(load.LeftOut, counts.LeftOut{Repetition: a.repetition, Why: why})
			continue
		}
		check.load(a)
		if a.vacuumed != nil {
			vacuumed.add(*a.vacuumed)
		}
		if a.others != nil {
			b.run.Others = append(b.run.Others, counts.OthersWorked{Load: a.load, Repetition: a.repetition,
				Others: *a.others})
		}
		r := b.repetition(a, load.Idle(), busy)
		r.Autovacuum = a.vacuumed
		b.dropImpossible(*load, r)
		check.proof(a, load.Load, r)
		check.anatomy(load.Load, r)
		load.Repetitions = append(load.Repetitions, r)
		for _, why := range a.warm() {
			if !slices.Contains(load.Warm, why) {
				load.Warm = append(load.Warm, why)
			}
		}
	}
	if text := vacuumed.text(); text != "" {
		b.notes.add("autovacuum", text)
	}
	for i := range b.run.Loads {
		b.run.Loads[i].Waits = b.waits(b.run.Loads[i])
		slices.SortStableFunc(b.run.Loads[i].Repetitions, func(a, b counts.Repetition) int {
			return cmp.Compare(a.Number, b.Number)
		})
	}
}

func (b *builder) addLoad(load runfile.Load) {
	b.places[load.Name] = len(b.run.Loads)
	b.run.Loads = append(b.run.Loads, counts.Load{Load: load})
}

func (b *builder) loadOf(a *attempt) *counts.Load {
	_, known := b.places[a.load]
	switch factors, told := b.factors[a.load]; {
	case known:
	case told:
		factors.Name = a.load
		b.addLoad(factors)
	default:
		b.notes.add("load-unplanned", fmt.Sprintf("The load %s is not in the plan, so its indexes are not known", a.load))
		b.addLoad(runfile.Load{Name: a.load, Method: counts.Unplanned})
	}
	return &b.run.Loads[b.places[a.load]]
}

// warm returns what kept pages of a cold load's table in memory.
func (a *attempt) warm() (why []string) {
	if a.cold != nil && a.cold.Buffered != "" {
		why = append(why, "shared_buffers kept what they had of its table, since "+a.cold.Buffered)
	}
	if a.cold != nil && a.cold.Missing != "" {
		why = append(why, "the kernel was not asked to forget its table, since "+a.cold.Missing)
	}
	return why
}

// defect returns why an attempt must not be used; empty if it may.
func (a *attempt) defect(idle bool) string {
	switch {
	case a.untimed():
		return a.failed
	case len(a.begins) == 0 && len(a.ends) == 0 && a.clients.lines == 0:
		return "it was never begun: the run was cut off"
	case len(a.begins) == 0 && len(a.ends) == 0:
		return "nothing but the load was recorded"
	case len(a.begins) == 0:
		return "it ended without having begun"
	case len(a.begins) > 1 || len(a.ends) > 1:
		return "it was begun or ended twice, so what belongs to which cannot be told"
	case a.failed != "":
		return a.failed
	case len(a.ends) == 0:
		return "it never ended: the run was cut off"
	case !a.ends[0].After(a.begins[0]):
		return "it ended before it began: the clock was set"
	case idle && a.clients.work.Transactions > 0:
		return "it should be idle, and yet load was recorded"
	case idle, a.clients.lines == 0 && len(a.totals) > 0: // the latter is a load of others
		return ""
	case a.clients.lines == 0:
		return "no load was recorded"
	case a.clients.negative || a.clients.from.Before(a.begins[0]) || a.clients.to.After(a.ends[0]):
		return "its load lies outside of it: the clock was set"
	case a.clients.overlap > apart:
		return "two lines of its work are of the same time: lines of the file were repeated"
	case a.clients.hole > apart:
		return "its work has no line for " + printable.About(a.clients.hole) + ": lines of the file are missing"
	case a.clients.seconds() <= 0:
		return "its load took no time"
	}
	return ""
}

// apart is the time by which the end of a line of work may differ from the begin of the next.
const apart = 10 * time.Millisecond

// overlaps returns the attempts that ran at the same time: counters cannot be attributed to either.
func (b *builder) overlaps() map[*attempt]string {
	whole := slices.DeleteFunc(slices.Clone(b.attempts), func(a *attempt) bool {
		return len(a.begins) != 1 || len(a.ends) != 1 || !a.ends[0].After(a.begins[0])
	})
	slices.SortStableFunc(whole, func(a, b *attempt) int { return a.begins[0].Compare(b.begins[0]) })
	found := map[*attempt]string{}
	for i, latest := 1, 0; i < len(whole); i++ {
		if whole[i].begins[0].Before(whole[latest].ends[0]) {
			found[whole[i]] = overlapsWith(whole[latest])
			found[whole[latest]] = cmp.Or(found[whole[latest]], overlapsWith(whole[i]))
		}
		if whole[i].ends[0].After(whole[latest].ends[0]) {
			latest = i
		}
	}
	return found
}

func overlapsWith(a *attempt) string {
	return fmt.Sprintf("it overlaps with repetition %d of %s", a.repetition, a.load)
}

// busyUntil returns the times at which loads ended, ascending.
func (b *builder) busyUntil() (ends []time.Time) {
	for _, a := range b.attempts {
		if a.clients.lines > 0 {
			ends = append(ends, a.clients.to)
		}
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends
}

// load notes oddities of a usable load.
func (k checks) load(a *attempt) {
	if err := a.clients.latency.Problem(); err != nil {
		k.notes.add("latency-unreadable", fmt.Sprintf("The latencies of %s %d are left out: %v", a.load,
			a.repetition, err))
	}
	planned, took := k.run.Header.Plan.LoadSeconds, a.clients.seconds()
	if a.clients.lines > 0 && planned > 0 && (took > 2*planned+1 || took < planned/2) {
		k.notes.add("load-length", fmt.Sprintf("The load of %s %d lasted %s s instead of %s", a.load, a.repetition,
			number.Short(took, 3), number.Short(planned, 3)))
	}
}

func (b *builder) repetition(a *attempt, idle bool, busy []time.Time) counts.Repetition {
	r := counts.Repetition{
		Number: a.repetition, Begin: a.begin(), End: a.end(),
		Work: a.clients.work, Latency: a.clients.latency.Quantiles(), Counts: map[string]counts.Count{},
		Sessions: a.sessions, WAL: a.wal,
	}
	loadEnd := r.Begin
	ours := !idle && a.clients.lines > 0
	if ours {
		r.Seconds, loadEnd = a.clients.seconds(), a.clients.to
	}
	var othersEnd time.Time
	if ended := sort.Search(len(busy), func(i int) bool { return busy[i].After(r.Begin) }); ended > 0 {
		othersEnd = busy[ended-1]
	}
	for _, m := range b.run.Counters {
		if m.Type != runfile.Counter {
			continue
		}
		r.Counts[m.Name] = count(b.Series(m.Name), r.Begin, r.End, loadEnd, othersEnd)
		if r.Counts[m.Name].Missing == nil && b.resetSaid(m.Name, r.Begin, r.End) {
			r.Counts[m.Name] = counts.Count{
				Missing: &series.Missing{Reason: series.Reset, Detail: "its view says that it was reset"}}
		}
	}
	if idle {
		r.Quiet = b.quiet(r)
	}
	r.Log = b.anatomy(r, loadEnd, othersEnd)
	if !ours {
		r.Seconds = betweenReadings(r)
	}
	from, to, work := r.Begin, r.End, elapsed
	if ours {
		from, to, work = a.clients.from, a.clients.to, a.clients.workIn
	}
	for metric := range b.stretched {
		if elsewhere := b.elsewhere(a, metric); elsewhere != nil {
			r.Counts[metric] = counts.Count{Missing: elsewhere}
			continue
		}
		r.Counts[metric] = b.countIn(metric, from, to, work)
	}
	b.countTotals(a, r)
	return r
}

// betweenReadings returns the distance of the readings around a repetition, or its length without any.
func betweenReadings(r counts.Repetition) float64 {
	longest := 0.0
	for _, c := range r.Counts {
		longest = max(longest, c.Seconds)
	}
	return cmp.Or(longest, r.End.Sub(r.Begin).Seconds())
}

// resetSaid reports whether the reset time of a PostgreSQL view changed during the repetition. It detects resets that
// later growth hides.
func (b *builder) resetSaid(metric string, begin, end time.Time) bool {
	view, _, _ := strings.Cut(metric, "/")
	when := b.Series(view + "/stats_reset")
	before, errBefore := when.Before(begin)
	after, errAfter := when.Before(end)
	return errBefore == nil && errAfter == nil && before.Value != after.Value
}

// count returns a counter's growth over a repetition. Its readings must lie after all other loads ended and after our
// own ended, and be the last before either end.
func count(s series.Series, begin, end, loadEnd, othersEnd time.Time) counts.Count {
	change, err := s.Delta(begin, end)
	switch {
	case err != nil:
		return counts.Count{Missing: counts.WhyMissing(err)}
	case change.From.Before(othersEnd):
		return counts.Count{Missing: stale(change.From, "while another load still ran")}
	case change.To.Before(loadEnd):
		return counts.Count{Missing: stale(change.To, "while its load still ran")}
	case s.Lacked(change.From, begin):
		return counts.Count{Missing: stale(change.From, "and not in later readings")}
	case s.Lacked(change.To, end):
		return counts.Count{Missing: stale(change.To, "and not in later readings")}
	}
	return counts.Count{Amount: change.Amount, Raw: change.Amount, Seconds: change.Seconds()}
}

func stale(at time.Time, when string) *series.Missing {
	detail := fmt.Sprintf("last read at %s, %s", at.UTC().Format("15:04:05.000"), when)
	return &series.Missing{Reason: series.Reason(runfile.Late), Detail: detail}
}

// changedSetting returns how a setting differed, or may have differed, during an attempt from the head of the file;
// empty if none did.
func (b *builder) changedSetting(a *attempt) string {
	begin, end := a.begin(), a.end()
	now := map[string]runfile.SettingChange{} // at the begin of the attempt
	for _, change := range b.run.SettingChanges {
		switch {
		case change.Setting == runfile.Tablespaces: // the load's table is in none that comes later
		case change.Since.Before(end) && change.At.After(begin):
			return fmt.Sprintf("%s changed from %s to %s meanwhile, or shortly before or after", change.Setting,
				change.From, change.To)
		case !change.At.After(begin):
			now[change.Setting] = change
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was := b.run.Header.Target.Settings[name]; was != now[name].To {
			return fmt.Sprintf("%s is %s, and was %s when the run began", name, now[name].To, was)
		}
	}
	return ""
}

// countedTooFew is the share by which a count may fall short of the possible minimum, since readings differ in time.
const countedTooFew = 0.02

// leastRecordBytes is the size of a WAL record's header: XLogRecord in PostgreSQL's xlogrecord.h.
const leastRecordBytes = 24

// bound is the least possible amount of a quantity, and why.
type bound struct {
	of    metric.Quantity
	least float64
	why   string
}

// bounds returns the least that PostgreSQL needs for a repetition's work. Aurora's counters of the same names count
// something else.
func (b *builder) bounds(a counts.Load, r counts.Repetition) (all []bound) {
	target := b.run.Header.Target
	if a.Idle() || !a.Inserts() || target.Flavor == "aurora" {
		return nil
	}
	rows, commits := float64(r.Work.Rows), float64(r.Work.Transactions)
	records := rows*float64(max(0, a.Indexes)) + commits
	why := "each index entry and each commit makes at least one"
	if a.Method != counts.Copy { // COPY puts many rows into one
		records += rows
		why = "each row, each index entry and each commit makes at least one"
	}
	all = append(all, bound{metric.WALRecords, records, why}, bound{metric.WALBytes, leastRecordBytes * records,
		"a WAL record has at least 24 bytes"})
	settings := target.Settings
	waits := settings["fsync"] == "on" && settings["synchronous_commit"] == "on" && a.SynchronousCommit == ""
	// the other methods fsync as they write
	counted := settings["wal_sync_method"] == "fdatasync" || settings["wal_sync_method"] == "fsync"
	if waits && counted && a.Clients > 0 && commits > 0 {
		all = append(all, bound{metric.WALSyncs, commits / float64(a.Clients),
			"one serves at most the commits of all " + printable.Counted(a.Clients, "client")})
	}
	return all
}

// dropImpossible replaces counts that are too low to be true by a reason.
func (b *builder) dropImpossible(a counts.Load, r counts.Repetition) {
	for _, possible := range b.bounds(a, r) {
		least := possible.least * (1 - countedTooFew)
		for _, m := range metric.All().Making(possible.of) {
			count, known := r.Counts[m.Name]
			if !known || count.Missing != nil || count.Raw >= least || m.Derived != nil {
				continue
			}
			text := fmt.Sprintf("%s %s for %s rows in %s transactions is impossible, because %s (%s): the "+
				"counter lost some, or the rows are not this server's", printable.Count(count.Raw), possible.of.Many(),
				printable.Count(r.Work.Rows), printable.Count(r.Work.Transactions), possible.why,
				printable.Count(possible.least))
			r.Counts[m.Name] = counts.Count{Missing: &series.Missing{Reason: counts.Impossible, Detail: text}}
			b.notes.add("impossible", fmt.Sprintf("%s of %s %d is left out: %s", m.Name, a.Name, r.Number, text))
		}
	}
}
