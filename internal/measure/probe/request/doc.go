// Package request attributes the requests of a server's disks: each request that a disk completes, to the
// file that its sectors belong to.
//
// A BPF program in the kernel, on the tracepoints block_bio_queue and block_rq_complete, records every request of
// these disks with its sectors, its length, and the process that caused it. The extents of the server's files
// (FIEMAP) show whose sectors these are. Other requests are the file system's journal or another program's. The
// program needs no tracefs and disturbs no other tracing; the kernel drops it when its file descriptors are
// closed, even when realiops is killed.
package request

import (
	"strings"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Name is the sampler's name and the prefix of its metrics.
const Name = "request"

// Place locates a server's files and names them.
type Place struct {
	Roots      []layout.Root
	Postmaster int    // its first process
	Database   uint32 // the database of Names
	// Names maps the file numbers of the database's relations to them. Relations reads them
	// again after new ones were created.
	Names     map[uint32]Relation
	Relations func() (map[uint32]Relation, error)
}

// Relation is the owner of a file in a database.
type Relation struct {
	Name string
	Kind Kind
}

// Kind is the purpose of a request.
type Kind uint8

// All kinds.
const (
	WAL Kind = iota
	Tables
	Indexes
	TOAST
	Maps
	Relations // of databases without names
	Temp
	Log
	Other
	Journal
	OtherPrograms
	kinds
)

// String returns the kind's name in metrics.
func (k Kind) String() string {
	return [kinds]string{"wal", "tables", "indexes", "toast", "maps", "relations", "temp", "log", "other", "journal",
		"other_programs"}[k]
}

// ofServer reports whether the kind is of the server's own files.
func (k Kind) ofServer() bool { return k != Journal && k != OtherPrograms }

// Metrics lists the metrics of a sampler.
func Metrics() (all []runfile.Metric) {
	for _, view := range metric.RequestViews() {
		all = append(all, metric.All().View(view).Announced()...)
	}
	return all
}

// Who is a command outside the server; empty: unknown. It may also be the kernel, which writes cached data and the
// file system's own without saying for whom.
type Who struct {
	Command string
	Kernel  bool
}

// OtherProgram is a program outside the server, with its requests to the disks.
type OtherProgram struct {
	Who
	Requests, Bytes float64
}

// Absent returns the sampler if requests cannot be followed.
func Absent(why error) probe.Sampler { return probe.Absent(Name, Metrics(), why) }

// Remedy returns advice about a gap of this package, or "" if the gap's own text has it.
func Remedy(gap runfile.Gap) probe.Remedy {
	if strings.HasPrefix(gap.Metric, Name) && gap.Reason == runfile.Permission {
		return probe.Remedy{Machine: true, Text: "run realiops as root, or give the program the capabilities: " + allowing}
	}
	return probe.Remedy{}
}

// allowing is the command that lets a program without root follow requests: load programs into the kernel, and read
// the server's directory and first process.
const allowing = "sudo setcap cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_ptrace+ep $(which realiops)"
