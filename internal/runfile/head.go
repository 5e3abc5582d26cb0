package runfile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Run is the head of a file: what was measured, on what, how.
type Run struct {
	Schema     string            `json:"schema"`
	ID         string            `json:"id"`
	Start      time.Time         `json:"start"`
	Version    string            `json:"version"`                           // of realiops
	Parameters map[string]string `json:"parameters,omitempty" scrub:"text"` // effective flags, secrets removed
	Target     Target            `json:"target"`
	Host       Host              `json:"host"`
	Clocks     []Clock           `json:"clocks,omitempty"`
	Plan       Plan              `json:"plan"`
	// we put no load on the server: the plan is empty
	Observed bool `json:"observed,omitempty"`
	// of a history: the time requested from its source; nil: no history
	Asked *Stretch `json:"asked,omitempty"`
	// sources of figures that realiops did not read itself
	Provenance string `json:"provenance,omitempty" scrub:"text"`
	// of a history: gaps and duplicates in its source, which its figures do not show
	Notices []string `json:"notices,omitempty" scrub:"text"`
	// of a run that measured storage alone, without a database
	Baseline *Baseline `json:"baseline,omitempty"`
	// of a file about the cost of an operation; nil otherwise
	Operation *Operation `json:"operation,omitempty"`
}

// Stretch is the time from one moment to another.
type Stretch struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Extend widens the stretch to hold another one.
func (s *Stretch) Extend(from, to time.Time) {
	if s.From.IsZero() || from.Before(s.From) {
		s.From = from
	}
	if to.After(s.To) {
		s.To = to
	}
}

// Operation is a command, statement or script measured between two readings of everything. The loads of its run are
// [IdleLoad] and [OperationLoad].
type Operation struct {
	Text       string `json:"text" scrub:"text"` // a command, a statement or the name of a script, as given
	Warmup     int    `json:"warmup"`
	FirstTouch bool   `json:"first_touch,omitempty"` // with a checkpoint before each repetition
	Times      int    `json:"times,omitempty"`       // runs of a script per repetition; 0: once
	// SessionsKnown: its own sessions are known, as for statements that realiops sends.
	SessionsKnown bool `json:"sessions_known,omitempty"`
	// SessionsNamed: sessions that were connected before are its own, too.
	SessionsNamed bool `json:"sessions_named,omitempty"`
	// SetsCommit: its text, or a file that its command names, names synchronous_commit, so its commits may not have
	// waited.
	SetsCommit bool `json:"sets_synchronous_commit,omitempty"`
}

// The loads of a file about an operation.
const (
	IdleLoad      = "idle"      // nothing was done
	OperationLoad = "operation" // it was done once in each repetition
)

// FleetPlan is the name of the plan of files with one of many databases hour by hour, which had no plan.
const FleetPlan = "fleet"

// MostOfHour is the share of an hour that must be known for a value to stand for the hour.
const MostOfHour = 0.9

// Baseline describes a measurement of storage without a database. The loads of its run are jobs of another program,
// which put load on files.
type Baseline struct {
	Program string `json:"program"`    // such as fio 3.33
	Set     string `json:"set"`        // of jobs, or their file
	Bytes   int64  `json:"size_bytes"` // of the test files
	Direct  bool   `json:"direct"`     // the file system can bypass the page cache

	// UntilThrottled is the longest duration of a job that ends when storage slows down for good, in seconds; 0: jobs
	// have a fixed time.
	UntilThrottled float64 `json:"until_throttled_seconds,omitempty"`
}

// Target is the server under load, as far as it affects the meaning of counters.
type Target struct {
	Kind     string `json:"kind"`   // embedded, container or dsn
	Flavor   string `json:"flavor"` // postgres, rds or aurora
	Version  string `json:"version"`
	Host     string `json:"host,omitempty" scrub:"form"`
	Port     int    `json:"port,omitempty"`
	Database string `json:"database,omitempty" scrub:"form"`
	User     string `json:"user,omitempty" scrub:"form"`
	Image    string `json:"image,omitempty" scrub:"form"` // of a container
	Pooler   bool   `json:"pooler,omitempty"`             // a connection pooler is in between
	// SystemIdentifier identifies the server's data, by pg_control_system; empty if the user may not know it.
	SystemIdentifier string `json:"system_identifier,omitempty"`

	Settings map[string]string `json:"settings,omitempty" scrub:"form"`
	Storage  Storage           `json:"storage"`
	Cloud    *Cloud            `json:"cloud,omitempty"` // of a managed server, if its provider was asked
}

