package ring

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Seat is a client's place in a ring: its socket and its alarm. Only the client may call its methods, while it
// runs, except Abandon and Silence.
type Seat struct {
	ring  *Ring
	index uint64
	next  func() (struct{}, bool)
	yield func(struct{}) bool

	waits   kind
	result  int32
	sending bool                                 // a long request is being sent
	sendErr error                                // of the current request
	length  struct{ seconds, nanoseconds int64 } // of the sleep
	silent  atomic.Bool

	mu sync.Mutex // guards fd against Abandon
	fd int        // -1 after Close
}

// kind is the kind of request that a completion belongs to.
type kind uint8

const (
	receive kind = iota
	quietSend
	send
	other // a timer or a cancellation, which the client waits for
	nothing

	kindBits = 2
)

// quietUpTo is the size up to which a send is not tracked: it fits into any socket's buffer.
const quietUpTo = 16 << 10

func (s *Seat) duplicate(socket syscall.RawConn) (err error) {
	s.fd, s.waits = -1, nothing
	if failed := socket.Control(func(fd uintptr) {
		s.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	}); failed != nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("duplicate a socket: %w", err)
	}
	return nil
}

func (s *Seat) await(k kind) {
	s.waits = k
	s.yield(struct{}{})
}

// ask adds an entry on the client's socket.
func (s *Seat) ask(op uint8, k kind, b []byte) *entry {
	e := s.ring.kernel.add()
	e.op, e.flags, e.file, e.user = op, fixedFile, int32(s.index), s.index<<kindBits|uint64(k)
	e.address, e.length = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint32(len(b))
	return e
}

// Exchange sends out, if not empty, waits for the server, and reads up to len(in) bytes. If sending fails, it still
// reads what the server sent before it hung up.
func (s *Seat) Exchange(out, in []byte) (int, error) {
	if len(out) > 0 {
		s.send(out)
	}
	e := s.ask(opReceive, receive, in)
	if len(out) > 0 { // the answer cannot be there yet
		e.ioprio = pollFirst
	}
	s.await(receive)
	switch n := s.result; {
	case n > 0:
		return int(n), nil
	case n < 0:
		return 0, syscall.Errno(-n)
	case s.sendErr != nil:
		return 0, s.sendErr
	default:
		return 0, io.EOF
	}
}

// send submits a whole request. A long one may have to wait until the server, which is already answering, takes more.
func (s *Seat) send(out []byte) {
	s.sendErr = nil
	k := quietSend
	if s.sending = len(out) > quietUpTo; s.sending {
		k = send
	}
	e := s.ask(opSend, k, out)
	e.opFlags = unix.MSG_WAITALL
	if !s.sending {
		e.flags |= skipSuccess
	}
}

// sendFailed records the error. The client still reads what the server has sent.
func (s *Seat) sendFailed(result int32) {
	s.sendErr = syscall.Errno(-result)
	s.Abandon()
}

// AwaitSent waits until no request is being sent, so that its bytes may be overwritten.
func (s *Seat) AwaitSent() {
	for s.sending {
		s.await(send)
	}
}

// errNotSent says that a short message did not fit into the socket's buffer.
var errNotSent = errors.New("the socket is full")

// Write sends a message short enough for the socket's buffer.
func (s *Seat) Write(b []byte) (int, error) {
	n, err := unix.SendmsgN(s.fd, b, nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
	if err == nil && n < len(b) {
		err = errNotSent
	}
	return n, err
}

// Abandon ends the conversation in both directions.
func (s *Seat) Abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fd >= 0 {
		_ = unix.Shutdown(s.fd, unix.SHUT_RDWR)
	}
}

// Close ends the conversation and waits until the kernel no longer uses the client's memory.
func (s *Seat) Close() error {
	if s.fd < 0 {
		return nil
	}
	s.Abandon()
	e := s.ask(opCancel, other, nil)
	e.flags, e.opFlags = 0, cancelAll|cancelByFile|cancelFixedFile
	s.await(other)
	s.AwaitSent()
	s.shut()
	return nil
}

func (s *Seat) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fd >= 0 {
		_ = unix.Close(s.fd)
		s.fd = -1
	}
}

// Sleep returns after wait, or returns false as soon as it is silenced.
func (s *Seat) Sleep(wait time.Duration) bool {
	if s.silent.Load() {
		return false
	}
	s.length.seconds, s.length.nanoseconds = int64(wait/time.Second), int64(wait%time.Second)
	e := s.ring.kernel.add()
	e.op, e.file, e.user = opTimeout, -1, s.timer()
	e.address, e.length = uint64(uintptr(unsafe.Pointer(&s.length))), 1
	s.await(other)
	return s.result == -int32(unix.ETIME)
}

func (s *Seat) timer() uint64 { return s.index<<kindBits | uint64(other) }

// Silence ends the current sleep and all later ones.
func (s *Seat) Silence() {
	s.silent.Store(true)
	s.ring.ring()
}

// wake ends the sleep of a client that was silenced.
func (s *Seat) wake() {
	if s.waits == other && s.silent.Load() {
		e := s.ring.kernel.add()
		e.op, e.flags, e.file, e.address, e.user = opTimeoutRemove, skipSuccess, -1, s.timer(), unheard
	}
}
