package metric

import (
	"slices"
	"strings"
	"sync"
)

// Roles of disks with separate counters if they are not the data directory's.
const (
	DataRole        = "data"
	WALRole         = "wal"
	TablespacesRole = "tablespaces"
	TempRole        = "temp"
)

// Names of device metrics that the analysis uses.
const (
	BlockReads      = "block/reads"
	BlockReadBytes  = "block/read_bytes"
	BlockWrites     = "block/writes"
	BlockWriteBytes = "block/write_bytes"
	BlockFlushes    = "block/flushes"
	BlockFlushTime  = "block/flush_time"
	BlockRequests   = "block/requests"
	ProcessesWrote  = "block.process/wchar"
)

// Requests returns the writes of a device with data. The kernel also counts a flush as a completed write: 8 KB and an
// fdatasync are two writes, one flush and sixteen sectors.
func Requests(writes, flushes float64) float64 { return writes - flushes }

// OfDevice reports whether the metric of that name is a kernel counter of disks, which count the device's work by
// definition.
func OfDevice(name string) bool {
	view, _, _ := strings.Cut(name, "/")
	role, of := strings.CutPrefix(view, "block.")
	role, _, _ = strings.Cut(role, ".")
	return view == "block" || strings.HasPrefix(view, "request") && slices.Contains(RequestViews(), view) ||
		of && slices.Contains([]string{DataRole, WALRole, TablespacesRole, TempRole}, role)
}

// TablespaceRole returns the role of tablespaces that share their devices with no others, by the OID of the first of
// them.
func TablespaceRole(oid string) string { return TablespacesRole + "." + oid }

// TablespaceIn returns the OID in such a role.
func TablespaceIn(role string) (oid string, apart bool) {
	return strings.CutPrefix(role, TablespaceRole(""))
}

// InRole returns the metric for the disks of one role that corresponds to one for all disks.
func InRole(role, metric string) string { return "block." + role + strings.TrimPrefix(metric, "block") }

// WritesAlone reports whether the metric of that name is a kernel counter of disk writes, which exclude reads.
func WritesAlone(name string) bool {
	_, field, _ := strings.Cut(name, "/")
	return OfDevice(name) && slices.Contains([]string{"writes", "writes_merged", "write_bytes", "write_time", "flushes",
		"flush_time", "requests"}, field)
}

// OfStorage reports whether the metric of that name is of storage itself: a kernel counter of disks, or work of its
// storage that a provider shows and bills.
func OfStorage(name string) bool {
	return OfDevice(name) || ofProviders()[name]
}

// ofProviders returns the names of providers' metrics that are storage's work.
var ofProviders = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, m := range Meanings() {
		if m.Side == Physical {
			names[m.Name()] = true
		}
	}
	return names
})

// device returns the kernel's counters of the server's disks, processes and control group.
func device() []Metric {
	rows := append(disks("block", "", ""), requests())
	for _, role := range []struct{ name, directories, printed string }{
		{DataRole, "the data directory", "data directory"}, {WALRole, "pg_wal", "pg_wal"},
		{TablespacesRole, "the tablespaces", "tablespaces"}, {TempRole, "temp_tablespaces", "temp_tablespaces"},
	} {
		rows = append(rows, disks("block."+role.name, " (devices under "+role.directories+")", " ("+role.printed+")")...)
	}
	return slices.Concat(rows, processes(), cgroup())
}

