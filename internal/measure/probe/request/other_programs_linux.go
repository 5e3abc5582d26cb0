package request

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// mostCommands bounds the commands of other programs that are listed.
const mostCommands = 200

// otherPrograms sums up requests by command, and those of kernel threads that write for all programs.
type otherPrograms struct {
	kernel counts
	of     map[command]*counts
}

func (s *otherPrograms) add(by asker, more counts) {
	if by.worker {
		s.kernel.plus(more)
		return
	}
	did := s.of[by.command]
	if did == nil {
		if len(s.of) >= mostCommands {
			return
		}
		did = &counts{}
		s.of[by.command] = did
	}
	did.plus(more)
}

func (s *otherPrograms) list() (all []OtherProgram) {
	note := func(w Who, c *counts) {
		all = append(all, OtherProgram{w, c.reads + c.writes, c.readBytes + c.writeBytes})
	}
	note(Who{Kernel: true}, &s.kernel)
	for by, did := range s.of {
		note(Who{Command: by.String()}, did)
	}
	slices.SortFunc(all, func(a, b OtherProgram) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Command, b.Command))
	})
	return all
}

// top returns the commands with the most bytes.
func (s *otherPrograms) top(from, to time.Time) runfile.Top {
	top := runfile.Top{From: from, At: to, Of: runfile.Programs}
	var total counts
	note := func(name string, did *counts) {
		if *did == (counts{}) {
			return
		}
		total.plus(*did)
		top.Items = append(top.Items, runfile.TopItem{Name: name, Grew: did.fields()})
	}
	note(runfile.WrittenLater, &s.kernel)
	for by, did := range s.of {
		note(cmp.Or(by.String(), runfile.Unnamed), did)
	}
	top.Total = total.fields()
	return mostBytesFirst(top)
}

// mostRanked bounds the relations listed; further ones are summed up by kind.
const mostRanked = 20_000

// ranking sums up requests for each named relation of the database, and for each kind of other file.
type ranking struct {
	from      time.Time
	kinds     [kinds]counts      // of files that are no relation, and of relations beyond mostRanked
	relations map[uint32]*counts // by number
}

func (r *ranking) add(whose owner, more counts) {
	did := &r.kinds[whose.kind]
	if whose.node != 0 {
		if relation := r.relations[whose.node]; relation != nil {
			did = relation
		} else if len(r.relations) < mostRanked {
			did = &counts{}
			r.relations[whose.node] = did
		}
	}
	did.plus(more)
}

// top returns the server's files with the most bytes.
func (r *ranking) top(at time.Time, names map[uint32]Relation) runfile.Top {
	top := runfile.Top{From: r.from, At: at, Of: runfile.Files}
	var total counts
	note := func(name string, c counts) {
		total.plus(c)
		top.Items = append(top.Items, runfile.TopItem{Name: name, Grew: c.fields()})
	}
	for kind, c := range r.kinds {
		if Kind(kind).ofServer() && c != (counts{}) {
			note(metric.RequestedFor(Kind(kind).String()), c)
		}
	}
	for node, c := range r.relations {
		name := fmt.Sprintf("file %d", node) // dropped, or not committed yet
		if relation, known := names[node]; known {
			name = relation.Name
		}
		note(name, *c)
	}
	top.Total = total.fields()
	return mostBytesFirst(top)
}

func mostBytesFirst(top runfile.Top) runfile.Top {
	bytes := func(i runfile.TopItem) float64 { return i.Grew["write_bytes"] + i.Grew["read_bytes"] }
	slices.SortFunc(top.Items, func(a, b runfile.TopItem) int {
		return cmp.Or(cmp.Compare(bytes(b), bytes(a)), cmp.Compare(a.Name, b.Name))
	})
	top.Items = top.Items[:min(len(top.Items), runfile.MostTopItems)]
	return top
}

func (c counts) fields() map[string]float64 {
	return map[string]float64{"reads": c.reads, "read_bytes": c.readBytes, "writes": c.writes,
		"write_bytes": c.writeBytes}
}

func newRanking() ranking { return ranking{from: time.Now(), relations: map[uint32]*counts{}} }
