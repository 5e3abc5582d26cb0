// Package request attributes the requests of a server's disks: each request that a disk completes, by the file that
// its sectors belong to.
//
// A program in the kernel (BPF, on the tracepoints block_bio_queue and block_rq_complete) notes every request of these
// disks with its sectors, its length, and the process that asked for it. The extents of the server's files (FIEMAP) say
// whose sectors these are. What belongs to no file of the server is the file system's journal, or another program's.
// The program needs no tracefs and disturbs nobody else's tracing; the kernel drops it when its file descriptors are
// closed, also when realiops is killed.
package request

import (
	"strings"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Name of the sampler, and of its metrics up to the slash.
const Name = "request"

// Place locates a server's files and names them.
type Place struct {
	Roots      []layout.Root
	Postmaster int    // its first process
	Database   uint32 // whose relations Relations knows
	// Names are the relations of the database by the numbers of their files, and Relations asks for them anew, when
	// there are more.
	Names     map[uint32]Relation
	Relations func() (map[uint32]Relation, error)
}

// Relation is the owner of a file in a database.
type Relation struct {
	Name string
	Kind Kind
}

// Kind classifies the purpose of a request.
type Kind uint8

// All kinds.
const (
	WAL Kind = iota
	Tables
	Indexes
	TOAST
	Maps
	Relations // of databases whose names were not asked for
	Temp
	Log
	Other
	Journal
	OtherPrograms
	kinds
)

// String is as the metrics call it.
func (k Kind) String() string {
	return [kinds]string{"wal", "tables", "indexes", "toast", "maps", "relations", "temp", "log", "other", "journal",
		"other_programs"}[k]
}

// ofServer reports whether it is of the server's own files.
func (k Kind) ofServer() bool { return k != Journal && k != OtherPrograms }

// Metrics lists what a sampler of this package reads.
func Metrics() (all []runfile.Metric) {
	for _, view := range metric.RequestViews() {
		all = append(all, metric.All().View(view).Announced()...)
	}
	return all
}

// Who is a command outside the server; empty: the kernel did not name it. Or it is the kernel itself, which writes
// data that programs left in its cache, and the file system's own, without saying for whom.
type Who struct {
	Command string
	Kernel  bool
}

// OtherProgram is a program outside the server, with the requests that the disks did for it.
type OtherProgram struct {
	Who
	Requests, Bytes float64
}

// Absent stands for the sampler where requests cannot be followed.
func Absent(why error) probe.Sampler { return probe.Absent(Name, Metrics(), why) }

// Remedy returns the remedy for a gap of this package; empty if the gap's own words give it.
func Remedy(gap runfile.Gap) string {
	if strings.HasPrefix(gap.Metric, Name) && gap.Reason == runfile.Permission {
		return "run realiops as root, or allow the program that: " + allowing
	}
	return ""
}

// allowing is the one command that lets a program of a user other than root follow requests: load programs into the
// kernel, and read the server's directory and its first process.
const allowing = "sudo setcap cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_ptrace+ep $(which realiops)"
