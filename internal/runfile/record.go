package runfile

import (
	"fmt"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

// Schema names the format this package writes. Fields may be added under the same name; a change that an older reader
// would misread takes a new number.
const Schema = "realiops.run/1"

// Kind is the kind of a line.
type Kind string

// The kinds of line, in the order in which a run first writes them.
const (
	KindRun    Kind = "run"
	KindMetric Kind = "metric"
	KindGap    Kind = "gap"
	KindLoad   Kind = "load"
	KindRead   Kind = "read"
	KindWork   Kind = "work"
	KindProof  Kind = "proof"
	KindPeriod Kind = "period"
	KindTotal  Kind = "total"
	KindOrigin Kind = "origin"
	KindTop    Kind = "top"
	KindWAL    Kind = "wal"
	KindChange Kind = "setting"
	KindEnd    Kind = "end"
)

// Record is one line of a run file: one of the types below.
type Record interface{ Kind() Kind }

// MetricType says how to take differences of a metric's readings.
type MetricType string

// The types of metric.
const (
	Counter        MetricType = "counter"          // cumulative; a fall is a reset
	Gauge          MetricType = "gauge"            // a level
	Rate           MetricType = "rate"             // per second, as the source computed it
	CountPerPeriod MetricType = "count-per-period" // an amount in each period
)

// Statistic returns the statistic with the amount of a period; empty if the type has no periods.
func (t MetricType) Statistic() string {
	switch t {
	case Rate:
		return Average
	case CountPerPeriod:
		return Sum
	default:
		return ""
	}
}

// Metric announces a metric that will be read.
type Metric struct {
	Name   string     `json:"name"` // probe first: pgstat.wal/wal_records, block/writes
	Unit   string     `json:"unit"` // operations, bytes, seconds, rows, records, …
	Type   MetricType `json:"type"`
	Period float64    `json:"period,omitempty"`              // seconds, if the source has periods
	Source string     `json:"source,omitempty" scrub:"text"` // where its meaning is documented
	Help   string     `json:"help,omitempty" scrub:"text"`   // what it counts, in one line
	Caveat string     `json:"caveat,omitempty" scrub:"text"` // what to beware of
}

// Event is a moment in the life of a load.
type Event string

// The events of a load, in order. Its counts are the difference between the last reading before End and the last one
// before Begin: in between the load ran, its clients left, and its dirty pages were written.
const (
	Settle Event = "settle" // pages of earlier loads are being written
	Begin  Event = "begin"
	End    Event = "end"
)

// LoadEvent marks a moment of one repetition of a load.
type LoadEvent struct {
	At         time.Time `json:"at"`
	Load       string    `json:"load"`
	Repetition int       `json:"repetition"` // from 1
	Event      Event     `json:"event"`
	Failed     string    `json:"failed,omitempty" scrub:"text"` // on End: why this repetition must not be used
	Added      string    `json:"added,omitempty" scrub:"text"`  // on Settle: why it was run beyond the plan
	Factors    *Load     `json:"factors,omitempty"`             // on Settle: of a load that is not in the plan
	// Instance, on Begin, is the provider's instance under load, if it differs from the head of the file.
	Instance string `json:"instance,omitempty"`
	Cloud    *Cloud `json:"cloud,omitempty"` // the provider's description of that instance
	Cold     *Cold  `json:"cold,omitempty"`  // on Begin, of a load that must find nothing in memory
	// Autovacuum, on End, is the work of the server's own autovacuum since Begin, if it would have been taken for the
	// work of others.
	Autovacuum *Autovacuum `json:"autovacuum,omitempty"`
	// Others, on End, is the work of other sessions on the server since Begin, if it is too much to be ignored.
	Others *Others `json:"others,omitempty"`
	// Sessions, on End of an operation, is the number of sessions that connected to its database since Begin; nil if
	// the server does not count them.
	Sessions *int64 `json:"sessions,omitempty"`
	// OtherSessions counts the sessions that connected while the operation was idle, which includes the time since the
	// previous repetition. It adds the sessions of others if the operation's own are known.
	OtherSessions int64 `json:"other_sessions,omitempty"`
}

// Cold describes the measures that kept a load's table out of memory.
type Cold struct {
	// the kernel was asked repeatedly to drop the table's files while the load ran
	Forgotten bool  `json:"forgotten"`
	Evicted   int64 `json:"evicted,omitempty"` // pages evicted from shared buffers, if the server allows it
	// Buffered says why none were evicted from shared buffers.
	Buffered string `json:"buffered,omitempty" scrub:"text"`
	// why the kernel was not asked: then only the size of the table keeps it out of memory
	Missing string `json:"missing,omitempty" scrub:"text"`
}

// Autovacuum is the work that a server does by itself, whoever uses it.
type Autovacuum struct {
	Rows     int64 `json:"rows"`                // of statistics and the catalog, that it wrote
	WALBytes int64 `json:"wal_bytes,omitempty"` // beyond what our clients can have written, if nobody else was seen
	// On, for an operation, are the tables that it vacuumed or analyzed, and databases in which it was still running at
	// End.
	On []string `json:"on,omitempty" scrub:"form"`
}

// Others is the work of other sessions on a server while our clients worked, by the counters of all its databases.
type Others struct {
	Rows    int64 `json:"rows"`    // inserted, updated and deleted
	Commits int64 `json:"commits"` // including transactions that only read
	// WALBytes is the WAL of sessions present at End, which 18 and later show to a role that sees them; else the
	// part that our clients cannot have written.
	WALBytes int64 `json:"wal_bytes,omitempty"`
	// For an operation, if the server shows it: the WAL writes and fsyncs of those sessions.
	WALWrites *int64 `json:"wal_writes,omitempty"`
	WALFsyncs *int64 `json:"wal_fsyncs,omitempty"`
	// Their shares of the total work, including our clients'.
	RowsShare    float64  `json:"rows_share"`
	CommitsShare float64  `json:"commits_share"`
	WALShare     float64  `json:"wal_share,omitempty"`
	Who          []string `json:"who,omitempty" scrub:"form"` // active at Begin or End, as far as our role sees it
	// Writing had transactions open for a second or more that wrote, created an index or vacuumed. Their work before
	// they end is in none of the counts above.
	Writing []string `json:"writing,omitempty" scrub:"form"`
	// Staying, for an operation, is the number of its own sessions that were still open at End, whose counts may be
	// incomplete.
	Staying int `json:"staying,omitempty"`
	// GoesOn, for an operation: processes that it started were still running at End.
	GoesOn bool `json:"goes_on,omitempty"`
}

// Share returns the largest of their shares.
func (o Others) Share() float64 { return max(o.RowsShare, o.CommitsShare, o.WALShare) }

// String describes the work.
func (o Others) String() string {
	var did []string
	if o.Rows > 0 {
		did = append(did, fmt.Sprintf("%s of the rows written (%s)", printable.Count(o.Rows), percent(o.RowsShare)))
	}
	if o.Commits > 0 {
		did = append(did, fmt.Sprintf("%s of the commits (%s)", printable.Count(o.Commits), percent(o.CommitsShare)))
	}
	if o.WALBytes > 0 {
		did = append(did, fmt.Sprintf("%s of the WAL (%s)", megabytes(o.WALBytes), percent(o.WALShare)))
	}
	var said []string
	if len(did) > 0 {
		text := "other sessions made " + strings.Join(did, " and ")
		if len(o.Who) > 0 {
			text += ", among them " + strings.Join(o.Who, ", ")
		}
		said = append(said, text)
	}
	if len(o.Writing) > 0 {
		said = append(said,
			"other sessions had transactions open for longer than a second, whose writes no counter shows before "+
				"they end: "+
				strings.Join(o.Writing, ", "))
	}
	return strings.Join(said, "; ")
}

// megabytes formats an amount with three digits, or as many as it has before the decimal point.
func megabytes(n int64) string {
	if n >= 1e8 {
		return printable.Count(n/1e6) + " MB"
	}
	return fmt.Sprintf("%.3g MB", float64(n)/1e6)
}

// percent formats a share with two digits, or as many as it has before the decimal point.
func percent(share float64) string {
	if share >= 0.995 {
		return fmt.Sprintf("%.0f%%", 100*share)
	}
	return fmt.Sprintf("%.2g%%", 100*share)
}

// Tablespaces is the setting for the server's own tablespaces: fast (16400), or none.
const Tablespaces = "tablespaces"

// SettingChange is a noticed change of a server setting, of those in [Target]. It happened after Since and not after
// At.
type SettingChange struct {
	At      time.Time `json:"at"`
	Since   time.Time `json:"since"`
	Setting string    `json:"setting"`
	From    string    `json:"from" scrub:"form"`
	To      string    `json:"to" scrub:"form"`
}

// Reading holds the values that one probe read at one moment.
type Reading struct {
	At     time.Time          `json:"at"`   // when the values were true, as precisely as known
	Took   float64            `json:"took"` // seconds that reading them took
	Probe  string             `json:"probe"`
	Values map[string]float64 `json:"values"` // by metric name; absent values were not read
}

// Reason says why something was not read.
type Reason string

// The reasons for a gap.
const (
	Unsupported Reason = "unsupported" // this version or engine has no such thing
	Permission  Reason = "permission"
	Throttled   Reason = "throttled"
	Late        Reason = "late"
	Reset       Reason = "reset"
	Failed      Reason = "error"
	NotLocal    Reason = "not-local" // it is on another machine
	Disabled    Reason = "disabled"  // a setting turns it off
	Absent      Reason = "absent"    // an extension that is not installed
)

// Gap is a missing reading with its reason.
type Gap struct {
	At     time.Time `json:"at"`
	Probe  string    `json:"probe"`
	Metric string    `json:"metric,omitempty"` // empty: all of the probe's
	Reason Reason    `json:"reason"`
	Code   string    `json:"code,omitempty" scrub:"text"` // SQLSTATE, HTTP status, errno
	Detail string    `json:"detail,omitempty" scrub:"text"`
}

// Work is the work of our own clients in a stretch of time, which is known exactly.
type Work struct {
	From         time.Time `json:"from"`
	To           time.Time `json:"to"`
	Load         string    `json:"load"`
	Repetition   int       `json:"repetition"`
	Transactions int64     `json:"transactions"`
	Statements   int64     `json:"statements"` // that write or return rows: not BEGIN and END
	Rows         int64     `json:"rows"`       // inserted, updated and deleted
	Updated      int64     `json:"updated,omitempty"`
	Deleted      int64     `json:"deleted,omitempty"`
	Returned     int64     `json:"returned,omitempty"` // rows that statements examined and returned
	Lookups      int64     `json:"lookups,omitempty"`  // index descents
	Failures     int64     `json:"failures,omitempty"`
	Retries      int64     `json:"retries,omitempty"`
	Late         int64     `json:"late,omitempty"`

	BytesSent     int64 `json:"bytes_sent,omitempty"` // to the server, by the protocol
	BytesReceived int64 `json:"bytes_received,omitempty"`

	Processor float64 `json:"processor,omitempty"` // seconds of the clients' own processes

	Latency string `json:"latency,omitempty"` // HdrHistogram V2 compressed, base64; microseconds
}

// Proof is the content of a repetition's table, counted after its end: it proves that the load and the counters of rows
// missed nothing.
type Proof struct {
	At         time.Time `json:"at"`
	Took       float64   `json:"took"` // seconds
	Load       string    `json:"load"`
	Repetition int       `json:"repetition"`
	Rows       int64     `json:"rows"`
	// the metric that must have counted them, too; empty: that of our tables
	Counter string `json:"counter,omitempty"`
	// rows that scans of the table returned under the load, by the server's count
	Returned int64  `json:"returned,omitempty"`
	Missing  string `json:"missing,omitempty" scrub:"text"` // why they were not counted; Rows is then meaningless
}

// Period is a source's value for a past period, such as a CloudWatch datapoint. A later line for the same period
// replaces it.
type Period struct {
	From       time.Time         `json:"from"`
	To         time.Time         `json:"to"`
	Probe      string            `json:"probe"`
	Metric     string            `json:"metric"`
	Dimensions map[string]string `json:"dimensions,omitempty" scrub:"form"`
	Statistic  string            `json:"statistic"`
	Value      float64           `json:"value"`
	Fetched    time.Time         `json:"fetched"`

	// Unsettled: the source may still correct it, since it was not yet read twice with the same result.
	Unsettled bool `json:"unsettled,omitempty"`
}

// Statistics of a period, as CloudWatch names them and every source writes them.
const (
	Average = "Average"
	Maximum = "Maximum"
	Minimum = "Minimum"
	Sum     = "Sum"

	SampleCount = "SampleCount"
)

// Files ranks tables, indexes and other files by the disks' work for them.
const Files = "files"

// Programs ranks other programs by the work of the server's disks for them.
const Programs = "programs"

// Names among programs for the kernel, which writes what they left in its cache, and for programs that it does not
// name.
const (
	WrittenLater = "the kernel, from its cache"
	Unnamed      = "the kernel does not name"
)

// Digests ranks statements by Performance Insights' figures for each: active sessions, and blocks read and written.
const Digests = "digests"

// Top lists the largest growth between two moments: which tables, indexes, statements or files caused what. A later
// line of the same Of and From replaces an earlier one.
type Top struct {
	From time.Time `json:"from"`
	At   time.Time `json:"at"`
	Of   string    `json:"of"` // tables, indexes, statements, readers, digests, files or programs
	// Load and Repetition are the repetition that it covers; empty and 0: none.
	Load       string `json:"load,omitempty" scrub:"form"`
	Repetition int    `json:"repetition,omitempty"`

	Items []TopItem          `json:"items,omitempty"` // the largest growth first
	Total map[string]float64 `json:"total,omitempty"` // of all, listed or not
	// Missing says why there are no items.
	Missing string `json:"missing,omitempty" scrub:"text"`
}

// Readers is a ranking of statements by the blocks that they read.
const Readers = "readers"

// Evictions is the total of a ranking of statements that counts how often pg_stat_statements dropped statements to make
// room. What those had done since they were last read is lost.
const Evictions = "evictions"

// MostTopItems is the largest number of items in a line; with fewer, nothing else did anything.
const MostTopItems = 10

// TopItem is one table, index or statement.
type TopItem struct {
	Name string `json:"name" scrub:"form"` // with its schema; for a statement, its queryid
	// of a statement, without its values; a long one ends with a checksum of the whole
	Text    string             `json:"text,omitempty" scrub:"text"`
	Grew    map[string]float64 `json:"grew"` // absent values were not counted
	AtLeast bool               `json:"at_least,omitempty"`
}

// Status is the end state of a run.
type Status string

// The ways a run ends. A file without an end line was cut off.
const (
	Complete    Status = "complete"
	Interrupted Status = "interrupted"
	Broken      Status = "failed"
)

// Ended is the last record of a file.
type Ended struct {
	At     time.Time `json:"at"`
	Status Status    `json:"status"`
	Cause  string    `json:"cause,omitempty" scrub:"text"`
	Clocks []Clock   `json:"clocks,omitempty"` // compared again, as at the start
	Cost   *Cost     `json:"cost,omitempty"`   // of an observation
}

// How returns the status of a run and its cause; cut-off without an end line.
func (e *Ended) How() (status, cause string) {
	if e == nil {
		return "cut-off", ""
	}
	return string(e.Status), e.Cause
}

// Cost is the cost of an observation since it began or was resumed.
type Cost struct {
	Seconds   float64 `json:"seconds"`   // duration
	Queries   int64   `json:"queries"`   // to the server
	Waited    float64 `json:"waited"`    // seconds, for the answers of all sources
	Processor float64 `json:"processor"` // seconds of realiops
	Bytes     int64   `json:"bytes"`     // of the run file
}

// Lasts reports whether the cost covers long enough to say what a minute costs.
func (c Cost) Lasts() bool { return c.Seconds >= 60 }

// Kind methods of the records.

func (Run) Kind() Kind       { return KindRun }
func (Metric) Kind() Kind    { return KindMetric }
func (Gap) Kind() Kind       { return KindGap }
func (LoadEvent) Kind() Kind { return KindLoad }
func (Reading) Kind() Kind   { return KindRead }
func (Work) Kind() Kind      { return KindWork }
func (Proof) Kind() Kind     { return KindProof }
func (Period) Kind() Kind    { return KindPeriod }
func (Total) Kind() Kind     { return KindTotal }
func (Origin) Kind() Kind    { return KindOrigin }
func (Top) Kind() Kind       { return KindTop }
func (WAL) Kind() Kind       { return KindWAL }

func (SettingChange) Kind() Kind { return KindChange }
func (Ended) Kind() Kind         { return KindEnd }
