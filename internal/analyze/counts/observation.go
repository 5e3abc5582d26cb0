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

// Backup is a base backup, or several at once, from the first reading that found one streamed to the last.
type Backup struct{ From, To time.Time }
