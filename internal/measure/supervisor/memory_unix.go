//go:build linux || darwin

package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// remove reads the server's process and segment from postmaster.pid, which exists only if the server removed neither.
// The server's user could have written anything into that file: a segment is removed only if that user owns it, that
// process created it, and no process has it attached.
func (m SharedMemory) remove() error {
	root, err := os.OpenRoot(m.DataDirectory)
	if err != nil {
		return unlessAbsent(err)
	}
	defer root.Close()
	f, err := root.OpenFile("postmaster.pid", os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return unlessAbsent(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return unlessAbsent(err)
	}
	const longest = 4 << 10 // bytes; PostgreSQL writes some hundred
	text, err := io.ReadAll(io.LimitReader(f, longest))
	if err != nil {
		return unlessAbsent(err)
	}
	process, segment, named := segmentIn(string(text))
	if !named {
		return nil
	}
	var s unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(segment, unix.IPC_STAT, &s); err != nil { // it is gone, or another user's
		return nil
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if s.Perm.Uid != owner || int(s.Cpid) != process || s.Nattch != 0 {
		return nil
	}
	directory, err := root.Stat(".")
	if err != nil {
		return unlessAbsent(err)
	}
	if control, known := controlSegmentIn(segment, directory); known {
		if err := removeDynamic(control, owner); err != nil {
			return fmt.Errorf("remove the dynamic shared memory of a killed server: %w", err)
		}
	}
	if _, err := unix.SysvShmCtl(segment, unix.IPC_RMID, nil); err != nil {
		return fmt.Errorf("remove the shared memory segment %d of a killed server: %w", segment, err)
	}
	return nil
}

// controlSegmentIn reads the begin of a server's segment, PostgreSQL's PGShmemHeader: its data directory, and the
// handle of the control segment of its dynamic shared memory.
func controlSegmentIn(id int, directory fs.FileInfo) (handle uint32, known bool) {
	const (
		magic                                  = 679834894
		controlAt, deviceAt, inodeAt, smallest = 24, 40, 48, 56
	)
	header, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return 0, false
	}
	defer unix.SysvShmDetach(header) //nolint:errcheck // removed next
	stat := directory.Sys().(*syscall.Stat_t)
	if len(header) < smallest || binary.NativeEndian.Uint32(header) != magic ||
		binary.NativeEndian.Uint64(header[deviceAt:]) != uint64(stat.Dev) ||
		//nolint:unconvert // it is 32 bits wide on some systems
		binary.NativeEndian.Uint64(header[inodeAt:]) != stat.Ino {
		return 0, false
	}
	handle = binary.NativeEndian.Uint32(header[controlAt:])
	return handle, handle != 0
}

// segmentIn parses postmaster.pid as in PostgreSQL's pidfile.h: the first line is the process, negative for initdb's
// server without clients, and the second number of the seventh line is the segment.
func segmentIn(text string) (process, segment int, named bool) {
	const memoryLine = 7
	lines := strings.Split(text, "\n")
	if len(lines) < memoryLine {
		return 0, 0, false
	}
	var key int
	if _, err := fmt.Sscan(lines[0], &process); err != nil {
		return 0, 0, false
	}
	_, err := fmt.Sscan(lines[memoryLine-1], &key, &segment)
	return max(process, -process), segment, err == nil
}

func unlessAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("find the shared memory of a killed server: %w", err)
}