// Cloud identifies a managed server at its provider: enough to ask again later, from another machine. It holds no
// account number, and so no ARN.
type Cloud struct {
	Provider string `json:"provider"` // aws
	Region   string `json:"region"`
	Instance string `json:"instance,omitempty"` // the one under load
	Cluster  string `json:"cluster,omitempty"`
	Role     string `json:"role,omitempty"`     // writer or reader
	Resource string `json:"resource,omitempty"` // the DbiResourceId, by which Performance Insights knows the instance
	Engine   string `json:"engine,omitempty"`   // aurora-postgresql, postgres
	Version  string `json:"version,omitempty"`  // of the engine
	Class    string `json:"class,omitempty"`    // such as db.r6g.large

	Storage       string `json:"storage,omitempty"` // aurora, aurora-iopt1, gp2, gp3, io1, io2
	SizeGiB       int    `json:"size_gib,omitempty"`
	IOPS          int    `json:"iops,omitempty"`
	ThroughputMiB int    `json:"throughput_mib,omitempty"` // per second
	LogVolume     bool   `json:"log_volume,omitempty"`     // a dedicated one
	MultiAZ       bool   `json:"multi_az,omitempty"`

	Insights     bool `json:"insights,omitempty"`      // Performance Insights is on
	InsightsDays int  `json:"insights_days,omitempty"` // its retention
	// of CloudWatch Database Insights: standard, advanced; empty: unknown
	InsightsMode      string `json:"insights_mode,omitempty"`
	MonitoringSeconds int    `json:"monitoring_seconds,omitempty"` // interval of Enhanced Monitoring; 0: off

	Volumes []string `json:"volumes,omitempty"` // EBS volumes of a server that its users run
	Machine string   `json:"machine,omitempty"` // of EC2, for such a server

	Members []Member `json:"members,omitempty"` // of a cluster, in a file about the whole cluster
}

// Aurora reports whether the storage is Aurora's: a volume without a size to order, and without a limit.
func (c Cloud) Aurora() bool { return strings.HasPrefix(c.Engine, "aurora") }

// Member is an instance of a cluster.
type Member struct {
	Instance string `json:"instance"`
	Class    string `json:"class"`
}

// Storage describes the storage under the data directory; empty if this host cannot see it.
type Storage struct {
	Directory  string `json:"directory,omitempty" scrub:"form"`
	FileSystem string `json:"file_system,omitempty"`
	// the device that does the work, as in /proc/diskstats; several are joined by +
	Device string `json:"device,omitempty"`
	RAM    bool   `json:"ram,omitempty"` // nothing reaches a disk

	// Devices lists all devices that the server writes to, with their other uses.
	Devices []StorageDevice `json:"devices,omitempty"`
	// Tablespaces are the names of the tablespaces on the devices that hold tablespaces.OID, by that OID; empty if they
	// are not distinguished.
	Tablespaces map[string][]string `json:"tablespaces,omitempty" scrub:"form"`
	// Own: the device was made for this run, so only the server writes to it.
	Own bool `json:"own,omitempty"`
	// Unseen are directories of the server that could not be inspected, and are assumed to be on the same devices.
	Unseen []string `json:"unseen,omitempty" scrub:"form"`
	// InMemory lists the parts of a server with its data on a disk that are in memory: wal, tablespaces.
	InMemory []string `json:"in_memory,omitempty" scrub:"form"`
}

// MemoryText says what is in memory; empty if nothing is.
func (s Storage) MemoryText() string {
	switch {
	case s.RAM:
		return "The data directory is in memory: nothing reaches a disk, so no figure here describes one."
	case slices.Contains(s.InMemory, "wal"):
		return "The WAL is in memory, so figures and sizes of the disk leave out its writes and flushes."
	case len(s.InMemory) > 0:
		return "Tablespaces are in memory, so figures and sizes of the disk leave them out."
	default:
		return ""
	}
}

