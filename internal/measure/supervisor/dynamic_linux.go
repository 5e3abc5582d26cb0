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

// dynamic is shared memory that a server makes while it runs, for parallel queries and statistics, as one setting of
// dynamic_shared_memory_type has it. With mmap it lies in the data directory.
type dynamic struct {
	owner  uint32
	mapped string // the maps of all processes
}

// removeDynamic removes what a server's control segment lists, and the control segment: what that server made, and
// nothing by the look of its name. Each segment has to be the server's user's, and nobody may have it mapped, so that
// one which another server made under the same name stays.
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

// listed reads a control segment, PostgreSQL's dsm_control_header: three numbers and slots, whose size depends on the
// version.
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

// mostMemory bounds what is read of a control segment: each of a thousand connections takes a few hundred bytes.
const mostMemory = 64 << 20

func nameOf(handle uint32) string { return fmt.Sprintf("/dev/shm/PostgreSQL.%d", handle) }

// readFile reads a segment of dynamic_shared_memory_type=posix; nil: it is not this user's.
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

// segment finds one of dynamic_shared_memory_type=sysv that is this user's and that nobody has attached.
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
	defer unix.SysvShmDetach(memory) //nolint:errcheck // it is removed next
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

// mappedMemory returns what processes map of PostgreSQL's shared memory, as far as we may know.
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
