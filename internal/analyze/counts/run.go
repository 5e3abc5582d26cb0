package counts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Run is the content of a run file, load by load.
type Run struct {
	Header runfile.Run
	File   string             // tells the run from others in a text; empty: its id does
	Ended  *runfile.Ended     // nil: the run was cut off
	Torn   *runfile.TornError // nil: the file ends with a whole line
	Loads  []Load             // in the order of the plan, then as they came
	// Counters are the metrics with an amount over a stretch of time, by name: cumulative ones, and those with periods.
	// Repetition.Counts is keyed by their names.
	Counters []runfile.Metric
	Idle     Background
	Notes    []Note
	// Others are the repetitions that are used although others worked on the server meanwhile.
	Others []OthersWorked
	// OtherSessions is the number of foreign sessions that connected to an operation's database.
	OtherSessions int64
	// SettingChanges are the changes of server settings that were noticed, in order.
	SettingChanges []runfile.SettingChange
	// Uncollected says which AWS metrics were not collected, and why; Unpublished says which ones AWS does not have.
	// Empty if none.
	Uncollected, Unpublished string
	Undescribed              string           // names metrics with readings and no description; empty if none
	Origins                  []runfile.Origin // of figures that realiops did not read itself
	Observed                 *Observation     // nil: the run put load on the server
	// of statements, tables, indexes and WAL contents, if they were read
	Top  []Top
	Tops []runfile.Top // as read, in no order
	// OfServer: the device's work is counted by requests for this server's files. Others may use the device, and each
	// request was traced to its file under every load.
	OfServer bool
	Source   Source // nil: only the loads are known
	Narrowed bool   // to what one metric saw: see Over
}

// Name returns the name that tells the run from others in a text.
func (r *Run) Name() string { return cmp.Or(r.File, runfile.ShownID(r.Header.ID)) }

// Load is a load of the run with its repetitions.
type Load struct {
	runfile.Load
	Repetitions []Repetition // the usable ones, by number
	LeftOut     []LeftOut
	Waits       []Wait // nil if unknown
	// Warm says why a cold load may have found some of its table in memory; empty if it could not.
	Warm []string
}

// LeftOut is a repetition that must not be used, and why.
type LeftOut struct {
	Repetition int
	Why        string
}

// OthersWorked is a repetition during which others worked on the server, and how much.
type OthersWorked struct {
	Load       string
	Repetition int
	runfile.Others
}

// Repetition is one execution of a load.
type Repetition struct {
	Number     int
	Begin, End time.Time
	// Seconds is how long the load ran, from the first client's start to the last one's end; for an idle load, from its
	// first reading to its last.
	Seconds    float64
	Work       Work
	Latency    *latency.Quantiles  // nil if none was recorded
	Counts     map[string]Count    // by metric
	Log        *Anatomy            // as read; nil in a run that did not try. See Load.Anatomy
	WAL        *runfile.WAL        // its tables and indexes; nil in a run that did not ask
	Autovacuum *runfile.Autovacuum // what it did meanwhile; nil: nothing
	// Sessions is the number of sessions that connected to an operation's database meanwhile; nil if not counted.
	Sessions *int64
	// Variants are the same repetition with the background of one idle repetition subtracted instead of the mean of
	// all. Their spread is the uncertainty due to the background.
	Variants []Repetition
	Windows  []Repetition // of an observation, in order: what the repetition was merged from

	Quiet map[string]Count // of an idle repetition, by metric: before its end; nil if not read
}

// Work counts our own clients' work, which is known exactly.
type Work struct {
	Transactions, Statements int64
	Rows                     int64 // inserted, updated or deleted
	Updated, Deleted         int64
	Returned                 int64 // rows that statements returned, or examined to do so
	Lookups                  int64 // index descents
	Failures, Retries, Late  int64
	Counted                  int64 // rows that we counted one by one after the load, in the periods of a source with periods
}

