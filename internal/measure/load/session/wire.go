package session

import (
	"net"
	"syscall"
	"time"
)

// writeFirst is the most that a blocking write may send before anything is read. If the server writes much at the
// same time and nobody reads, it stops reading too, and both wait. A socket buffers more than this on every system.
const writeFirst = 16 << 10

// wire moves bytes: a request out, and then some of its answer in.
type wire struct {
	conn net.Conn
	// raw is nil where conn is not a plain socket, or the system not one where we know how to do better.
	raw  syscall.RawConn
	step func(fd uintptr) bool
	// carrier is nil unless another than the runtime's poller moves the bytes.
	carrier Carrier

	out, in []byte // of the exchange under way
	n       int
	err     error
	pumped  chan struct{} // closed when the rest of a long request is out
}

// exchange sends out, if there is any, waits for the server, and reads up to len(in) bytes. Where sending fails, what
// the server said before it hung up may still be there to read.
func (w *wire) exchange(out, in []byte) (int, error) {
	if w.carrier != nil {
		return w.carrier.Exchange(out, in)
	}
	if w.raw != nil {
		w.out, w.in, w.n, w.err = out, in, 0, nil
		err := w.raw.Read(w.step)
		w.out, w.in = nil, nil
		if err != nil {
			return 0, err
		}
		return w.n, w.err
	}
	if len(out) > writeFirst {
		w.pump(out)
	} else if len(out) > 0 {
		if _, err := w.conn.Write(out); err != nil {
			return w.lastWords(in, err)
		}
	}
	return w.conn.Read(in)
}

// lastWords reads what is left on a connection that cannot be written to.
func (w *wire) lastWords(in []byte, writeErr error) (int, error) {
	_ = w.conn.SetReadDeadline(time.Now().Add(goodbye))
	n, _ := w.conn.Read(in)
	if n == 0 {
		return 0, writeErr
	}
	return n, nil
}

// pump sends what the socket does not take at once, while the caller reads answers.
func (w *wire) pump(rest []byte) {
	done := make(chan struct{})
	w.pumped = done
	go func() {
		defer close(done)
		_, _ = w.conn.Write(rest) // where it fails, reading fails too, and tells why
	}()
}

// awaitSent returns when no request is on its way out, so that its bytes may be overwritten.
func (w *wire) awaitSent() {
	if w.carrier != nil {
		w.carrier.AwaitSent()
	}
	if w.pumped != nil {
		<-w.pumped
		w.pumped = nil
	}
}

// Carrier moves a session's bytes in place of the runtime's poller. Its methods are for the session's own goroutine,
// but for Abandon.
type Carrier interface {
	// Exchange sends out, if there is any, waits for the server, and reads up to len(in) bytes.
	Exchange(out, in []byte) (int, error)
	// AwaitSent returns when no request is on its way out.
	AwaitSent()
	// Write sends what fits into the socket's buffer.
	Write(b []byte) (int, error)
	// Abandon ends the conversation in both directions.
	Abandon()
	Close() error
}

// carried is the connection of a session that a carrier serves: as it was, closed, for its addresses.
type carried struct {
	net.Conn
	carrier Carrier
}

func (c *carried) Write(b []byte) (int, error)      { return c.carrier.Write(b) }
func (c *carried) Close() error                     { return c.carrier.Close() }
func (c *carried) SetWriteDeadline(time.Time) error { return nil } // Write does not wait

// SetDeadline is only called to end the conversation.
func (c *carried) SetDeadline(time.Time) error { c.carrier.Abandon(); return nil }

// Socket returns the plain socket of a session, or nil where it has none, or the system does not show it.
func (s *Session) Socket() syscall.RawConn { return s.wire.raw }

// Ride has a carrier serve the session from now on; it has a socket of its own, a duplicate of the session's, which is
// closed so that the runtime's poller does not watch it as well.
func (s *Session) Ride(c Carrier) {
	_ = s.wire.conn.Close() // the duplicate stays open
	s.wire.conn, s.wire.raw, s.wire.carrier = &carried{s.wire.conn, c}, nil, c
}
