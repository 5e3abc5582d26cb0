package ring

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From the kernel's include/uapi/linux/io_uring.h.
const (
	setupSizedCQ      = 1 << 3
	setupSubmitAll    = 1 << 7
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	enterGetEvents      = 1 << 0
	enterRegisteredRing = 1 << 4

	registerFiles   = 2
	registerRingFDs = 20

	mapRings   = 0
	mapEntries = 0x10000000

	opTimeout       = 11
	opTimeoutRemove = 12
	opCancel        = 14
	opRead          = 22
	opSend          = 26
	opReceive       = 27

	fixedFile   = 1 << 0
	skipSuccess = 1 << 6
	pollFirst   = 1 << 0 // of a receive, in ioprio

	cancelAll       = 1 << 0
	cancelByFile    = 1 << 1
	cancelFixedFile = 1 << 3
)

type params struct {
	sqEntries, cqEntries, flags, threadCPU, threadIdle, features, wqFD uint32
	_                                                                  [3]uint32
	sq                                                                 struct {
		head, tail, mask, entries, flags, dropped, array, _ uint32
		_                                                   uint64
	}
	cq struct {
		head, tail, mask, entries, overflow, cqes, flags, _ uint32
		_                                                   uint64
	}
}

// entry is a request to the kernel, an io_uring_sqe.
type entry struct {
	op, flags uint8
	ioprio    uint16
	file      int32
	offset    uint64
	address   uint64
	length    uint32
	opFlags   uint32
	user      uint64
	_         uint16
	_         uint16
	_         int32
	_, _      uint64
}

// completion is the result of a request, an io_uring_cqe.
type completion struct {
	user   uint64
	result int32
	_      uint32
}

// kernel is the memory shared with the kernel.
type kernel struct {
	fd         int
	enterFD    uintptr // the same, or its registered number
	enterFlags uintptr

	rings, entryMemory []byte
	entries            []entry
	sqTail             *uint32
	tail, submitted    uint32 // of the entries; the kernel sees tail at enter
	cqHead, cqTail     *uint32
	completions        []completion
}

// setUp makes a ring with that many entries. Only the calling thread may enter it.
func setUp(entries uint32) (*kernel, error) {
	p := params{flags: setupSizedCQ | setupSubmitAll | setupSingleIssuer | setupDeferTaskrun, cqEntries: 4 * entries}
	fd, _, errno := syscall.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("io_uring_setup: %w", errno)
	}
	k := &kernel{fd: int(fd), enterFD: fd}
	if err := k.mapMemory(&p); err != nil {
		k.close()
		return nil, err
	}
	k.registerSelf()
	return k, nil
}

func (k *kernel) mapMemory(p *params) (err error) {
	const access = unix.PROT_READ | unix.PROT_WRITE
	size := max(int(p.sq.array+4*p.sqEntries), int(p.cq.cqes)+int(p.cqEntries)*int(unsafe.Sizeof(completion{})))
	if k.rings, err = unix.Mmap(k.fd, mapRings, size, access, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("map the rings of io_uring: %w", err)
	}
	size = int(p.sqEntries) * int(unsafe.Sizeof(entry{}))
	if k.entryMemory, err = unix.Mmap(k.fd, mapEntries, size, access, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return fmt.Errorf("map the entries of io_uring: %w", err)
	}
	at := func(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&k.rings[offset])) }
	k.sqTail, k.cqHead, k.cqTail = at(p.sq.tail), at(p.cq.head), at(p.cq.tail)
	k.entries = unsafe.Slice((*entry)(unsafe.Pointer(unsafe.SliceData(k.entryMemory))), p.sqEntries)
	k.completions = unsafe.Slice((*completion)(unsafe.Pointer(&k.rings[p.cq.cqes])), p.cqEntries)
	places := unsafe.Slice(at(p.sq.array), p.sqEntries)
	for i := range places {
		places[i] = uint32(i)
	}
	return nil
}

// registerSelf registers the ring's own descriptor, if possible, which saves the kernel a lookup at each enter.
func (k *kernel) registerSelf() {
	update := struct {
		offset, _ uint32
		fd        uint64
	}{offset: ^uint32(0), fd: uint64(k.fd)}
	n, _, errno := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(k.fd), registerRingFDs,
		uintptr(unsafe.Pointer(&update)), 1, 0, 0)
	if errno == 0 && n == 1 {
		k.enterFD, k.enterFlags = uintptr(update.offset), enterRegisteredRing
	}
}

// registerFiles lets entries name sockets by their index in fds.
func (k *kernel) registerFiles(fds []int32) error {
	_, _, errno := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(k.fd), registerFiles,
		uintptr(unsafe.Pointer(unsafe.SliceData(fds))), uintptr(len(fds)), 0, 0)
	if errno != 0 {
		return fmt.Errorf("register the sockets with io_uring: %w", errno)
	}
	return nil
}

// add returns an empty entry to be filled in.
func (k *kernel) add() *entry {
	for k.tail-k.submitted == uint32(len(k.entries)) {
		k.mustEnter(0, true)
	}
	e := &k.entries[k.tail&uint32(len(k.entries)-1)]
	k.tail++
	*e = entry{}
	return e
}

// mustEnter is enter for a ring that has been entered before. It panics on a permanent error, since
// the thread would spin for ever.
func (k *kernel) mustEnter(wait uintptr, announced bool) (interrupted bool) {
	switch errno := k.enter(wait, announced); errno {
	case 0, unix.EINTR, unix.EAGAIN, unix.EBUSY:
		return errno == unix.EINTR
	default:
		panic(fmt.Sprintf("ring: io_uring_enter: %v", errno))
	}
}

// enter submits the added entries and waits for that many completions. A signal ends the wait.
func (k *kernel) enter(wait uintptr, announced bool) syscall.Errno {
	atomic.StoreUint32(k.sqTail, k.tail)
	call := syscall.RawSyscall6
	if announced {
		call = syscall.Syscall6
	}
	n, _, errno := call(unix.SYS_IO_URING_ENTER, k.enterFD, uintptr(k.tail-k.submitted), wait,
		enterGetEvents|k.enterFlags, 0, 0)
	if errno == 0 {
		k.submitted += uint32(n)
	}
	return errno
}

// take passes the completions to do, and frees their entries.
func (k *kernel) take(do func(user uint64, result int32)) {
	head, tail := *k.cqHead, atomic.LoadUint32(k.cqTail)
	for ; head != tail; head++ {
		c := k.completions[head&uint32(len(k.completions)-1)]
		atomic.StoreUint32(k.cqHead, head+1)
		do(c.user, c.result)
	}
}

func (k *kernel) close() {
	if k.rings != nil {
		_ = unix.Munmap(k.rings)
	}
	if k.entryMemory != nil {
		_ = unix.Munmap(k.entryMemory)
	}
	_ = unix.Close(k.fd)
}
