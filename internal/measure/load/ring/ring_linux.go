package ring

import (
	"encoding/binary"
	"fmt"
	"iter"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ring is the ring that the clients of a thread share. It belongs to the goroutine that opened it.
type Ring struct {
	kernel *kernel
	seats  []Seat
	live   int     // clients that are not done
	bell   int     // an eventfd: another goroutine silenced a sleeper
	rings  [8]byte // what is read from it
}

// mostEntries bounds the entries of one enter; a thread with more clients enters more often.
const mostEntries = 4096

// User data of completions that belong to no client; seats count from zero.
const (
	bellUser = ^uint64(0)     // the bell rang
	unheard  = ^uint64(0) - 1 // no client waits for it
)

// Open makes a ring with a seat for a duplicate of each socket. Until Close, the goroutine is locked to its thread.
// On error the sockets are unchanged. Without sockets it only checks whether a ring is possible.
func Open(sockets []syscall.RawConn) (*Ring, error) {
	runtime.LockOSThread()
	r := &Ring{seats: make([]Seat, len(sockets)), bell: -1}
	if err := r.open(sockets); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Ring) open(sockets []syscall.RawConn) (err error) {
	if r.kernel, err = setUp(uint32(min(2*len(sockets)+2, mostEntries))); err != nil {
		return err
	}
	if errno := r.kernel.enter(0, true); errno != 0 { // it may be forbidden separately
		return fmt.Errorf("io_uring_enter: %w", errno)
	}
	files := make([]int32, len(sockets))
	for i, socket := range sockets {
		s := &r.seats[i]
		s.ring, s.index = r, uint64(i)
		if err := s.duplicate(socket); err != nil {
			return err
		}
		files[i] = int32(s.fd)
	}
	if r.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	if len(files) == 0 {
		return nil
	}
	return r.kernel.registerFiles(files)
}

// Seat returns the seat of the i-th socket.
func (r *Ring) Seat(i int) *Seat { return &r.seats[i] }

// Run runs the clients until all are done.
func (r *Ring) Run(client func(i int)) {
	if before := runtime.GOMAXPROCS(0); before == 1 { // the other goroutines need one, too
		runtime.GOMAXPROCS(2)
		defer runtime.GOMAXPROCS(before)
	}
	r.listen()
	r.live = len(r.seats)
	for i := range r.seats {
		s := &r.seats[i]
		s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
			s.yield = yield
			client(i)
		})
		r.resume(s)
	}
	for interrupted := false; r.live > 0; {
		interrupted = r.kernel.mustEnter(1, interrupted)
		r.kernel.take(r.complete)
	}
}

func (r *Ring) resume(s *Seat) {
	if _, more := s.next(); !more {
		r.live--
	}
}

// listen requests a completion for the next ring of the bell.
func (r *Ring) listen() {
	e := r.kernel.add()
	e.op, e.file, e.user = opRead, int32(r.bell), bellUser
	e.address, e.length = uint64(uintptr(unsafe.Pointer(&r.rings))), uint32(len(r.rings))
}

// ring makes the thread check its sleepers. Any goroutine may call it until Close.
func (r *Ring) ring() {
	var count [8]byte
	binary.NativeEndian.PutUint64(count[:], 1)
	_, _ = unix.Write(r.bell, count[:]) // fails only if it is ringing already
}

// complete gives a client the result of its request.
func (r *Ring) complete(user uint64, result int32) {
	switch user {
	case unheard:
		return
	case bellUser:
		for i := range r.seats {
			r.seats[i].wake()
		}
		r.listen()
		return
	}
	s, op := &r.seats[user>>kindBits], kind(user&(1<<kindBits-1))
	switch op {
	case quietSend: // completes only on failure
		s.sendFailed(result)
		return
	case send:
		if s.sending = false; result < 0 {
			s.sendFailed(result)
		}
	case receive, other:
		s.result = result
	}
	if s.waits == op {
		s.waits = nothing
		r.resume(s)
	}
}

// Close frees the ring; a nil Ring is fine. The clients must be done, and Silence must not be called any more.
func (r *Ring) Close() {
	if r == nil {
		return
	}
	if r.kernel != nil {
		r.kernel.close()
	}
	for i := range r.seats {
		r.seats[i].shut()
	}
	if r.bell >= 0 {
		_ = unix.Close(r.bell)
	}
	runtime.UnlockOSThread()
}