// disks returns the fields of a device's stat file.
func disks(name, whose, printed string) []Metric {
	field := func(m Metric, words string) Metric {
		m.Name, m.Help = name+"/"+m.Name, m.Help+whose
		m.Source = "https://docs.kernel.org/block/stat.html"
		return m.As("/proc/diskstats " + words + printed).
			but("counts every program that uses the device; over several devices it is their sum, so a mirror " +
				"counts a write twice")
	}
	whole := func(mark func(Metric) Metric, m Metric) Metric { // only for all disks together
		if printed == "" {
			return mark(m)
		}
		return m
	}
	reads, readBytes := func(m Metric) Metric {
		return m.makes(DeviceReads).firstOfReads()
	}, func(m Metric) Metric { return m.makes(DeviceReadSize) }
	requests, bytes, flushes := Metric.matters, func(m Metric) Metric {
		return m.makes(DeviceBytes).matters()
	}, func(m Metric) Metric { return m.makes(DeviceFlushes).matters() }
	return []Metric{
		whole(reads, field(counter("reads", "operations", "read requests completed by the device"), "reads")),
		field(counter("reads_merged", "operations",
			"reads merged into a queued request, not counted in reads"), "reads merged"),
		whole(readBytes, field(counter("read_bytes", "bytes", "bytes read from the device"), "bytes read")),
		field(counter("read_time", "seconds", "time that read requests took, summed over requests"), "time reading"),
		whole(requests, field(counter("writes", "operations",
			"write requests completed by the device, including empty flushes; requests with data are writes - flushes"),
			"writes")),
		field(counter("writes_merged", "operations",
			"writes merged into a queued request, not counted in writes"), "writes merged"),
		whole(bytes, field(counter("write_bytes", "bytes", "bytes written to the device"), "bytes written")),
		field(counter("write_time", "seconds", "time that write requests took, summed over requests"), "time writing"),
		whole(flushes, field(counter("flushes", "operations",
			"flushes of the device's cache; a device without a volatile cache (write through) gets none"),
			"flushes")),
		field(counter("flush_time", "seconds", "time that flushes took, summed over flushes"), "time flushing"),
		field(counter("discards", "operations",
			"requests that tell the device which data is no longer needed; not in writes"), "discards"),
		field(counter("discards_merged", "operations",
			"discards that were merged into a request already queued, and so are not in discards"), "discards merged"),
		field(counter("discard_bytes", "bytes", "bytes discarded, which are not written"), "bytes discarded"),
		field(counter("discard_time", "seconds", "time that discards took, summed over requests"), "time discarding"),
		field(counter("io_time", "seconds",
			"time during which at least one request was in flight: its rate is the utilisation"), "time in flight"),
		field(counter("weighted_time", "seconds", "time in flight, summed over requests: its rate is the mean queue"),
			"weighted time in flight"),
		field(gauge("in_flight", "operations", "requests sent to the device and not yet completed"),
			"requests in flight"),
	}
}

func requests() Metric {
	m := counter(BlockRequests, "operations", DeviceRequests.Help()).As("/proc/diskstats writes - flushes").makes(
		DeviceRequests).matters().
		but("on a file system with a journal, too low by one or two per journal transaction, such as an fsync of a " +
			"file whose size or time changed: the kernel flushes before and after such a write, and counts " +
			"neither flush as a write. The metrics request.* count requests with data")
	m.Derived = &Difference{Of: BlockWrites, Less: BlockFlushes}
	return m
}

// processes returns the fields of /proc/PID/io, without write_bytes: with large folios the kernel counts a multiple
// there.
func processes() []Metric {
	row := func(column, unit, help string) Metric {
		m := counter("block.process/"+column, unit, help).As("/proc/PID/io " + column)
		m.Source = "https://man7.org/linux/man-pages/man5/proc_pid_io.5.html"
		return m.but("the kernel may do the I/O later, or never; excludes traffic to clients; readable only by root and " +
			"the server's user")
	}
	return []Metric{
		row("rchar", "bytes", "bytes that the server's processes, including ended ones, got by read calls "+
			"for files and pipes, not by io_uring").makes(BytesAsked),
		row("syscr", "operations", "read calls of the server's processes, including ended ones, for "+
			"files and pipes, without those of io_uring").makes(ReadCalls),
		row("wchar", "bytes", "bytes that the server's processes, including ended ones, passed to write calls "+
			"for files and pipes").asked(),
		row("syscw", "operations",
			"write calls of the server's processes, including ended ones, for files and pipes").asked(),
	}
}

func cgroup() []Metric {
	row := func(name, printed, unit, help string) Metric {
		m := counter("block.cgroup/"+name, unit, help).As("cgroup io.stat " + printed)
		m.Source = "https://docs.kernel.org/admin-guide/cgroup-v2.html#io-interface-files"
		return m.but("includes other programs in the group, and may omit some of the server's work: pages written back " +
			"later and the file system's journal may be charged elsewhere, and version 1 counts only devices with a limit")
	}
	const group = "the server's control group (its container or service)"
	return []Metric{
		row("reads", "rios", "operations", "reads of "+group+" from the server's devices"),
		row("read_bytes", "rbytes", "bytes", "bytes that "+group+" read from the server's devices"),
		row("writes", "wios", "operations", "writes of "+group+
			" to the server's devices, including flushes, before merging"),
		row("write_bytes", "wbytes", "bytes", "bytes that "+group+" wrote to the server's devices"),
	}
}
