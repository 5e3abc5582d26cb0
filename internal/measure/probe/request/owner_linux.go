package request

import (
	"cmp"
	"slices"
)

type owner struct {
	kind Kind
	node uint32 // of a relation of the database whose names are known; 0: another file
}

// piece is a stretch of a disk that belongs to a file.
type piece struct {
	disk     uint32
	from, to uint64 // sectors
	file     *file
	shared   bool // with a file that may be anybody's
}

// atlas are all pieces, in order.
type atlas []piece

func (a atlas) sort() {
	slices.SortFunc(a, func(p, q piece) int { return cmp.Or(cmp.Compare(p.disk, q.disk), cmp.Compare(p.from, q.from)) })
}

// find says whose a request is. What two files share by reflink is only read there, since a write gets blocks of its
// own: who reads for the server are its own processes. nil: it is for no file of the server.
func (a atlas) find(e *event, postmaster int) *file {
	disk, sector := e.Disk, e.Sector
	i, exact := slices.BinarySearchFunc(a, sector, func(p piece, sector uint64) int {
		return cmp.Or(cmp.Compare(p.disk, disk), cmp.Compare(p.from, sector))
	})
	if !exact {
		i--
	}
	if i < 0 || a[i].disk != disk || sector >= a[i].to || a[i].shared && !ours(e, postmaster) {
		return nil
	}
	return a[i].file
}

// mayBeShared reports whether a request for a file of the server may be for a copy of it as well: a copy by reflink
// leaves no trace on the file.
func mayBeShared(e *event, postmaster int) bool {
	return e.operation() == opRead && !ours(e, postmaster)
}

// mayBeNew reports whether a request that belongs to no known file may be for one of the server that was not seen yet:
// its own processes write to it, and the kernel's, where these do not write what is in the pages of another file. A
// file system's notes are in none.
func mayBeNew(e *event, postmaster int, notes uint32) bool {
	return e.Operation&notes == 0 && (e.Process == 0 || ours(e, postmaster) || e.byWorker() && e.File == inode{})
}

type asker struct {
	server, worker bool // a process of the server, a thread of the kernel that works for all
	command        command
}

func askerOf(e *event, postmaster int) asker {
	return asker{ours(e, postmaster), e.byWorker(), e.Command}
}

// unnamed are requests for files whose names were not read yet.
type unnamed map[unnamedFile]*counts

type unnamedFile struct {
	inode inode
	by    asker
}

func (u unnamed) add(e *event, by asker) {
	at := unnamedFile{e.File, by}
	did := u[at]
	if did == nil {
		did = &counts{}
		u[at] = did
	}
	did.add(e)
}

// ours reports whether a process of the server asked for it.
func ours(e *event, postmaster int) bool {
	return postmaster > 0 && (int(e.Process) == postmaster || int(e.Parent) == postmaster)
}
