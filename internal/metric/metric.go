// Package metric is the table of every metric that realiops reads or explains.
//
// A [Metric] is a row: its name in a run file, its usual name, unit, type, meaning and source, the versions that show
// it, whether it is on the first screen, and which quantity it makes. Probes announce metrics from the table and only
// read them; the analysis, realiops explain, --require and docs/reference/metrics.md use it. So a new metric needs just
// a row here and a reading in its probe.
//
// The rows are grouped by where they are read: postgres.go and postgres_io.go, device.go, waldump.go, fio.go, and
// cloud.json with its sources, which also holds what others have published about a metric. What other tools show is in
// dictionary.json. Families that differ in one thing, the disks of a role or the processes of pg_stat_io, are patterns.
//
// The table imports the run file and nothing above it. Its probe knows how a metric is read, and which servers have it.
package metric

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Metric is one row of the table.
type Metric struct {
	Name   string // in a run file: pgstat.wal/wal_sync
	Kind   runfile.MetricType
	Unit   string  // base unit, as in a run file
	Period float64 // seconds, if the source counts in periods
	Steps  float64 // seconds for which it was observed to stay the same, if longer than a period
	Help   string  // what it counts, in one line
	Caveat string  // what to beware of
	Source string  // address of the defining document

	// flavor of server, if the name means something else on each: aurora, rds, ebs
	On       string
	Versions Span     // of PostgreSQL that show it
	Instead  []string // the metrics that show it in later versions
	Needs    []string // settings and extensions that it requires

	First   bool // on the first screen: people take it for I/O, or need it to understand the others
	Reads   bool // on the first screen if something was read
	Matters bool // worth a verdict: it is bought, billed, or taken for I/O
	// the quantity that it counts; the first such metric in the table that was counted is used
	Makes   Quantity
	MakesIn Span // versions in which it does; in others it counts something else
	// the quantity of which it is a part: in versions without a metric for it, the sum of parts is used
	Adds    Quantity
	Counts  Quantity // that the metric equals, as PostgreSQL documents
	Part    Quantity // of which the metric counts some, as PostgreSQL documents
	Asked   bool     // documented as a request to the operating system, without a quantity
	Files   string   // for blocks of some files: the view of the device's requests for them
	Derived *Difference

	AlsoReads bool // it also counts blocks read, so loads that only add rows do not show what it counts

	says    Quantity // that the metric equals, as a provider documents
	spelled []spelling
}

// Side returns whose work the metric counts, as documented: logical, requested or physical; empty if that is not said,
// or if it is a level.
func (m Metric) Side() string {
	quantity := cmp.Or(m.Makes, m.Counts, m.Part, m.Adds)
	switch {
	case m.Kind == runfile.Gauge:
		return ""
	case quantity != "":
		return quantity.Side()
	case OfDevice(m.Name):
		return Physical
	case m.Asked:
		return Requested
	default:
		return ""
	}
}

// Difference computes a metric from two others that are read.
type Difference struct{ Of, Less string }

// String returns the arithmetic: block/writes - block/flushes.
func (d Difference) String() string { return d.Of + " - " + d.Less }

// Span is a range of major versions of PostgreSQL; 0 is no bound.
type Span struct{ First, Last int }

// Has reports whether a version, as server_version_num, is in the span.
func (s Span) Has(number int) bool { return s.has(number / 10000) }

// HasVersion reports whether a version such as 17.11 is in the span. An unreadable version is only in the unbounded
// span.
func (s Span) HasVersion(version string) bool {
	first, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(first)
	return s == Span{} || err == nil && s.has(major)
}

func (s Span) has(major int) bool { return major >= s.First && (s.Last == 0 || major <= s.Last) }

// String formats the versions: 14 to 17, 16+, up to 16, all.
func (s Span) String() string {
	switch {
	case s == Span{}:
		return "all"
	case s.First == 0:
		return fmt.Sprintf("up to %d", s.Last)
	case s.Last == 0:
		return fmt.Sprintf("%d+", s.First)
	default:
		return fmt.Sprintf("%d to %d", s.First, s.Last)
	}
}

// Announced returns the metric as a run file announces it.
func (m Metric) Announced() runfile.Metric {
	return runfile.Metric{
		Name: m.Name, Unit: m.Unit, Type: m.Kind, Period: m.Period, Source: m.Source, Help: m.Help, Caveat: m.Caveat,
	}
}

// InPeriods returns the announcement of the metric for a source that has its mean over periods instead of the counter.
func (m Metric) InPeriods(length time.Duration) runfile.Metric {
	announced := m.Announced()
	announced.Period = length.Seconds()
	if announced.Type == runfile.Counter {
		announced.Type = runfile.Rate
	}
	return announced
}

func counter(name, unit, help string) Metric {
	return Metric{Name: name, Kind: runfile.Counter, Unit: unit, Help: help}
}

// gauge returns a level, which may fall.
func gauge(name, unit, help string) Metric {
	return Metric{Name: name, Kind: runfile.Gauge, Unit: unit, Help: help}
}

func (m Metric) from(version int) Metric { m.Versions.First = version; return m }

// upTo sets the last version that shows the metric, and the metrics that show it since.
func (m Metric) upTo(version int, instead ...string) Metric {
	m.Versions.Last, m.Instead = version, instead
	return m
}

func (m Metric) but(caveat string) Metric     { m.Caveat = caveat; return m }
func (m Metric) needs(names ...string) Metric { m.Needs = append(m.Needs, names...); return m }
func (m Metric) makes(q Quantity) Metric      { m.Makes = q; return m }
func (m Metric) makesFrom(version int, q Quantity) Metric {
	m.Makes, m.MakesIn.First = q, version
	return m
}
func (m Metric) counts(q Quantity) Metric { m.Counts = q; return m }
func (m Metric) adds(q Quantity) Metric   { m.Adds = q; return m }
func (m Metric) some(q Quantity) Metric   { m.Part = q; return m }
func (m Metric) asked() Metric            { m.Asked = true; return m }
func (m Metric) of(view string) Metric    { m.Files = view; return m }

