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

// Seat is a client's place in a ring: its socket and its alarm. Its methods are for the client itself, while it runs;
// anybody may call Abandon and Silence.
type Seat struct {
	ring  *Ring
	index uint64
	next  func() (struct{}, bool)
	yield func(struct{}) bool

	waits   kind
	result  int32
	sending bool                                 // a long request is on its way out
	sendErr error                                // of a request whose answer is not here yet
	length  struct{ seconds, nanoseconds int64 } // of the sleep
	silent  atomic.Bool

	mu sync.Mutex // of fd, against Abandon
	fd int        // -1 once it is closed
}

// kind tells which request a completion belongs to.
type kind uint8

const (
	receive kind = iota
	quietSend
	send
	other // a timer, a cancellation: what is waited for at once
	nothing

	kindBits = 2
)

// quietUpTo is the size up to which data is sent without keeping track: it fits into any socket's buffer.
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

// Exchange sends out, if there is any, waits for the server, and reads up to len(in) bytes. Where sending fails, what
// the server said before it hung up may still be there to read.
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

// send has the kernel send all of a request. One that is long may have to wait until the server, which answers
// meanwhile, has taken some.
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

// sendFailed notes it. What the server has said is still there to read, and then nothing comes.
func (s *Seat) sendFailed(result int32) {
	s.sendErr = syscall.Errno(-result)
	s.Abandon()
}

// AwaitSent returns when no request is on its way out, so that its bytes may be overwritten.
func (s *Seat) AwaitSent() {
	for s.sending {
		s.await(send)
	}
}

// errNotSent is returned if a message that must be short does not fit into the socket.
var errNotSent = errors.New("the socket is full")

// Write sends what is so short that it fits into the socket.
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

// Close ends the conversation and returns when the kernel has no more to do with the client's memory.
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

// Sleep returns after so long, or earlier and false when it is silenced.
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

// Silence ends the sleep under way, and all later ones at once.
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
