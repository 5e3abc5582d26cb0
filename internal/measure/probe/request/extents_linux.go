package request

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
)

// The kernel's interface (linux/fiemap.h): a head, followed by as many extents as fit.
const (
	fiemapRequest = 0xC020660B // FS_IOC_FIEMAP
	getVersion    = 0x80087601 // FS_IOC_GETVERSION
	extentsAtOnce = 64

	extentLast     = 1 << 0
	extentUnknown  = 1 << 1 // its place is not decided
	extentDelayed  = 1 << 2
	extentInline   = 1 << 9
	extentShared   = 1 << 13
	extentNowhere  = extentUnknown | extentDelayed | extentInline
	extentsInAFile = 1 << 16 // at most
)

type fiemap struct {
	Start, Length                    uint64
	Flags, Mapped, Room, ReservedTop uint32
	Extents                          [extentsAtOnce]fiemapExtent
}

type fiemapExtent struct {
	Logical, Physical, Length uint64
	Reserved64                [2]uint64
	Flags                     uint32
	Reserved                  [3]uint32
}

// extent is a stretch of a file on its device, in bytes.
type extent struct {
	from, length uint64
	shared       bool // with another file by reflink
}

// lies is the location of a file on its device.
type lies struct {
	extents    []extent
	settled    bool   // all data written has its place
	generation uint32 // of its inode
}

// placeOf returns where a file lies.
func placeOf(e *layout.Entry) (at lies, err error) {
	f, err := e.Open()
	if err != nil {
		return at, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if at.generation, err = unix.IoctlGetUint32(int(f.Fd()), getVersion); err != nil {
		return at, fmt.Errorf("get the inode generation of %s: %w", e.Path, err)
	}
	at.extents, at.settled, err = extentsOf(f)
	return at, err
}

// extentsOf returns a file's extents on the device, and whether all of its data has one.
func extentsOf(f *os.File) (found []extent, settled bool, err error) {
	settled = true
	for from := uint64(0); len(found) < extentsInAFile; {
		ask := fiemap{Start: from, Length: ^uint64(0) - from, Room: extentsAtOnce}
		//nolint:gosec // the kernel takes its address
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), fiemapRequest, uintptr(unsafe.Pointer(&ask))); errno != 0 {
			return nil, false, fmt.Errorf("get the extents of %s: %w", f.Name(), errno)
		}
		for _, e := range ask.Extents[:ask.Mapped] {
			if e.Flags&extentNowhere != 0 {
				settled = false
			} else {
				found = append(found, extent{e.Physical, e.Length, e.Flags&extentShared != 0})
			}
			from = e.Logical + e.Length
		}
		if ask.Mapped == 0 || ask.Extents[ask.Mapped-1].Flags&extentLast != 0 {
			break
		}
	}
	return found, settled, nil
}