// CachedText names disks that are files in the page cache; empty if there are none.
func (s Storage) CachedText() string {
	var names []string
	for _, d := range s.Devices {
		if d.Cached {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Linux caches the file behind %s in memory, so rates and times are not a disk's; "+
		"losetup --direct-io=on changes that.", strings.Join(names, " and "))
}

// StorageDevice is a disk under a server.
type StorageDevice struct {
	Name string `json:"name"` // as in /proc/diskstats
	// Holds lists the server's parts on it: data, wal, tablespaces, tablespaces.16400, temp.
	Holds   []string `json:"holds"`
	Carries []string `json:"carries,omitempty" scrub:"form"` // its file systems, by mount point, and swap
	Backing string   `json:"backing,omitempty" scrub:"form"` // the file behind a loop device
	Cached  bool     `json:"cached,omitempty"`               // that file is read and written through the page cache
}

// Host is the machine realiops ran on.
type Host struct {
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Kernel      string `json:"kernel,omitempty"`
	CPUs        int    `json:"cpus"`
	MemoryBytes int64  `json:"memory_bytes,omitempty"`
}

// Clock is the offset of another clock from ours in seconds, positive if the other is ahead, with its error.
type Clock struct {
	Source string  `json:"source"`
	Offset float64 `json:"offset"`
	Error  float64 `json:"error"`
}

// Off reports whether the clock surely differs from ours by more than tolerated seconds.
func (c Clock) Off(tolerated float64) bool { return math.Abs(c.Offset)-c.Error > tolerated }

// Apart returns the difference, in whole seconds.
func (c Clock) Apart() time.Duration {
	return time.Duration(math.Abs(c.Offset) * float64(time.Second)).Round(time.Second)
}

// Plan is the experiment as data: which loads, how often, how long, in which random order.
type Plan struct {
	Name        string  `json:"name,omitempty"`
	Loads       []Load  `json:"loads"`
	Repetitions int     `json:"repetitions"`
	LoadSeconds float64 `json:"load_seconds"`
	Seed        uint64  `json:"seed"` // of the order of the loads
	// RestSeconds is the pause before the first load and after the last, so that a source with steps covers the whole
	// run.
	RestSeconds float64 `json:"rest_seconds,omitempty"`
	// Workers is the number of processes that the clients of a load are divided over; 0: they run in the process that
	// reads.
	Workers int `json:"workers,omitempty"`
}

// Times returns how often the load is run.
func (p Plan) Times(a Load) int {
	if a.MostRepetitions == 0 {
		return p.Repetitions
	}
	return min(a.MostRepetitions, p.Repetitions)
}

// Steps returns the number of repetitions of all loads.
func (p Plan) Steps() (steps int) {
	for _, a := range p.Loads {
		steps += p.Times(a)
	}
	return steps
}

// Loaded returns the number of loads that are not idle.
func (p Plan) Loaded() (n int) {
	for _, a := range p.Loads {
		if !a.Idle() {
			n++
		}
	}
	return n
}

// Load is a stretch of steady load with set parameters. Package load defines Method; Idle has none.
type Load struct {
	Name      string `json:"name"`
	Method    string `json:"method,omitempty"` // insert-select, copy, …; empty: no load, to measure the background
	RowsPerTx int    `json:"rows_per_tx,omitempty"`
	Indexes   int    `json:"indexes,omitempty"`
	Width     int    `json:"width,omitempty"` // bytes of filler in each row
	Clients   int    `json:"clients,omitempty"`

	TableRows int64 `json:"table_rows,omitempty"` // rows in its table before the load
	OfRows    int64 `json:"of_rows,omitempty"`    // the first rows of these that are looked up; 0: all
	Cold      bool  `json:"cold,omitempty"`       // the kernel is asked to drop the table's files from its cache

	// MostRepetitions bounds the repetitions of the load; 0: as many as the plan asks for.
	MostRepetitions int `json:"most_repetitions,omitempty"`

	// SynchronousCommit is the setting of the clients' sessions; empty: the server's.
	SynchronousCommit string `json:"synchronous_commit,omitempty"`

	// Like is another load of the plan that this one repeats, except for at most one thing; But names that thing, and
	// MoreEntries is the number of index entries that it made beyond the other's.
	Like        string `json:"like,omitempty"`
	But         string `json:"but,omitempty" scrub:"form"`
	MoreEntries int64  `json:"more_entries,omitempty"`

	// options of a job that puts load on storage alone, as on a command line
	Job      string `json:"job,omitempty" scrub:"form"`
	Depth    int    `json:"depth,omitempty"`    // requests that such a job keeps in flight; 0: unknown
	Buffered bool   `json:"buffered,omitempty"` // it writes through the page cache
}

// Idle reports whether the load does nothing.
func (a Load) Idle() bool { return a.Method == "" }

// ChecksumsText warns, for all outputs, that the server was enabling page checksums when the measurement began; else
// empty.
func (t Target) ChecksumsText() string {
	if t.Settings["data_checksums"] != "inprogress-on" {
		return ""
	}
	return "data_checksums is inprogress-on: the server gives every page a checksum, and what it reads and writes " +
		"for that is in all figures."
}
