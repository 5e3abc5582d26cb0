package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Room is a server's space for the table of the loads that read, in bytes; unknown values are 0.
type Room struct {
	Asked   int64 // by the user
	Buffers int64 // shared_buffers
	Free    int64 // on the file system of its data
	Temp    int64 // temp_file_limit; negative: there is none

	Unreadable string // why the kernel cannot evict the table's files; empty: it can
	Evicts     bool   // the server can evict pages from shared buffers
}

// Sizes of that table: twice the buffers, so that most lookups miss them. It is large enough to tell something, small
// enough to fill in seconds, and at most a quarter of the free space.
const (
	leastTable   = 32 << 20
	mostTable    = 1 << 30
	timesBuffers = 2
	partOfFree   = 4
	mebibyte     = 1 << 20
)

func (r Room) table() int64 {
	size := cmp.Or(r.Asked, min(max(timesBuffers*r.Buffers, leastTable), mostTable))
	if r.Free > 0 {
		size = min(size, r.Free/partOfFree)
	}
	return size
}

// FitTable sizes the table of the loads that read, drops loads that do not fit, and returns a notice about both.
func FitTable(plan runfile.Plan, room Room) (runfile.Plan, string) {
	if !slices.ContainsFunc(plan.Loads, open) {
		return plan, ""
	}
	size := room.table()
	text := fmt.Sprintf("The loads that read share a table of %s MiB, created once and dropped at the end",
		printable.Count(size/mebibyte))
	switch {
	case room.Asked > size:
		text += fmt.Sprintf(": a quarter of the %s MiB free, and less than --read-size",
			printable.Count(room.Free/mebibyte))
	case room.Buffers > size:
		text += fmt.Sprintf(". It fits into shared_buffers (%s MiB), which will answer most reads, so these loads "+
			"say little about storage", printable.Count(room.Buffers/mebibyte))
		if larger := timesBuffers * room.Buffers; room.Free == 0 || larger <= room.Free/partOfFree {
			text += fmt.Sprintf(". --read-size %dM makes a table that does not", larger/mebibyte)
		}
	}
	if room.Unreadable != "" && slices.ContainsFunc(plan.Loads, func(a runfile.Load) bool { return a.Cold }) {
		text += ". Only its size keeps it out of memory, since " + room.Unreadable
		if room.Evicts {
			text += "; pg_buffercache evicts it from shared_buffers where the role may use it"
		}
	}
	plan.Loads = slices.Clone(plan.Loads)
	for i, l := range plan.Loads {
		if open(l) {
			plan.Loads[i].TableRows = load.RowsIn(size)
		}
	}
	if sorted := size + size/2; room.Temp >= 0 && room.Temp < sorted { // with temporary files for merging
		before := len(plan.Loads)
		plan.Loads = slices.DeleteFunc(plan.Loads, func(a runfile.Load) bool { return a.Method == load.Sort })
		if len(plan.Loads) < before {
			text += fmt.Sprintf(". The load that sorts it is skipped: temp_file_limit allows %s MiB, but it needs "+
				"about %s", printable.Count(room.Temp/mebibyte), printable.Count(sorted/mebibyte))
		}
	}
	return plan, text
}

// open reports whether the load reads a table whose size is not set.
func open(a runfile.Load) bool { return load.Reads(a.Method) && a.TableRows == 0 }
