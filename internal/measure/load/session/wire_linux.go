package session

import (
	"io"
	"syscall"
	"unsafe"
)

// attach uses raw system calls for a connection that is a plain socket.
func (w *wire) attach() {
	socket, ok := w.conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return
	}
	w.raw, w.step = raw, w.advance
}

// advance is one step of an exchange. The poller repeats it, when there is something to read, until it returns true.
// The first step sends the request and does not read, since the answer cannot be there yet. The poller began to watch
// before the write, so it does not miss the answer.
func (w *wire) advance(fd uintptr) bool {
	var writeErr error
	if out := w.out; len(out) > 0 {
		w.out = nil
		if writeErr = w.send(fd, out); writeErr == nil {
			return false
		}
	}
	switch n, errno := rawCall(syscall.SYS_RECVFROM, fd, w.in); {
	case errno == syscall.EAGAIN && writeErr != nil:
		w.err = writeErr
	case errno == syscall.EAGAIN:
		return false
	case errno != 0:
		w.err = errno
	case n == 0:
		w.err = io.EOF
	default:
		w.n = n
	}
	return true
}

// send writes as much as fits into the socket and leaves the rest to the pump.
func (w *wire) send(fd uintptr, out []byte) error {
	n, errno := rawCall(syscall.SYS_SENDTO, fd, out)
	if errno != 0 && errno != syscall.EAGAIN {
		return errno
	}
	if n < len(out) {
		w.pump(out[n:])
	}
	return nil
}

// rawCall receives or sends on a socket that never blocks, without telling the scheduler.
func rawCall(trap, fd uintptr, b []byte) (int, syscall.Errno) {
	const flags = syscall.MSG_NOSIGNAL // the error reports a lost connection
	for {
		n, _, errno := syscall.RawSyscall6(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))),
			uintptr(len(b)), flags, 0, 0)
		switch errno {
		case 0:
			return int(n), 0
		case syscall.EINTR:
			continue
		default:
			return 0, errno
		}
	}
}
