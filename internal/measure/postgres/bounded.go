package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/stopping"
	"github.com/realiops/realiops/internal/printable"
)

const (
	// answerWithin bounds the time from a request to the end of the server's answer.
	answerWithin = 5 * time.Minute
	// lengthyWithin holds for a statement that goes through a large table, and for the user's own.
	lengthyWithin = 4 * time.Hour
	// mostOfAnswer and mostOfMessage bound the bytes of an answer and of one message in it.
	mostOfAnswer  = 256 << 20
	mostOfMessage = 64 << 20
)

// bounded is a connection on which no read and no write lasts without end, whoever reads or writes and whatever it
// has forgotten to set: until the session stands, the time to connect is the bound; then an answer has to be complete
// within a time of its request and within a size; and soon after the command was asked to stop, everything fails.
// Once a bound is met the connection is of no more use.
type bounded struct {
	net.Conn
	peer    string
	command *stopping.Command
	remove  func()

	mu       sync.Mutex
	start    time.Time // when the session has to stand; zero: it does
	within   time.Duration
	request  time.Time    // when the last one was begun
	received int64        // since then
	set      [2]time.Time // the deadlines that the owner has set
	busy     [2]int       // how many read and write
	met      error        // the bound that was met
	free     bool         // somebody else watches over the connection
}

// boundError is a bound that was met. It is a timeout to pgx, which says of other errors only that the session is
// closed.
type boundError struct{ error }

func (boundError) Timeout() bool   { return true }
func (boundError) Temporary() bool { return false }
func (e boundError) Unwrap() error { return e.error }

// The two directions of a connection.
const (
	reads = iota
	writes
)

// bound bounds all that sessions of a config wait for: names, connections, and what is said on them.
func bound(config *pgx.ConnConfig) {
	lookup, dial, within := config.LookupFunc, config.DialFunc, config.ConnectTimeout
	config.LookupFunc = func(ctx context.Context, host string) ([]string, error) {
		ctx, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		ctx, done := boundDialing(ctx, host)
		defer done()
		return lookup(ctx, host)
	}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialing, done := boundDialing(ctx, address)
		defer done()
		conn, err := dial(dialing, network, address)
		if err != nil {
			return nil, err
		}
		return newBounded(conn, address, stopping.From(ctx), within), nil
	}
	config.AfterConnect = established
	config.MaxProtocolMessageBodyLen = mostOfMessage
}

func newBounded(conn net.Conn, peer string, command *stopping.Command, start time.Duration) *bounded {
	b := &bounded{Conn: conn, peer: peer, command: command, within: answerWithin, request: time.Now()}
	b.start = b.request.Add(start)
	b.remove = command.Add(b)
	return b
}

// boundedOf finds the connection under a session, also under its TLS; nil where it is another.
func boundedOf(conn net.Conn) *bounded {
	if encrypted, is := conn.(*tls.Conn); is {
		conn = encrypted.NetConn()
	}
	b, _ := conn.(*bounded)
	return b
}

// established ends the time to connect: pgx calls it when the session stands.
func established(_ context.Context, conn *pgconn.PgConn) error {
	if b := boundedOf(conn.Conn()); b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.start = time.Time{}
	}
	return nil
}

// Lengthy lets the statements on conn take hours until done is called: they go through a large table.
func Lengthy(conn *pgx.Conn) (done func()) { return answersWithin(conn, lengthyWithin) }

// answersWithin bounds the time of each answer on conn until done is called.
func answersWithin(conn *pgx.Conn, d time.Duration) (done func()) {
	b := boundedOf(conn.PgConn().Conn())
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.within
	b.within = d
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.within = before
	}
}

// HandOver ends all bounds, for a caller with bounds of its own, and returns the connection underneath.
func (b *bounded) HandOver() net.Conn {
	b.mu.Lock()
	b.free = true
	_ = b.Conn.SetDeadline(time.Time{}) // of an open connection it cannot fail
	b.mu.Unlock()
	b.remove()
	return b.Conn
}

func (b *bounded) Read(p []byte) (n int, err error) { return b.move(reads, b.Conn.Read, p) }

func (b *bounded) Write(p []byte) (n int, err error) {
	b.mu.Lock()
	b.request, b.received = time.Now(), 0
	b.mu.Unlock()
	return b.move(writes, b.Conn.Write, p)
}

