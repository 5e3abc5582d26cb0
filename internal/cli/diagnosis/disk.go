package diagnosis

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
)

// Disk sums up the work of the server's disks for a while, without our load.
type Disk struct {
	Seconds float64 `json:"seconds"`
	Did     DiskUse `json:"did"` // in total
	// Users lists the work by user, the most first; nil: unknown.
	Users []DiskUse `json:"users,omitempty"`
}

// DiskUse is a disk's work for one user.
type DiskUse struct {
	Of       string  `json:"of,omitempty"` // one of the names below; empty: all users
	Command  string  `json:"command,omitempty"`
	Requests float64 `json:"requests_per_second"`
	Flushes  float64 `json:"flushes_per_second,omitempty"`
	Bytes    float64 `json:"bytes_per_second"`
}

const (
	ThisServer = "this server"
	Journal    = "journal"
	Kernel     = "kernel"
	Program    = "program" // that Command names
	Unnamed    = "not told"
)

// words explains the name of a user. A command may have the same name.
func (u DiskUse) words() string {
	switch u.Of {
	case Journal:
		return "the file system's journal"
	case Kernel:
		return "the kernel, for files that programs wrote before"
	case Unnamed:
		return "programs that the kernel does not name"
	case Program:
		return "program " + u.Command
	default:
		return u.Of
	}
}

// mostUsers bounds the users listed.
const mostUsers = 8

// document describes the work, or returns nil if the disk was not observed.
func (d *Disk) document() document.Block {
	if d == nil {
		return nil
	}
	heading := fmt.Sprintf("What the disk did in %g s without load:", d.Seconds)
	all := document.Terms{{Name: "all programs", Texts: []string{d.Did.rates()}}}
	for _, u := range d.Users[:min(len(d.Users), mostUsers)] {
		all = append(all, document.Term{Name: u.words(), Texts: []string{u.rates()}})
	}
	return under(heading, all)
}

func (u DiskUse) rates() string {
	text := fmt.Sprintf("%s requests/s, %s MB/s", number.Rate(u.Requests), number.Rate(u.Bytes/number.Mega))
	if u.Flushes > 0 {
		text += fmt.Sprintf(", %s flushes/s", number.Rate(u.Flushes))
	}
	return text
}
