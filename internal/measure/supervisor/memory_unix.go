//go:build unix

package supervisor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// remove goes by postmaster.pid, which names the server's process and segment and is there only where the server did not
// remove both itself. The file is the server's user's, who could have written anything: a segment goes only if that user
// owns it, that process made it, and nobody has it attached.
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
	if s.Perm.Uid != info.Sys().(*syscall.Stat_t).Uid || int(s.Cpid) != process || s.Nattch != 0 {
		return nil
	}
	if _, err := unix.SysvShmCtl(segment, unix.IPC_RMID, nil); err != nil {
		return fmt.Errorf("remove the shared memory segment %d of a server that was killed: %w", segment, err)
	}
	return nil
}

// segmentIn reads postmaster.pid as PostgreSQL's pidfile.h has it: the process is in the first line, negative for a server
// without clients as initdb runs it, and the segment is the second number of the seventh.
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
	return fmt.Errorf("find the shared memory of a server that was killed: %w", err)
}
