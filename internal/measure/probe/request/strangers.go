package request

import (
	"cmp"
	"slices"
	"strings"
)

// mostCommands of strangers are told apart; what further ones do is in no line.
const mostCommands = 200

// Stranger is a command that is none of the server's, and what it did to the disks.
type Stranger struct {
	Command         string // empty: the kernel did not tell
	Requests, Bytes float64
}

// Kernel is who writes what programs left in the kernel's cache, and notes of the file system: the kernel does not tell for whom.
const Kernel = "kernel"

// strangers are commands, with what each did.
type strangers map[string]*counts

func (s strangers) add(e *event) {
	command := e.command()
	if strings.HasPrefix(command, "kworker/") {
		command = Kernel
	}
	if s[command] == nil {
		if len(s) >= mostCommands {
			return
		}
		s[command] = &counts{}
	}
	s[command].add(e)
}

// list has who put the most requests first.
func (s strangers) list() (all []Stranger) {
	for command, c := range s {
		all = append(all, Stranger{command, c.reads + c.writes, c.readBytes + c.writeBytes})
	}
	slices.SortFunc(all, func(a, b Stranger) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Command, b.Command))
	})
	return all
}
