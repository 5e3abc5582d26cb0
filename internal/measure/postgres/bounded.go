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
	// answerWithin bounds the time from a request to the complete answer.
	answerWithin = 5 * time.Minute
	// connectsSoon and answersSoon are the times after which the user is told what a command waits for.
	connectsSoon = 3 * time.Second
	answersSoon  = 10 * time.Second
	// lengthyWithin is that bound for a statement on a large table, and for the user's own statements.
	lengthyWithin = 4 * time.Hour
	// mostOfAnswer and mostOfMessage bound the bytes of an answer and of a message in it.
	mostOfAnswer  = 256 << 20
	mostOfMessage = 64 << 20
)

// bounded is a connection on which every read and write ends, whatever deadlines its user forgot. While connecting,
// the connect timeout is the bound. Later an answer must be complete within a time of its request and within a size.
// Soon after the command was asked to stop, everything fails. A connection that exceeded a bound is unusable.
type bounded struct {
	net.Conn
	peer    string
	command *stopping.Command
	remove  func()

	mu       sync.Mutex
	start    time.Time // when the session must be established; zero: it is
	within   time.Duration
	request  time.Time    // begin of the last request
	received int64        // since then
	set      [2]time.Time // the deadlines that the connection's user set
	busy     [2]int       // reads and writes in progress
	met      error        // the bound exceeded
	free     bool         // another watcher has taken over
}

// boundError reports an exceeded bound. It is a timeout, because for other errors pgx says
// only that the session is closed.
type boundError struct{ error }

func (boundError) Timeout() bool   { return true }
func (boundError) Temporary() bool { return false }
func (e boundError) Unwrap() error { return e.error }

// The two directions of a connection.
const (
	reads = iota
	writes
)

// bound bounds every wait of a config's sessions: for names, connections and answers.
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

// boundedOf returns the bounded connection under a session and its TLS, or nil.
func boundedOf(conn net.Conn) *bounded {
	if encrypted, is := conn.(*tls.Conn); is {
		conn = encrypted.NetConn()
	}
	b, _ := conn.(*bounded)
	return b
}

// established ends the time to connect. pgx calls it once the session is established.
func established(_ context.Context, conn *pgconn.PgConn) error {
	if b := boundedOf(conn.Conn()); b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.start = time.Time{}
	}
	return nil
}

// Lengthy lets statements on conn take hours until done is called, because they read a large table.
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
	_ = b.Conn.SetDeadline(time.Time{}) // cannot fail on an open connection
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

// move reads or writes within the bounds. It tries again if the bound was extended meanwhile.
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

// judge replaces the error of a deadline by the exceeded bound, and reports whether to try again.
func (b *bounded) judge(direction, moved int, err *error) (again bool) {
	if direction == reads {
		b.received += int64(moved)
	}
	switch at, why := b.limit(); {
	case b.free:
	case b.received > mostOfAnswer:
		b.met = boundError{fmt.Errorf("the answer from %s exceeds %d MiB", b.peer, mostOfAnswer>>20)}
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

// limit returns when a read or write that begins now must fail, and the reason.
func (b *bounded) limit() (at time.Time, why func() error) {
	at, why = b.request.Add(b.within), func() error {
		return fmt.Errorf("%s did not complete its answer within %s", b.peer, printable.Duration(b.within))
	}
	if !b.start.IsZero() && b.start.Before(at) {
		at, why = b.start, func() error { return context.DeadlineExceeded }
	}
	if until := b.command.Until(); !until.IsZero() && until.Before(at) {
		at, why = until, func() error { return fmt.Errorf("%w: no answer from %s", context.Canceled, b.peer) }
	}
	return at, why
}

// load sets the deadline of a direction: the earlier of the user's and the bound.
func (b *bounded) load(direction int) {
	at := b.set[direction]
	if !b.free {
		if limit, _ := b.limit(); at.IsZero() || limit.Before(at) {
			at = limit
		}
	}
	if direction == reads {
		_ = b.Conn.SetReadDeadline(at) // if this fails, so does the read
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

// Changed updates the deadlines of reads and writes in progress.
func (b *bounded) Changed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for d, busy := range b.busy {
		if busy > 0 && !b.free {
			b.load(d)
		}
	}
}

// Waiting says what the command is waiting for.
func (b *bounded) Waiting() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.busy[reads] > 0:
		return "an answer from " + b.peer
	case b.busy[writes] > 0:
		return b.peer + " to accept data"
	default:
		return ""
	}
}

// Late returns how long a session has been in the making, or an answer has been awaited, if that is unusually long.
func (b *bounded) Late() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	soon := answersSoon
	if !b.start.IsZero() {
		soon = connectsSoon
	}
	if late := time.Since(b.request); late > soon && b.within <= answerWithin && !b.free {
		return late
	}
	return 0
}

// Close frees the connection.
func (b *bounded) Close() error {
	b.remove()
	return b.Conn.Close()
}

type dialing struct {
	peer    string
	begun   time.Time
	command *stopping.Command
	late    *time.Timer
}

// boundDialing returns a context that ends soon after the command was asked to stop, even if ctx does not.
func boundDialing(ctx context.Context, peer string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	const never = 1 << 62
	d := &dialing{peer: peer, begun: time.Now(), command: stopping.From(ctx), late: time.AfterFunc(never, cancel)}
	remove := d.command.Add(d)
	d.Changed()
	return ctx, func() {
		remove()
		d.late.Stop()
		cancel()
	}
}

// Waiting says what the command is waiting for.
func (d *dialing) Waiting() string { return "a connection to " + d.peer }

// Late returns how long it has taken if that is unusually long.
func (d *dialing) Late() time.Duration {
	if late := time.Since(d.begun); late > connectsSoon {
		return late
	}
	return 0
}

// Changed updates the end of the context.
func (d *dialing) Changed() {
	if until := d.command.Until(); !until.IsZero() {
		d.late.Reset(time.Until(until))
	}
}