// Count is a counter's growth caused by a repetition.
type Count struct {
	Amount  float64         // with the background taken off, if known
	Raw     float64         // as read
	Seconds float64         // between the two readings
	Error   float64         // standard deviation given by its source, such as a digitized chart
	Missing *series.Missing // not nil: there is no count
}

// Count returns a counter's growth in the repetition, with the background taken off. The error is a *series.Missing.
func (r Repetition) Count(metric string) (float64, error) {
	c, known := r.Counts[metric]
	switch {
	case !known:
		return 0, &series.Missing{Reason: NotRecorded, Detail: notRead(metric)}
	case c.Missing != nil:
		return 0, c.Missing
	}
	return c.Amount, nil
}

// sumCounts adds up metrics; none may be missing.
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

// Lasted returns Seconds. The error is a *series.Missing.
func (r Repetition) Lasted() (float64, error) {
	if r.Seconds <= 0 {
		return 0, &series.Missing{Reason: NotRecorded, Detail: "its length is unknown"}
	}
	return r.Seconds, nil
}

// PerSecond returns count as a rate over the repetition. The error is a *series.Missing.
func (r Repetition) PerSecond(count float64, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	seconds, err := r.Lasted()
	return count / seconds, err
}

// Wait is the number of sessions that waited for an event, or were active, on average over the repetitions of a load.
// Performance Insights reports the top ten events.
type Wait struct {
	Event    string  `json:"event"` // empty: all sessions together, including active ones
	Sessions float64 `json:"sessions"`
}

// Note is something about the file that the reader of a report should know.
type Note struct {
	Code string // kind of note, for programs
	Text string
}

// Load returns the load with the given name.
func (r *Run) Load(name string) (Load, bool) {
	i := slices.IndexFunc(r.Loads, func(a Load) bool { return a.Name == name })
	if i < 0 {
		return Load{}, false
	}
	return r.Loads[i], true
}

// Counter returns the description of the counter with the given name.
func (r *Run) Counter(name string) (runfile.Metric, bool) {
	i, known := slices.BinarySearchFunc(r.Counters, name, func(m runfile.Metric, name string) int {
		return strings.Compare(m.Name, name)
	})
	if !known {
		return runfile.Metric{}, false
	}
	return r.Counters[i], true
}

func (r *Run) loaded() []Load {
	return slices.DeleteFunc(slices.Clone(r.Loads), func(a Load) bool { return a.Idle() })
}

func (r *Run) counts(metric string) bool {
	return slices.ContainsFunc(r.Loads, func(a Load) bool {
		return slices.ContainsFunc(a.Repetitions, func(r Repetition) bool {
			c, known := r.Counts[metric]
			return known && c.Missing == nil
		})
	})
}

// OthersShare returns the largest share of a load's work that may be from others: over its used repetitions, of rows,
// commits and WAL; 0 if none is known.
func (r *Run) OthersShare(load string) (share float64) {
	for _, o := range r.Others {
		if o.Load == load {
			share = max(share, o.Share())
		}
	}
	return share
}

// OthersUncounted reports whether others wrote under a load without a counter of how much.
func (r *Run) OthersUncounted(load string) bool {
	return slices.ContainsFunc(r.Others, func(o OthersWorked) bool { return o.Load == load && len(o.Writing) > 0 })
}

// OthersText says, for all outputs, how much of the run's counts may be the work of others; empty if none is known.
func (r *Run) OthersText() string {
	if len(r.Others) == 0 {
		return ""
	}
	most := r.Others[0]
	for _, o := range r.Others {
		if o.Share() > most.Share() {
			most = o
		}
	}
	used := 0
	for _, a := range r.Loads {
		used += len(a.Repetitions)
	}
	return fmt.Sprintf("Other sessions worked on the server in %d of %d repetitions, and every number here includes "+
		"their work; most in repetition %d of %s: %s.", len(r.Others), used, most.Repetition, most.Load, most.String())
}

