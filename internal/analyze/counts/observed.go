package counts

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/series"
)

// tally names the counters of the work done: in all databases, or in the one that a source covers.
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

// observedQuantities sets up the quantities that our clients count in an experiment to use counters in an observation.
func observedQuantities(all []Quantity, by tally) {
	for i := range all {
		switch d := &all[i]; d.Name {
		case metric.RowsWritten:
			d.Help, d.From, d.how = "rows inserted, updated and deleted, "+by.of, by.rows, addition
		case metric.Entries:
			d.Help, d.how = "rows and the index entries written for them", addition
			d.From = append(by.rows[:3:3], metric.TablesIndexEntriesLeast)
		case metric.Commits:
			d.Help, d.From = "transactions committed "+by.of+", read-only ones included", []string{by.commits}
		case metric.WALBytes: // in data that others scraped this may be all
			d.From = append(d.From[:len(d.From):len(d.From)], metric.StatWALBytes)
			d.count = firstOf(d.From...)
		case metric.Statements:
			d.Help = "statements, which an observation does not count"
		}
	}
}

// seenWork returns from counters what clients would have counted in a repetition.
func (r Repetition) seenWork(quantity metric.Quantity) (float64, error) {
	switch quantity {
	case metric.RowsWritten:
		return r.sumCounts(r.tally().rows...)
	case metric.Commits:
		return r.Count(r.tally().commits)
	case metric.Entries:
		return r.seenEntries()
	default:
		return 0, uncounted(string(quantity))
	}
}

// sameWithin is the largest relative difference at which two counts are the same.
const sameWithin = 0.01

// seenEntries assumes that our database did all the work, and that each row takes one entry in each index. If that does
// not hold, entries are unknown.
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
	case all-ours > sameWithin*all:
		detail := fmt.Sprintf("%.0f%% of the rows are in other databases, whose indexes are not visible from this one",
			100*(all-ours)/all)
		return 0, &series.Missing{Reason: NotRecorded, Detail: detail}
	case most-least > sameWithin*most:
		return 0, &series.Missing{Reason: NotRecorded,
			Detail: "some indexes do not get one entry per row (partial, GIN, BRIN)"}
	}
	return all + least, nil
}

// Failures returns the number of failed transactions of our clients.
func (r *Run) Failures(of Repetition) (float64, error) {
	if r.Observed != nil {
		return 0, uncounted("transactions that failed")
	}
	return float64(of.Work.Failures), nil
}

// uncounted is the error for what only our own clients count.
func uncounted(what string) error {
	return &series.Missing{Reason: NotRecorded, Detail: "an observation does not count " + what}
}

// Observation describes a run that put no load on the server, and the use of its windows.
type Observation struct {
	Window time.Duration // the length of each window
	// Period is the longest period if every source has periods; 0 otherwise.
	Period time.Duration
	// Windows is the number of windows. Whole counts those with nothing missing and no counter reset. Quiet counts the
	// whole ones with next to no writes, and Used those of the rest that are used. The others span a change of load, or
	// are too few of their kind.
	Windows, Whole, Quiet, Used int
	// Unread is the number of windows in which the server's own counters could not be followed, because it was away or
	// they were reset. Why is the most frequent reason.
	Unread int
	Why    string
	// Lacking is the number of other windows that are not whole. Lacked is the metric that most of them lack, and
	// WhyLacked the latest reason.
	Lacking           int
	Lacked, WhyLacked string
	// Uneven names the counters that were read in many windows, and are known in few; empty if there are none.
	Uneven string
	// RowsPerSecond holds the row changes in the whole windows that counted them, by kind; kinds not counted are
	// absent.
	RowsPerSecond map[string]float64
	// SetBack says what the observation lost by a clock that was set back.
	SetBack SetBack
	// Backups are the base backups that were streamed, by pg_stat_progress_basebackup.
	Backups []Backup
}

// UnreadText says in how many windows the server's own counters were not followed, and why; empty if none.
func (o *Observation) UnreadText() string {
	if o.Unread == 0 {
		return ""
	}
	return fmt.Sprintf("In %s of %s windows of %s the server's own counters could not be followed, and no number here "+
		"includes those windows: %s.", printable.Count(o.Unread), printable.Count(o.Windows),
		printable.Duration(o.Window), strings.TrimSuffix(o.Why, "."))
}

// LackingText says what keeps windows from being whole, if at least a quarter of them are not, and which counters are
// too uneven for windows; else empty.
func (o *Observation) LackingText() string {
	uneven := ""
	if o.Uneven != "" {
		uneven = fmt.Sprintf("Read too unevenly for windows of %s, and so without figures: %s.",
			printable.Duration(o.Window), o.Uneven)
	}
	if o.Lacking == 0 || 4*o.Lacking < o.Windows {
		return uneven
	}
	return strings.TrimSpace(fmt.Sprintf("%s of %s windows of %s lack a counter that the others have, most often %s (%s). They are "+
		"left out.",
		printable.Count(o.Lacking), printable.Count(o.Windows), printable.Duration(o.Window), metric.Printed(o.Lacked,
			0), strings.TrimSuffix(o.WhyLacked, ".")) + " " + uneven)
}

// SetBack is a clock that was set back, and the readings that are left out since their seconds come a second time.
type SetBack struct {
	At   time.Time     // by the clock before it was set, the last time
	By   time.Duration // the most
	Lost int           // readings of one probe
}

// Text says what was lost; empty if nothing was.
func (s SetBack) Text() string {
	if s.Lost == 0 {
		return ""
	}
	return fmt.Sprintf("The clock was set back by %s at %s, and what was read until it had caught up (%s) is left out.",
		printable.About(s.By), s.At.UTC().Format("2006-01-02 15:04:05 MST"), printable.Counted(s.Lost, "reading"))
}

// Backup is a base backup, or several at a time, from the first reading that showed one to the last.
type Backup struct{ From, To time.Time }
