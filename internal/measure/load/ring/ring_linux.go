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

// Ring is the place that the clients of a thread share. It belongs to the goroutine that opened it.
type Ring struct {
	kernel *kernel
	seats  []Seat
	live   int     // clients that are not done
	bell   int     // an eventfd: another goroutine wants sleepers to be looked at
	rings  [8]byte // what is read from it
}

// mostEntries bounds what is handed over at once; a thread with more clients enters more often.
const mostEntries = 4096

// What completions are of that are no client's; seats count from zero.
const (
	bellUser = ^uint64(0)     // the bell rang
	unheard  = ^uint64(0) - 1 // nobody waits for it
)

// Open makes a ring with a seat for each socket, which it duplicates. Until Close, the goroutine stays on its thread.
// An error says why there is no ring here, and leaves the sockets as they were.
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
	if errno := r.kernel.enter(0, true); errno != 0 { // it may be forbidden by itself
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
	return r.kernel.registerFiles(files)
}

// Seat returns the place of the client whose socket was the i-th.
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

// listen asks for a completion when the bell rings.
func (r *Ring) listen() {
	e := r.kernel.add()
	e.op, e.file, e.user = opRead, int32(r.bell), bellUser
	e.address, e.length = uint64(uintptr(unsafe.Pointer(&r.rings))), uint32(len(r.rings))
}

// ring has the sleepers looked at. Anybody may call it until Close.
func (r *Ring) ring() {
	var count [8]byte
	binary.NativeEndian.PutUint64(count[:], 1)
	_, _ = unix.Write(r.bell, count[:]) // it only fails where it rings already
}

// complete hands a client the result of its request.
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
	case quietSend: // it is only heard of where it failed
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

// Close frees the ring, if there is one. The clients must be done, and nobody may silence them any more.
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
