package session

import (
	"math/bits"
	"net"
	"sync"
	"syscall"
	"time"
)

// writeFirst is the most that a blocking write may send before anything is read. If the server writes much at the
// same time and nobody reads, it stops reading too, and both wait. Every system's socket buffers hold more.
const writeFirst = 16 << 10

// wire moves bytes: a request out, then some of its answer in.
type wire struct {
	conn net.Conn
	// raw is nil if conn is not a plain socket, or the system has no faster way.
	raw  syscall.RawConn
	step func(fd uintptr) bool
	// carrier is nil if the runtime's poller moves the bytes.
	carrier Carrier

	out, in []byte // of the current exchange
	n       int
	err     error
	pumped  chan struct{} // closed when the rest of a long request is out
}

// exchange sends out, if not empty, waits for the server, and reads up to len(in) bytes. If sending fails, it still
// reads what the server sent before it hung up.
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

// lastWords reads the rest of a connection whose write failed.
func (w *wire) lastWords(in []byte, writeErr error) (int, error) {
	_ = w.conn.SetReadDeadline(time.Now().Add(goodbye))
	n, _ := w.conn.Read(in)
	if n == 0 {
		return 0, writeErr
	}
	return n, nil
}

// pump sends the part of a request that does not fit into the socket, while the caller reads answers.
func (w *wire) pump(rest []byte) {
	done := make(chan struct{})
	w.pumped = done
	go func() {
		defer close(done)
		_, _ = w.conn.Write(rest) // if it fails, reading fails too, and says why
	}()
}

// awaitSent waits until no request is being sent, so that its bytes may be overwritten.
func (w *wire) awaitSent() {
	if w.carrier != nil {
		w.carrier.AwaitSent()
	}
	if w.pumped != nil {
		<-w.pumped
		w.pumped = nil
	}
}

// Carrier moves a session's bytes in place of the runtime's poller. Its methods belong to the
// session's goroutine, except Abandon.
type Carrier interface {
	// Exchange sends out, if not empty, waits for the server, and reads up to len(in) bytes.
	Exchange(out, in []byte) (int, error)
	// AwaitSent waits until no request is being sent.
	AwaitSent()
	// Write sends a message short enough for the socket's buffer.
	Write(b []byte) (int, error)
	// Abandon ends the conversation in both directions.
	Abandon()
	Close() error
}

// carried is the connection of a session with a carrier: the original, closed, for its addresses.
type carried struct {
	net.Conn
	carrier Carrier
}

func (c *carried) Write(b []byte) (int, error)      { return c.carrier.Write(b) }
func (c *carried) Close() error                     { return c.carrier.Close() }
func (c *carried) SetWriteDeadline(time.Time) error { return nil } // Write does not wait

// SetDeadline is called only to end the conversation.
func (c *carried) SetDeadline(time.Time) error { c.carrier.Abandon(); return nil }

// Socket returns the plain socket of a session, or nil if there is none.
func (s *Session) Socket() syscall.RawConn { return s.wire.raw }

// Ride hands the session's bytes to a carrier, which uses a duplicate of its socket. It closes the original, so that
// the runtime's poller does not watch it as well.
func (s *Session) Ride(c Carrier) {
	_ = s.wire.conn.Close() // the duplicate stays open
	s.wire.conn, s.wire.raw, s.wire.carrier = &carried{s.wire.conn, c}, nil, c
}

const (
	smallIn  = 1 << 10  // holds the answers of a transaction and most errors
	smallOut = 512      // holds a prepared statement's parameters
	bigSize  = 64 << 10 // the smallest buffer that is lent
	// sizes is how many buffer sizes are pooled, each twice the one before: up to 1 MiB.
	sizes = 5
)

// buffers lends big buffers to sessions for the duration of one batch. Each size has its own pool: in
// a shared pool, a buffer of the wrong size would survive two collections unused, and the heap would
// keep doubling under big batches.
type buffers struct{ pools [sizes]sync.Pool }

// borrow returns a buffer of at least n bytes.
func (b *buffers) borrow(n int) *[]byte {
	if size := sizeFor(n); size < sizes {
		if lent, ok := b.pools[size].Get().(*[]byte); ok {
			return lent
		}
		n = bigSize << size
	}
	fresh := make([]byte, n)
	return &fresh
}

// giveBack takes a buffer back. It accepts nil.
func (b *buffers) giveBack(lent *[]byte) {
	if lent == nil {
		return
	}
	if size := sizeFor(len(*lent)); size < sizes && len(*lent) == bigSize<<size {
		b.pools[size].Put(lent)
	}
}

// sizeFor returns the index of the smallest size that holds n bytes. Buffers beyond the largest are not pooled.
func sizeFor(n int) int { return bits.Len(uint(max(n-1, 0) / bigSize)) }
