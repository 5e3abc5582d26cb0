package request

import (
	"cmp"
	"slices"
	"time"

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