// move reads or writes within the bounds. It begins again where the bound was moved while it waited.
func (b *bounded) move(direction int, do func([]byte) (int, error), p []byte) (n int, err error) {
	for {
		b.mu.Lock()
		if b.met != nil {
			defer b.mu.Unlock()
			return n, b.met
		}
		b.busy[direction]++
		b.load(direction)
		b.mu.Unlock()
		moved, err := do(p[n:])
		n += moved

		b.mu.Lock()
		b.busy[direction]--
		again := b.judge(direction, moved, &err)
		b.mu.Unlock()
		if !again {
			return n, err
		}
	}
}

// judge puts the bound that was met in the place of an error, and tells whether to begin again.
func (b *bounded) judge(direction, moved int, err *error) (again bool) {
	if direction == reads {
		b.received += int64(moved)
	}
	switch at, why := b.limit(); {
	case b.free:
	case b.received > mostOfAnswer:
		b.met = boundError{fmt.Errorf("the answer of %s is longer than %d MiB", b.peer, mostOfAnswer>>20)}
	case !errors.Is(*err, os.ErrDeadlineExceeded) || b.overdue(direction):
	case time.Now().Before(at):
		return true
	default:
		b.met = boundError{why()}
	}
	if b.met != nil {
		*err = b.met
	}
	return false
}

// overdue reports whether the owner's own deadline has passed.
func (b *bounded) overdue(direction int) bool {
	set := b.set[direction]
	return !set.IsZero() && !time.Now().Before(set)
}

// limit is when a read or write fails that begins now, and why.
func (b *bounded) limit() (at time.Time, why func() error) {
	at, why = b.request.Add(b.within), func() error {
		return fmt.Errorf("%s has not completed its answer within %s", b.peer, printable.Duration(b.within))
	}
	if !b.start.IsZero() && b.start.Before(at) {
		at, why = b.start, func() error { return context.DeadlineExceeded }
	}
	if until := b.command.Until(); !until.IsZero() && until.Before(at) {
		at, why = until, func() error { return fmt.Errorf("%w: no answer from %s", context.Canceled, b.peer) }
	}
	return at, why
}

// load sets the deadline of a direction: the owner's, or the bound if that is earlier.
func (b *bounded) load(direction int) {
	at := b.set[direction]
	if !b.free {
		if limit, _ := b.limit(); at.IsZero() || limit.Before(at) {
			at = limit
		}
	}
	if direction == reads {
		_ = b.Conn.SetReadDeadline(at) // where it fails, so does what follows
		return
	}
	_ = b.Conn.SetWriteDeadline(at)
}

func (b *bounded) SetDeadline(t time.Time) error { return b.keep(t, reads, writes) }

func (b *bounded) SetReadDeadline(t time.Time) error { return b.keep(t, reads) }

func (b *bounded) SetWriteDeadline(t time.Time) error { return b.keep(t, writes) }

func (b *bounded) keep(t time.Time, directions ...int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range directions {
		b.set[d] = t
		b.load(d)
	}
	return nil
}

// Changed moves the deadlines of what is under way.
func (b *bounded) Changed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for d, busy := range b.busy {
		if busy > 0 && !b.free {
			b.load(d)
		}
	}
}

// Waiting names what is waited for.
func (b *bounded) Waiting() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.busy[reads] > 0:
		return "an answer from " + b.peer
	case b.busy[writes] > 0:
		return b.peer + ", which takes nothing"
	default:
		return ""
	}
}

// Close frees the connection.
func (b *bounded) Close() error {
	b.remove()
	return b.Conn.Close()
}

type dialing struct {
	peer    string
	command *stopping.Command
	late    *time.Timer
}

// boundDialing gives a context that ends soon after the command was asked to stop, even if ctx outlives that.
func boundDialing(ctx context.Context, peer string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	const never = 1 << 62
	d := &dialing{peer: peer, command: stopping.From(ctx), late: time.AfterFunc(never, cancel)}
	remove := d.command.Add(d)
	d.Changed()
	return ctx, func() {
		remove()
		d.late.Stop()
		cancel()
	}
}

// Waiting names what is waited for.
func (d *dialing) Waiting() string { return "a connection to " + d.peer }

// Changed moves the end of the context.
func (d *dialing) Changed() {
	if until := d.command.Until(); !until.IsZero() {
		d.late.Reset(time.Until(until))
	}
}
