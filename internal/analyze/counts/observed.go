package counts

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
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
	// Lacking is the number of the other windows that are not whole. Lacked is the metric that most of them lack, and
	// WhyLacked why the last of them did.
	Lacking           int
	Lacked, WhyLacked string
	// RowsPerSecond holds the changes to rows in the whole windows that counted them; other kinds are absent.
	RowsPerSecond map[string]float64
	// Backups are the base backups that were streamed, by pg_stat_progress_basebackup.
	Backups []Backup
	// Coarse is the same observation in windows twice as long: what is so in these only by chance is not so in those.
	Coarse *Run
}

// UnreadText says in how many windows the server's own counters were not followed, and why; empty: in none.
func (o *Observation) UnreadText() string {
	if o.Unread == 0 {
		return ""
	}
	return fmt.Sprintf("In %d of %d windows of %s the server's own counters could not be followed, and no number here "+
		"includes those: %s.", o.Unread, o.Windows, printable.Duration(o.Window), strings.TrimSuffix(o.Why, "."))
}

// LackingText says what keeps windows from being whole, if that is so in a quarter of them at least; empty: it is not.
func (o *Observation) LackingText() string {
	if o.Lacking == 0 || 4*o.Lacking < o.Windows {
		return ""
	}
	return fmt.Sprintf("%d of %d windows of %s lack a counter that others have, most often %s (%s), and belong to no kind of "+
		"load.", o.Lacking, o.Windows, printable.Duration(o.Window), metric.Printed(o.Lacked, 0),
		strings.TrimSuffix(o.WhyLacked, "."))
}

// tally is which counters tell what was done: those of all databases, or of the one that a source tells of.
type tally struct {
	rows    []string
	commits string
	of      string // in words
}

func tallyOf(counts func(metric string) bool) tally {
	if !counts(metric.ClusterTupInserted) && counts(metric.DatabaseTupInserted) {
		return tally{[]string{metric.DatabaseTupInserted, metric.DatabaseTupUpdated, metric.DatabaseTupDeleted},
			metric.DatabaseXactCommit, "in its database"}
	}
	return tally{[]string{metric.ClusterTupInserted, metric.ClusterTupUpdated, metric.ClusterTupDeleted},
		metric.CommitsOfAll, "in all databases"}
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
			d.Help, d.how = "rows and the index entries written for them", addition
			d.From = append(by.rows[:3:3], metric.TablesIndexEntriesLeast)
		case Commits:
			d.Help, d.From = "transactions committed "+by.of+", read-only ones included", []string{by.commits}
		case WALBytes: // of what others scraped this may be all
			d.From = append(d.From[:len(d.From):len(d.From)], metric.StatWALBytes)
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
	ours, err := r.sumCounts(metric.DatabaseTupInserted, metric.DatabaseTupUpdated, metric.DatabaseTupDeleted)
	if err != nil {
		return 0, err
	}
	least, err := r.Count(metric.TablesIndexEntriesLeast)
	if err != nil {
		return 0, err
	}
	most, err := r.Count(metric.TablesIndexEntriesMost)
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
