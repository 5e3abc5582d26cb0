package request

import (
	"cmp"
	"slices"
)

type owner struct {
	kind Kind
	node uint32 // of a relation of the database whose names are known; 0: another file
}

// piece is a range of sectors that belongs to a file.
type piece struct {
	disk     uint32
	from, to uint64 // sectors
	file     *file
	shared   bool // with any other file
}

// atlas holds all pieces, in order.
type atlas []piece

func (a atlas) sort() {
	slices.SortFunc(a, func(p, q piece) int { return cmp.Or(cmp.Compare(p.disk, q.disk), cmp.Compare(p.from, q.from)) })
}

// find returns the file of a request, or nil if it is not the server's. A range shared by reflink is only read, since
// writes get new blocks; only the server's processes read for the server.
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

// mayBeShared reports whether a request for a server's file may be for a reflink copy,
// which leaves no trace on the file.
func mayBeShared(e *event, postmaster int) bool {
	return e.operation() == opRead && !ours(e, postmaster)
}

// mayBeNew reports whether a request without a known file may be for a new file of the server: the server's processes
// write it, or the kernel does, from no other file's pages. It is not file system metadata.
func mayBeNew(e *event, postmaster int, notes uint32) bool {
	return e.Operation&notes == 0 && (e.Process == 0 || ours(e, postmaster) || e.byWorker() && e.File == inode{})
}

type asker struct {
	server, worker bool // a process of the server; a kernel thread that works for all
	command        command
}

func askerOf(e *event, postmaster int) asker {
	return asker{ours(e, postmaster), e.byWorker(), e.Command}
}

// unnamed holds requests for files whose names have not been read yet.
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

// ours reports whether a process of the server caused the request.
func ours(e *event, postmaster int) bool {
	return postmaster > 0 && (int(e.Process) == postmaster || int(e.Parent) == postmaster)
}
