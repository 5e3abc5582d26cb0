package request

import (
	"cmp"
	"slices"
)

// mostCommands of other programs are told apart; what further ones do is in no line.
const mostCommands = 200

// Who is a command that is none of the server's; empty: the kernel did not tell. Or it is the kernel itself, which writes what programs left
// in its cache, and notes of the file system, and does not tell for whom.
type Who struct {
	Command string
	Kernel  bool
}

// OtherProgram is who is none of the server's, and what was done to the disks for it.
type OtherProgram struct {
	Who
	Requests, Bytes float64
}

// otherPrograms are commands, with what each did, and the kernel's own threads that write for all.
type otherPrograms struct {
	kernel counts
	of     map[command]*counts
}

func (s *otherPrograms) add(e *event) {
	if e.byWorker() {
		s.kernel.add(e)
		return
	}
	did := s.of[e.Command]
	if did == nil {
		if len(s.of) >= mostCommands {
			return
		}
		did = &counts{}
		s.of[e.Command] = did
	}
	did.add(e)
}

// list has who put the most requests first.
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
