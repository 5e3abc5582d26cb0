package counts

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
)

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
	// RowsPerSecond holds the row changes in the whole windows that counted them, by kind; kinds not counted are
	// absent.
	RowsPerSecond map[string]float64
	// Backups are the base backups that were streamed, by pg_stat_progress_basebackup.
	Backups []Backup
	// Coarse is the same observation in windows twice as long, which do not share the accidents of these.
	Coarse *Run
}

// UnreadText says in how many windows the server's own counters were not followed, and why; empty if none.
func (o *Observation) UnreadText() string {
	if o.Unread == 0 {
		return ""
	}
	return fmt.Sprintf("In %s of %s windows of %s the server's own counters could not be read, and no number here "+
		"includes those windows: %s.", printable.Count(o.Unread), printable.Count(o.Windows),
		printable.Duration(o.Window), strings.TrimSuffix(o.Why, "."))
}

// LackingText says what keeps windows from being whole, if at least a quarter of them are not; else empty.
func (o *Observation) LackingText() string {
	if o.Lacking == 0 || 4*o.Lacking < o.Windows {
		return ""
	}
	return fmt.Sprintf("%s of %s windows of %s lack a counter that the others have, most often %s (%s). They are "+
		"left out.",
		printable.Count(o.Lacking), printable.Count(o.Windows), printable.Duration(o.Window), metric.Printed(o.Lacked,
			0),
		strings.TrimSuffix(o.WhyLacked, "."))
}

// Backup is a base backup, or several at a time, from the first reading that showed one to the last.
type Backup struct{ From, To time.Time }
