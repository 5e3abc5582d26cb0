package runfile

import (
	"math"
	"slices"
	"time"
)

// Run opens a file: what was measured, on what, how.
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
	// nobody of ours put load on the server: the plan is empty
	Observed bool `json:"observed,omitempty"`
	// of a history: what its source was asked about; nil: it is none
	Asked *Stretch `json:"asked,omitempty"`
	// where figures come from that realiops did not read itself
	Provenance string `json:"provenance,omitempty" scrub:"text"`
	// of a history: what its source lacked or held more than once, which its figures do not show
	Notices []string `json:"notices,omitempty" scrub:"text"`
	// of a run that measured storage alone, without a database
	Baseline *Baseline `json:"baseline,omitempty"`
	// of a file that tells what something costs; nil: it does not
	Operation *Operation `json:"operation,omitempty"`
}

// Stretch is the time from one moment to another.
type Stretch struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Operation is a command, statement or script measured between two readings of everything. The loads of its run are
// [IdleLoad] and [OperationLoad].
type Operation struct {
	Text       string `json:"text" scrub:"text"` // a command, a statement or the name of a script, as it was given
	Warmup     int    `json:"warmup"`
	FirstTouch bool   `json:"first_touch,omitempty"` // with a checkpoint before each repetition
	Times      int    `json:"times,omitempty"`       // a script is run in each repetition; 0: once
	// SessionsKnown: which sessions are its own is known, as of statements that realiops sends.
	SessionsKnown bool `json:"sessions_known,omitempty"`
}

// The loads of a file about an operation.
const (
	IdleLoad      = "idle"      // nothing was done
	OperationLoad = "operation" // it was done once in each repetition
)

// FleetPlan is the name of the plan of files that tell of one of many databases hour by hour, of which nobody planned
// anything.
const FleetPlan = "fleet"

// MostOfHour is the part of an hour that must be known for a value to stand for the hour.
const MostOfHour = 0.9

// Baseline describes a measurement of storage without a database. The loads of its run are jobs of another program,
// which put load on files.
type Baseline struct {
	Program string `json:"program"`    // fio 3.33
	Set     string `json:"set"`        // of jobs, or their file
	Bytes   int64  `json:"size_bytes"` // of the test files
	Direct  bool   `json:"direct"`     // the file system can pass the page cache by

	// UntilThrottled bounds a job that ends when storage slows down for good, in seconds; 0: jobs have a time.
	UntilThrottled float64 `json:"until_throttled_seconds,omitempty"`
}

// Target is the server under load, as far as it shapes what the counters mean.
type Target struct {
	Kind     string `json:"kind"`   // embedded, container or dsn
	Flavor   string `json:"flavor"` // postgres, rds or aurora
	Version  string `json:"version"`
	Host     string `json:"host,omitempty" scrub:"form"`
	Port     int    `json:"port,omitempty"`
	Database string `json:"database,omitempty" scrub:"form"`
	User     string `json:"user,omitempty" scrub:"form"`
	Image    string `json:"image,omitempty" scrub:"form"` // of a container
	Pooler   bool   `json:"pooler,omitempty"`             // something between us and the server answers for it
	// SystemIdentifier tells the data of one server from those of another: pg_control_system's. Empty: the user may not
	// know.
	SystemIdentifier string `json:"system_identifier,omitempty"`

	Settings map[string]string `json:"settings,omitempty" scrub:"form"`
	Storage  Storage           `json:"storage"`
	Cloud    *Cloud            `json:"cloud,omitempty"` // of a managed server, where its provider was asked
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
	Class    string `json:"class,omitempty"`    // db.r6g.large

	Storage       string `json:"storage,omitempty"` // aurora, aurora-iopt1, gp2, gp3, io1, io2
	SizeGiB       int    `json:"size_gib,omitempty"`
	IOPS          int    `json:"iops,omitempty"`
	ThroughputMiB int    `json:"throughput_mib,omitempty"` // a second
	LogVolume     bool   `json:"log_volume,omitempty"`     // a dedicated one
	MultiAZ       bool   `json:"multi_az,omitempty"`

	Insights     bool `json:"insights,omitempty"`      // Performance Insights is on
	InsightsDays int  `json:"insights_days,omitempty"` // and keeps this long
	// of CloudWatch Database Insights: standard, advanced; empty: AWS does not say
	InsightsMode      string `json:"insights_mode,omitempty"`
	MonitoringSeconds int    `json:"monitoring_seconds,omitempty"` // Enhanced Monitoring's interval; 0: off

	Volumes []string `json:"volumes,omitempty"` // EBS volumes of a server that its users run themselves
	Machine string   `json:"machine,omitempty"` // of EC2, under such a server

	Members []Member `json:"members,omitempty"` // of a cluster that the file is about as a whole
}

// Member is an instance of a cluster.
type Member struct {
	Instance string `json:"instance"`
	Class    string `json:"class"`
}

