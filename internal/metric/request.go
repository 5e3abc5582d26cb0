package metric

import "strings"

// Views of the device's requests for some of the server's files.
const (
	requestsOfTables  = "request.tables"
	requestsOfIndexes = "request.indexes"
	requestsOfTOAST   = "request.toast"
)

// RequestServer is the prefix of the device's requests for this server only.
const RequestServer = "request.server"

// The device's work for this server only, if each request was traced to its file.
const (
	ServerReads      = RequestServer + "/reads"
	ServerReadBytes  = RequestServer + "/read_bytes"
	ServerWrites     = RequestServer + "/writes"
	ServerWriteBytes = RequestServer + "/write_bytes"
	ServerFlushes    = RequestServer + "/flushes"
	RequestsLost     = "request/lost"
	RequestWrites    = "request/writes" // of all programs
	RequestFlushes   = "request/flushes"

	JournalWrites     = "request.journal/writes"
	JournalWriteBytes = "request.journal/write_bytes"
)

// ServersPart returns the metrics whose sum is this server's part of a device's metric, if recorded. The kernel also
// counts a flush as a write.
func ServersPart(name string) []string {
	view, field, _ := strings.Cut(name, "/")
	if view != "block" {
		return nil
	}
	switch field {
	case "writes":
		return []string{ServerWrites, ServerFlushes}
	case "requests":
		return []string{ServerWrites}
	case "flushes":
		return []string{ServerFlushes}
	case "write_bytes":
		return []string{ServerWriteBytes}
	case "reads":
		return []string{ServerReads}
	case "read_bytes":
		return []string{ServerReadBytes}
	}
	return nil
}

// requestKinds lists the purposes of requests, with the view of each.
var requestKinds = []struct{ view, whose, printed string }{
	{RequestServer, "for files of this server", "this server"},
	{"request.wal", "for the WAL", "WAL"},
	{requestsOfTables, "for tables of this database", "tables"},
	{requestsOfIndexes, "for indexes of this database", "indexes"},
	{requestsOfTOAST, "for TOAST tables of this database and their indexes", "TOAST"},
	{"request.maps", "for free space and visibility maps", "maps"},
	{"request.relations", "for tables and indexes of the server's other databases, and shared ones", "other databases"},
	{"request.temp", "for temporary files", "temporary files"},
	{"request.log", "for the server's own log", "server log"},
	{"request.other", "for the server's other files, and some that were deleted within a second", "other files"},
	{"request.journal", "for the file system's journal, for all programs, and metadata of this server's " +
		"files", "journal"},
	{"request.other_programs", "for other programs, and for the kernel's metadata of all files", "other programs"},
}

// RequestViews returns the views of requests, the whole device first.
func RequestViews() []string {
	all := []string{"request"}
	for _, k := range requestKinds {
		all = append(all, k.view)
	}
	return all
}

// RequestedFor returns the readable purpose of a kind of requests; an unknown kind is returned unchanged.
func RequestedFor(kind string) string {
	for _, k := range requestKinds {
		if k.view == "request."+kind {
			return k.printed
		}
	}
	return kind
}

// requestsByFile returns the kernel's traced requests, by the file that their sectors belong to.
func requestsByFile() (rows []Metric) {
	const source = "https://docs.kernel.org/trace/events.html"
	add := func(view, printed, field, unit, help, caveat string) {
		m := counter(view+"/"+field, unit, help).As("requests by file: " + field + " (" + printed + ")").but(caveat)
		m.Source = source
		rows = append(rows, m)
	}
	const all = "the sum over the server's disks, for all programs"
	add("request", "all", "reads", "operations", "completed read requests", all)
	add("request", "all", "read_bytes", "bytes", "bytes read", all)
	add("request", "all", "writes", "operations",
		"completed write requests, counted as in /proc/diskstats, including empty flushes", all)
	add("request", "all", "write_bytes", "bytes", "bytes written", all)
	add("request", "all", "flushes", "operations", "flushes of the disks' caches", all)
	add("request", "all", "lost", "operations", "requests lost because they came too fast; in no other figure", all)
	const late = "a direct request to a file made within the last seconds may be counted up to three seconds later"
	for _, k := range requestKinds {
		add(k.view, k.printed, "reads", "operations", "read requests "+k.whose, late)
		add(k.view, k.printed, "read_bytes", "bytes", "bytes read "+k.whose, late)
		add(k.view, k.printed, "writes", "operations", "write requests that carry data, "+k.whose, late)
		add(k.view, k.printed, "write_bytes", "bytes", "bytes written "+k.whose, late)
	}
	add(RequestServer, "this server", "flushes", "operations", "flushes requested by this server's processes",
		"the disk may combine several; without flushes of the file system's journal")
	return rows
}