// CountersUnknown says that no load has a count by PostgreSQL, and why; empty if one has, or if others published the
// run's figures and the file says which.
func (r *Run) CountersUnknown() string {
	measured := slices.ContainsFunc(r.loaded(), func(a Load) bool { return len(a.Repetitions) > 0 })
	if !measured || r.Header.Provenance != "" || r.Header.Target.Kind == "directory" || slices.ContainsFunc(r.Counters,
		func(m runfile.Metric) bool { return strings.HasPrefix(m.Name, "pgstat.") && r.counts(m.Name) }) {
		return ""
	}
	because := ""
	if why := r.whyNot(metric.StatWALRecords); why.Reason != series.NeverRead && why.Reason != NotRecorded {
		because = " (" + why.Error() + ")"
	}
	return "PostgreSQL's counters were not read" + because + ", so no other number is compared with them."
}

// ChangesText says, for all outputs, which settings changed from the head of the file, and which tablespaces came or
// went.
func (r *Run) ChangesText() string {
	const shown = 6 // one by one
	var texts, spaces []string
	for _, c := range slices.SortedStableFunc(slices.Values(r.SettingChanges), func(a, b runfile.SettingChange) int {
		return a.At.Compare(b.At)
	}) {
		if text := fmt.Sprintf("from %s to %s by %s", c.From, c.To, c.At.UTC().Format("15:04:05")); c.Setting ==
			runfile.Tablespaces {
			spaces = append(spaces, text)
		} else {
			texts = append(texts, c.Setting+" "+text)
		}
	}
	if more := len(texts) - shown; more > 0 {
		texts = append(texts[:shown], fmt.Sprintf("%d more", more))
	}
	text := strings.Join(texts, ", ")
	if text != "" && r.Header.Observed {
		text = "The server's settings changed while it was observed: " + text +
			". Counts before and after the change are not comparable. "
	} else if text != "" {
		text = "The server's settings changed during the run: " + text +
			". Repetitions with changed settings are left out. "
	}
	if len(spaces) > 0 {
		text += "Tablespaces were added or removed meanwhile: " + strings.Join(spaces[:min(shown, len(spaces))], ", ") +
			". A new tablespace's disk is missing from all figures unless the server already used it. Measure again."
	}
	return strings.TrimSpace(text)
}

// Top lists the largest sources of I/O in an observation or an operation: statements, digests, files, tables or
// indexes.
type Top struct {
	Of      string
	Seconds float64            // covered by the ranking
	Items   []runfile.TopItem  // the largest first; with several parts, those of the first part come first
	Total   map[string]float64 // of all, listed or not
	Missing string             // why there are no items
}

// OfWAL ranks tables and indexes by the WAL that refers to their pages.
const OfWAL = "wal"

// WhyNoWAL returns why a server's WAL was not read, without remedies that a managed server refuses. Aurora has no
// pg_walinspect, and its users cannot be superusers, get pg_read_server_files or install anything.
func WhyNoWAL(flavor, why string) string {
	const extension = "pg_walinspect"
	switch {
	case !strings.Contains(why, extension):
		return why
	case flavor == "aurora":
		return "Aurora has no pg_walinspect, so its WAL records cannot be told apart"
	case flavor == "rds" && strings.HasPrefix(why, extension+" is not in this database"):
		return extension +
			" is not in this database; as the master user: create extension pg_walinspect; and measure as that user"
	case flavor == "rds" && (strings.Contains(why, "pg_read_server_files") || strings.Contains(why, "contrib")):
		before, _, _ := strings.Cut(why, " (")
		return before
	default:
		return why
	}
}

// Written returns the total WAL of an item.
func Written(i runfile.WALItem) (sum runfile.WALPart) {
	for _, p := range i.Parts {
		sum.Records, sum.Bytes, sum.Images, sum.ImageBytes = sum.Records+p.Records, sum.Bytes+p.Bytes, sum.Images+
			p.Images, sum.ImageBytes+p.ImageBytes
	}
	return sum
}