// alsoReads marks a metric that also counts blocks read.
func (m Metric) alsoReads() Metric { m.AlsoReads = true; return m }

// first puts the metric on the first screen.
func (m Metric) first() Metric { m.First = true; return m }

func (m Metric) firstOfReads() Metric { m.Reads = true; return m }

// matters puts the metric on the first screen, and makes runs choose loads to decide what it counts.
func (m Metric) matters() Metric { m.First, m.Matters = true, true; return m }

// all applies a change to several rows.
func all(change func(Metric) Metric, rows ...Metric) []Metric {
	for i := range rows {
		rows[i] = change(rows[i])
	}
	return rows
}

// Step returns the least amount by which a counter of a unit moves.
func Step(unit string) float64 {
	switch unit {
	case "bytes":
		return 512 // devices count sectors
	case "seconds":
		return 0.001 // ticks of the kernel and of PostgreSQL's times
	default:
		return 1
	}
}

// Names of metrics used elsewhere.
const (
	AnatomyRecords                       = "anatomy/records"
	BlockIOTime                          = "block/io_time"
	BlockReadTime                        = "block/read_time"
	BlockReadsMerged                     = "block/reads_merged"
	BlockWeightedTime                    = "block/weighted_time"
	BlockWriteTime                       = "block/write_time"
	BlockWritesMerged                    = "block/writes_merged"
	CloudWatchBurstBalance               = "cloudwatch/BurstBalance"
	CloudWatchCPUUtilization             = "cloudwatch/CPUUtilization"
	CloudWatchEBSByteBalance             = "cloudwatch/EBSByteBalance%"
	CloudWatchEBSIOBalance               = "cloudwatch/EBSIOBalance%"
	CloudWatchReadIOPS                   = "cloudwatch/ReadIOPS"
	CloudWatchReadThroughput             = "cloudwatch/ReadThroughput"
	CloudWatchServerlessDatabaseCapacity = "cloudwatch/ServerlessDatabaseCapacity"
	CloudWatchVolumeBytesUsed            = "cloudwatch/VolumeBytesUsed"
	CloudWatchVolumeReadIOPs             = "cloudwatch/VolumeReadIOPs"
	CloudWatchVolumeWriteIOPs            = "cloudwatch/VolumeWriteIOPs"
	CloudWatchWriteIOPS                  = "cloudwatch/WriteIOPS"
	CloudWatchWriteThroughput            = "cloudwatch/WriteThroughput"
	FioReadBytes                         = "fio/read_bytes"
	FioReadTime                          = "fio/read_time"
	FioReads                             = "fio/reads"
	FioSyncTime                          = "fio/sync_time"
	FioSyncs                             = "fio/syncs"
	FioWriteBytes                        = "fio/write_bytes"
	FioWriteTime                         = "fio/write_time"
	FioWrites                            = "fio/writes"
	InsightsDBLoad                       = "insights/db.load"
	BaseBackups                          = "pgstat.progress/basebackup"
	BgwriterBuffersAlloc                 = "pgstat.bgwriter/buffers_alloc"
	BgwriterBuffersBackendFsync          = "pgstat.bgwriter/buffers_backend_fsync"
	BgwriterBuffersClean                 = "pgstat.bgwriter/buffers_clean"
	BgwriterMaxwrittenClean              = "pgstat.bgwriter/maxwritten_clean"
	CheckpointerBuffersWritten           = "pgstat.checkpointer/buffers_written"
	CheckpointerCheckpointsReq           = "pgstat.checkpointer/checkpoints_req"
	CheckpointerCheckpointsTimed         = "pgstat.checkpointer/checkpoints_timed"
	ClusterTempBytes                     = "pgstat.cluster/temp_bytes"
	ClusterTupDeleted                    = "pgstat.cluster/tup_deleted"
	ClusterTupInserted                   = "pgstat.cluster/tup_inserted"
	ClusterTupUpdated                    = "pgstat.cluster/tup_updated"
	DatabaseTempBytes                    = "pgstat.database/temp_bytes"
	DatabaseTupDeleted                   = "pgstat.database/tup_deleted"
	DatabaseTupInserted                  = "pgstat.database/tup_inserted"
	DatabaseTupUpdated                   = "pgstat.database/tup_updated"
	DatabaseXactCommit                   = "pgstat.database/xact_commit"
	StatIOReadBytes                      = "pgstat.io/read_bytes"
	StatIOWALClientFsyncs                = "pgstat.io/wal_client_fsyncs"
	LSNWrite                             = "pgstat.lsn/write"
	TablesIndexEntriesLeast              = "pgstat.tables/index_entries_least"
	TablesIndexEntriesMost               = "pgstat.tables/index_entries_most"
	TablesNTupHOTUpd                     = "pgstat.tables/n_tup_hot_upd"
	TablesNTupIns                        = "pgstat.tables/n_tup_ins"
	StatWALBuffersFull                   = "pgstat.wal/wal_buffers_full"
	StatWALBytes                         = "pgstat.wal/wal_bytes"
	StatWALFPI                           = "pgstat.wal/wal_fpi"
	StatWALFPIBytes                      = "pgstat.wal/wal_fpi_bytes"
	StatWALSync                          = "pgstat.wal/wal_sync"
	StatWALWrite                         = "pgstat.wal/wal_write"
)
