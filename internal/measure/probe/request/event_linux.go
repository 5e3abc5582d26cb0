package request

import (
	"bytes"
	"encoding/binary"
	"io"
)

// minorBits is the number of low bits that hold the minor number in the kernel's dev_t.
const minorBits = 20

const sectorBytes = 512

// eventBytes is the length of an event in the ring.
const eventBytes = 64

// event is a completed request, as the program in the kernel records it.
type event struct {
	Sector      uint64
	Bytes       uint32
	Operation   uint32 // in the lowest 8 bits, and flags
	Flags, Disk uint32
	Process     uint32 // the cause; 0: unknown, such as for a flush that the kernel merged from several
	Parent      uint32
	Command     command
	File        inode // owner of the pages with the data; zero: unknown, such as for a program's own memory
}

// inode identifies a file. A freed number is reused with another generation.
type inode struct {
	Number             uint64
	Device, Generation uint32 // of the file system
}

func (e *event) read(raw []byte) error {
	if len(raw) < eventBytes {
		return io.ErrUnexpectedEOF
	}
	// binary.Decode takes five times as long.
	word := func(at int) uint32 { return binary.NativeEndian.Uint32(raw[at:]) }
	*e = event{
		Sector: binary.NativeEndian.Uint64(raw), Bytes: word(8), Operation: word(12), Flags: word(16), Disk: word(20),
		Process: word(24), Parent: word(28),
	}
	copy(e.Command[:], raw[32:])
	e.File = inode{binary.NativeEndian.Uint64(raw[48:]), word(56), word(60)}
	if end := bytes.IndexByte(e.Command[:], 0); end >= 0 {
		clear(e.Command[end:]) // may hold the end of a longer name
	}
	return nil
}

// kthreadd is the parent of the kernel's threads: other processes may imitate their names.
const kthreadd = 2

// byKernel reports whether a kernel thread caused the request, whose name has that beginning or part.
func (e *event) byKernel(beginning, within string) bool {
	return e.Parent == kthreadd && bytes.HasPrefix(e.Command[:], []byte(beginning)) &&
		bytes.Contains(e.Command[:], []byte(within))
}

func (e *event) byWorker() bool { return e.byKernel("kworker/", "") }

// command is the name of a process, as the kernel keeps it.
type command [16]byte

func (c command) String() string { return string(bytes.TrimRight(c[:], "\x00")) }

// Operations of the kernel (enum req_op).
const (
	opRead        = 0
	opWrite       = 1
	opFlush       = 2
	opDiscard     = 3
	opSecureErase = 5
	opMask        = 0xff
)

func (e *event) operation() uint32 { return e.Operation & opMask }

// writes reports whether data goes to the disk.
func (e *event) writes() bool {
	op := e.operation()
	return op%2 == 1 && op != opDiscard && op != opSecureErase
}
