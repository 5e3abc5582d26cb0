package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// dynamic is the shared memory that a server creates while it runs, for parallel queries and statistics, with one
// setting of dynamic_shared_memory_type. With mmap it is in the data directory.
type dynamic struct {
	owner  uint32
	mapped string // the maps of all processes
}

// removeDynamic removes a server's control segment and the segments listed in it. Each must belong to the server's
// user and be mapped by no process, so that another server's segment of the same name stays.
func removeDynamic(control, owner uint32) error {
	d := dynamic{owner: owner, mapped: mappedMemory()}
	for _, kind := range []struct {
		read   func(handle uint32) []byte
		remove func(handle uint32) error
	}{{d.readFile, d.removeFile}, {d.readSegment, d.removeSegment}} {
		handles, ok := listed(kind.read(control))
		if !ok {
			continue
		}
		for _, handle := range append(handles, control) {
			if err := kind.remove(handle); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// listed parses a control segment, PostgreSQL's dsm_control_header: three numbers and slots,
// whose size depends on the version.
func listed(text []byte) (handles []uint32, ok bool) {
	const magic, slotsAt, leastSlot = 0x9a503d32, 16, 24
	if len(text) < slotsAt || binary.NativeEndian.Uint32(text) != magic {
		return nil, false
	}
	used, slots := int(binary.NativeEndian.Uint32(text[4:])), int(binary.NativeEndian.Uint32(text[8:]))
	if slots == 0 || used > slots || (len(text)-slotsAt)/slots < leastSlot {
		return nil, false
	}
	size := (len(text) - slotsAt) / slots
	for slot := range used {
		at := text[slotsAt+slot*size:]
		handle, references := binary.NativeEndian.Uint32(at), binary.NativeEndian.Uint32(at[4:])
		if references > 0 {
			handles = append(handles, handle)
		}
	}
	return handles, true
}

// mostMemory bounds the size of a control segment: each of a thousand connections takes a few hundred bytes.
const mostMemory = 64 << 20

func nameOf(handle uint32) string { return fmt.Sprintf("/dev/shm/PostgreSQL.%d", handle) }

// readFile reads a segment of dynamic_shared_memory_type=posix, or returns nil if it is not this user's.
func (d dynamic) readFile(handle uint32) []byte {
	f, err := os.OpenFile(nameOf(handle), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !d.owns(info) {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, mostMemory))
	if err != nil {
		return nil
	}
	return text
}

func (d dynamic) owns(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && info.Sys().(*syscall.Stat_t).Uid == d.owner
}

func (d dynamic) removeFile(handle uint32) error {
	name := nameOf(handle)
	info, err := os.Lstat(name)
	if err != nil || !d.owns(info) || strings.Contains(d.mapped, name+"\n") {
		return nil //nolint:nilerr // it is gone
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// segment finds an unattached segment of dynamic_shared_memory_type=sysv that is this user's.
func (d dynamic) segment(handle uint32) (id int, ok bool) {
	key := int32(handle) //nolint:gosec // as PostgreSQL does
	id, err := unix.SysvShmGet(max(int(key), -int(key)), 0, 0)
	if err != nil {
		return 0, false
	}
	var s unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &s); err != nil {
		return 0, false
	}
	return id, s.Perm.Uid == d.owner && s.Nattch == 0
}

func (d dynamic) readSegment(handle uint32) []byte {
	id, ok := d.segment(handle)
	if !ok {
		return nil
	}
	memory, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return nil
	}
	defer unix.SysvShmDetach(memory) //nolint:errcheck // removed next
	return append([]byte(nil), memory[:min(len(memory), mostMemory)]...)
}

func (d dynamic) removeSegment(handle uint32) error {
	id, ok := d.segment(handle)
	if !ok {
		return nil
	}
	_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	return err
}

// mappedMemory lists processes' mappings of PostgreSQL's shared memory, as far as visible.
func mappedMemory() string {
	var all strings.Builder
	processes, _ := filepath.Glob("/proc/[0-9]*/maps")
	for _, maps := range processes {
		text, _ := os.ReadFile(maps)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "/dev/shm/PostgreSQL.") {
				all.WriteString(line)
			}
		}
	}
	return all.String()
}
