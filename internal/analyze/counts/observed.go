package counts

import (
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts/sieve"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Observation describes a run that put no load on the server, and the use of its windows.
type Observation struct {
	Window time.Duration // the length of each
	// Period is the longest period of a source that has nothing else; 0: something was read.
	Period time.Duration
	// Windows are those that the observation has; of them so many were Whole (nothing was missing, no counter began
	// anew), of these so many Quiet (next to nothing was written), and of the rest so many are Used: the others lie
	// where one load went over into another, or are too few of their kind.
	Windows, Whole, Quiet, Used int
	// Unread is the number of windows in which the server's own counters could not be followed, because it was away
	// or they began anew; Why is the reason in most of them.
	Unread int
	Why    string
	// RowsPerSecond holds the changes to rows in the whole windows that counted them; other kinds are absent.
	RowsPerSecond map[string]float64
	// Backups are the base backups that were streamed, by pg_stat_progress_basebackup.
	Backups []Backup
	// Coarse is the same observation in windows twice as long: what is so in these only by chance is not so in those.
	Coarse *Run
}

// What an observation counts rows and transactions by, since no clients of ours do.
const (
	clusterCommits  = metric.CommitsOfAll
	clusterInserted = metric.ClusterTupInserted
	clusterUpdated  = metric.ClusterTupUpdated
	clusterDeleted  = metric.ClusterTupDeleted
	oursInserted    = metric.DatabaseTupInserted
	oursUpdated     = metric.DatabaseTupUpdated
	oursDeleted     = metric.DatabaseTupDeleted
	oursCommits     = metric.DatabaseXactCommit
	entriesLeast    = metric.TablesIndexEntriesLeast
	entriesMost     = metric.TablesIndexEntriesMost
	statWALBytes    = metric.StatWALBytes
	seen            = runfile.Observed // the method of a load that nobody ran
)

// tally is which counters tell what was done: those of all databases, or of the one that a source tells of.
type tally struct {
	rows    []string
	commits string
	of      string // in words
}

func tallyOf(counts func(metric string) bool) tally {
	if !counts(clusterInserted) && counts(oursInserted) {
		return tally{[]string{oursInserted, oursUpdated, oursDeleted}, oursCommits, "in its database"}
	}
	return tally{[]string{clusterInserted, clusterUpdated, clusterDeleted}, clusterCommits, "in all databases"}
}

func (r Repetition) tally() tally {
	return tallyOf(func(metric string) bool { _, told := r.Counts[metric]; return told })
}

// observedQuantities are the quantities that our own clients count in an experiment, as counters tell of them in an
// observation.
func observedQuantities(all []Quantity, by tally) {
	for i := range all {
		d := &all[i]
		switch d.Name {
		case Rows:
			d.Help, d.From, d.how = "rows inserted, updated and deleted, "+by.of, by.rows, addition
		case Entries:
			d.Help, d.From, d.how = "rows and the index entries written for them", append(by.rows[:3:3], entriesLeast),
				addition
		case Commits:
			d.Help, d.From = "transactions committed "+by.of+", read-only ones included", []string{by.commits}
		case WALBytes: // of what others scraped this may be all
			d.From = append(d.From[:len(d.From):len(d.From)], statWALBytes)
			d.count = firstOf(d.From...)
		case Statements:
			d.Help = "statements, which an observation does not count"
		}
	}
}

// sumCounts adds up metrics of which none may be missing.
func (r Repetition) sumCounts(metrics ...string) (sum float64, err error) {
	for _, m := range metrics {
		value, err := r.Count(m)
		if err != nil {
			return 0, err
		}
		sum += value
	}
	return sum, nil
}

// seenWork returns what a repetition of an observation counts in place of clients.
func (r Repetition) seenWork(quantity string) (float64, error) {
	switch quantity {
	case Rows:
		return r.sumCounts(r.tally().rows...)
	case Commits:
		return r.Count(r.tally().commits)
	case Entries:
		return r.seenEntries()
	default:
		return 0, uncounted(quantity)
	}
}

// oneInAHundred is by how much two ways to count may differ before they are not the same.
const oneInAHundred = 0.01

// seenEntries takes it that the database which we are connected to did all the work, and indexes of which each row
// takes one entry; where it is not so, entries are not known.
func (r Repetition) seenEntries() (float64, error) {
	all, err := r.sumCounts(r.tally().rows...)
	if err != nil {
		return 0, err
	}
	ours, err := r.sumCounts(oursInserted, oursUpdated, oursDeleted)
	if err != nil {
		return 0, err
	}
	least, err := r.Count(entriesLeast)
	if err != nil {
		return 0, err
	}
	most, err := r.Count(entriesMost)
	switch {
	case err != nil:
		return 0, err
	case all-ours > oneInAHundred*all:
		detail := fmt.Sprintf("%.0f%% of the rows are in other databases, whose indexes cannot be seen from here",
			100*(all-ours)/all)
		return 0, &series.Missing{Reason: NotRecorded, Detail: detail}
	case most-least > oneInAHundred*most:
		return 0, &series.Missing{Reason: NotRecorded,
			Detail: "some indexes do not get one entry per row (partial, GIN, BRIN)"}
	}
	return all + least, nil
}

// observer makes windows of an observation, which nobody put a load on.
type observer struct{ *builder }

// keepThin takes what is left of the readings of an observation into series. Where a source tells of periods, windows
// are long enough to hold them, and where nothing else is told the longest of them.
func (o observer) keepThin() {
	if len(o.periods) > 0 && !o.onlyPeriods() {
		o.thin.OnGrid()
	}
	if o.onlyPeriods() {
		from, to, longest := o.spanOfPeriods()
		o.thin.LengthenTo(max(longest, to.Sub(from)/sieve.MostWindows))
	}
	for row := range o.thin.Rows {
		o.keep(row)
	}
}

func (o observer) observe() {
	o.run.Observed = o.inWindows(&o.run.Loads, 1)
	o.run.Observed.Backups = o.backups.all
	coarse := &Run{Header: o.run.Header, Ended: o.run.Ended, Torn: o.run.Torn, Counters: o.run.Counters,
		series: o.series}
	coarse.Observed = o.inWindows(&coarse.Loads, 2)
	o.run.Observed.Coarse = coarse
}

// inWindows cuts windows of so many times the usual length and groups them.
func (o observer) inWindows(loads *[]Load, times int64) *Observation {
	made := &Observation{Window: time.Duration(times * o.thin.Length)}
	if o.onlyPeriods() {
		_, _, made.Period = o.spanOfPeriods()
	}
	all := o.cutWindows(times)
	made.Windows = len(all)
	made.Unread, made.Why = unread(all)
	whole := o.wholeWindows(all)
	made.Whole = len(whole)
	made.RowsPerSecond = rowsPerSecond(whole)
	busy := busyWindows(whole)
	made.Quiet = len(whole) - len(busy)
	groups := grouped(busy)
	if len(groups) == 0 && made.Period > 0 && len(busy) >= fewestWindows { // nothing tells kinds of load apart
		groups = [][]window{busy}
	}
	for _, g := range groups {
		made.Used += len(g)
		*loads = append(*loads, loadOf(len(*loads), g))
	}
	return made
}

// unread counts the windows in which the server's commits could not be followed, which all versions count for all
// roles.
func unread(all []window) (n int, why string) {
	times := map[string]int{}
	for _, w := range all {
		count, asked := w.repetition.Counts[clusterCommits]
		if !asked || count.Missing == nil {
			continue
		}
		n++
		reason := count.Missing.Error()
		times[reason]++
		if times[reason] >= times[why] { // of two as often, what was so last
			why = reason
		}
	}
	return n, why
}

// rowsPerSecond returns what was done to rows in a second, by the windows that counted it.
func rowsPerSecond(whole []window) map[string]float64 {
	rates := map[string]float64{}
	for name, metric := range map[string]string{
		"inserted": clusterInserted, "updated": clusterUpdated, "deleted": clusterDeleted, "hot": withinPage,
		"index_entries": entriesLeast,
	} {
		amount, seconds := 0.0, 0.0
		for _, w := range whole {
			if c, known := w.repetition.Counts[metric]; known && c.Missing == nil {
				amount, seconds = amount+c.Amount, seconds+c.Seconds
			}
		}
		if seconds > 0 {
			rates[name] = amount / seconds
		}
	}
	return rates
}

// Failures returns the transactions of our clients that failed.
func (r *Run) Failures(of Repetition) (float64, error) {
	if r.Observed != nil {
		return 0, uncounted("transactions that failed")
	}
	return float64(of.Work.Failures), nil
}

// uncounted is why nothing is known of what only clients of ours count.
func uncounted(what string) error {
	return &series.Missing{Reason: NotRecorded, Detail: "an observation does not count " + what}
}

// Backup is a base backup, or several at once, from the first reading that found one streamed to the last.
type Backup struct{ From, To time.Time }

// backups finds base backups in the readings of an observation as they come, since few of them are kept.
type backups struct {
	all     []Backup
	running bool // by the last reading
}

// mostBackups bounds the backups that are told apart; later ones count as one.
const mostBackups = 1000

func (b *backups) take(r runfile.Row) {
	i := slices.Index(r.Names, metric.BaseBackups)
	if i < 0 {
		return
	}
	was := b.running
	b.running = r.Values[i] > 0
	switch {
	case !b.running:
	case was || len(b.all) == mostBackups:
		b.all[len(b.all)-1].To = r.At
	default:
		b.all = append(b.all, Backup{r.At, r.At})
	}
}