// Storage describes the storage under the data directory; empty if this host cannot see it.
type Storage struct {
	Directory  string `json:"directory,omitempty" scrub:"form"`
	FileSystem string `json:"file_system,omitempty"`
	// the device that does the work, as in /proc/diskstats; several with + between
	Device string `json:"device,omitempty"`
	RAM    bool   `json:"ram,omitempty"` // nothing reaches a disk

	// Devices lists all devices that the server writes to, with their other uses.
	Devices []StorageDevice `json:"devices,omitempty"`
	// Tablespaces are the names of those on the devices that hold tablespaces.OID, by that OID; empty: they are not
	// told apart.
	Tablespaces map[string][]string `json:"tablespaces,omitempty" scrub:"form"`
	// Own: the device was made for this run, so that only the server writes to it.
	Own bool `json:"own,omitempty"`
	// Unseen are directories of the server that could not be looked at, and are taken to be on the same devices.
	Unseen []string `json:"unseen,omitempty" scrub:"form"`
	// InMemory lists the parts of a server whose data is on a disk that are on none themselves: wal, tablespaces.
	InMemory []string `json:"in_memory,omitempty" scrub:"form"`
}

// MemoryText says for people what is in memory; empty: nothing does.
func (s Storage) MemoryText() string {
	switch {
	case s.RAM:
		return "The data directory is in memory: nothing reaches a disk, and no figure here is about one."
	case slices.Contains(s.InMemory, "wal"):
		return "The WAL is in memory: it reaches no disk, so figures and sizes of the disk are without its " +
			"writes and flushes."
	case len(s.InMemory) > 0:
		return "Tablespaces are in memory: they reach no disk, so figures and sizes of the disk are without them."
	default:
		return ""
	}
}

// StorageDevice is a disk under a server.
type StorageDevice struct {
	Name string `json:"name"` // as in /proc/diskstats
	// Holds lists what of the server is on it: data, wal, tablespaces, tablespaces.16400, temp.
	Holds   []string `json:"holds"`
	Carries []string `json:"carries,omitempty" scrub:"form"` // the file systems on it, by where they are mounted, and swap
	Backing string   `json:"backing,omitempty" scrub:"form"` // the file that a loop device stands for
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

// Off reports whether the clock differs from ours by more seconds than that, its own error left aside.
func (c Clock) Off(tolerated float64) bool { return math.Abs(c.Offset)-c.Error > tolerated }

// Apart returns by how much, in whole seconds.
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
	// RestSeconds is the pause before the first load and after the last, so that a source that moves in steps covers
	// the whole run.
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

// Steps returns how many repetitions there are of all loads together.
func (p Plan) Steps() (steps int) {
	for _, a := range p.Loads {
		steps += p.Times(a)
	}
	return steps
}

// Loaded returns how many of the loads put load on the server.
func (p Plan) Loaded() (n int) {
	for _, a := range p.Loads {
		if !a.Idle() {
			n++
		}
	}
	return n
}

// Load is a stretch of steady load with set factors. The meaning of Method is the load's; Idle has none.
type Load struct {
	Name      string `json:"name"`
	Method    string `json:"method,omitempty"` // insert-select, copy, …; empty: no load, the background is measured
	RowsPerTx int    `json:"rows_per_tx,omitempty"`
	Indexes   int    `json:"indexes,omitempty"`
	Width     int    `json:"width,omitempty"` // bytes of filler in each row
	Clients   int    `json:"clients,omitempty"`

	TableRows int64 `json:"table_rows,omitempty"` // that its table holds before the load
	OfRows    int64 `json:"of_rows,omitempty"`    // of them, from the beginning, that are looked up; 0: all
	Cold      bool  `json:"cold,omitempty"`       // the kernel is asked to forget the table's files

	// MostRepetitions bounds the repetitions of the load; 0: as many as the plan asks for.
	MostRepetitions int `json:"most_repetitions,omitempty"`

	// SynchronousCommit is the setting of the clients' sessions; empty: the server's.
	SynchronousCommit string `json:"synchronous_commit,omitempty"`

	// Like is another load of the plan that this one repeats, except for at most one thing; But names that thing,
	// and MoreEntries is the number of index entries that it made beyond the other's.
	Like        string `json:"like,omitempty"`
	But         string `json:"but,omitempty" scrub:"form"`
	MoreEntries int64  `json:"more_entries,omitempty"`

	// options of a job that puts load on storage alone, as on a command line
	Job      string `json:"job,omitempty" scrub:"form"`
	Depth    int    `json:"depth,omitempty"`    // requests that such a job keeps in flight; 0: not known
	Buffered bool   `json:"buffered,omitempty"` // it writes through the page cache
}

// Idle reports whether the load does nothing.
func (a Load) Idle() bool { return a.Method == "" }

// ChecksumsText says for every output that the server gave every page a checksum as the measurement began; empty: it
// did not.
func (t Target) ChecksumsText() string {
	if t.Settings["data_checksums"] != "inprogress-on" {
		return ""
	}
	return "data_checksums is inprogress-on: the server gives every page a checksum, and what it reads and writes " +
		"for that is in all figures."
}
