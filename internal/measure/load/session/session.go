package session

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Status is the state of the session's transaction at the last ReadyForQuery.
type Status byte

// States of a transaction, as ReadyForQuery has them.
const (
	Idle          Status = 'I'
	InTransaction Status = 'T'
	Failed        Status = 'E' // everything is rejected until the end of the transaction
)

// goodbye bounds [Session.Close]'s message to the server, in case its socket is full.
const goodbye = time.Second

// Session is a connection to the server; see the package's documentation for its use.
type Session struct {
	wire   *wire
	dialer *Dialer
	origin pgconn.HijackedConn // for cancel requests
	status Status
	err    error // the reason the session ended

	// beat is odd while the session waits for the server, and changes whenever bytes have moved.
	beat  atomic.Uint64
	ended atomic.Pointer[error] // the error if another goroutine ended it

	requests
	answers
	committed      committed
	sent, received uint64
}

// takeOver makes a session from an idle connection.
func takeOver(ctx context.Context, conn *pgconn.PgConn, d *Dialer) (*Session, error) {
	hijacked, err := conn.Hijack()
	if err != nil {
		return nil, fmt.Errorf("take over the connection: %w", err)
	}
	if err := quiet(ctx, hijacked); err != nil {
		return nil, errors.Join(fmt.Errorf("take over the connection: %w", err), hijacked.Conn.Close())
	}
	hijacked.Conn = handedOver(hijacked.Conn)
	s := newSession(hijacked.Conn, d)
	s.status = Status(hijacked.TxStatus)
	s.origin = pgconn.HijackedConn{
		Conn: hijacked.Conn, TLSConfig: hijacked.TLSConfig, Config: hijacked.Config,
		PID: hijacked.PID, SecretKey: hijacked.SecretKey,
	}
	return s, nil
}

// watched is a connection that ends itself if its server does not answer. A session's dialer takes over that task.
type watched interface{ HandOver() net.Conn }

// handedOver returns the connection without that watch, or with one that is off under its TLS.
func handedOver(conn net.Conn) net.Conn {
	if w, ok := conn.(watched); ok {
		return w.HandOver()
	}
	if encrypted, ok := conn.(*tls.Conn); ok {
		if w, ok := encrypted.NetConn().(watched); ok {
			w.HandOver()
		}
	}
	return conn
}

func newSession(conn net.Conn, d *Dialer) *Session {
	s := &Session{wire: &wire{conn: conn}, dialer: d, status: Idle}
	s.wire.attach()
	s.out = s.smallOut[:0]
	s.in = s.smallIn[:]
	return s
}

// quiet makes sure that nothing else reads from the connection. On a slow machine pgconn starts a background reader,
// which stays until it has read once more and would take our first answer. So quiet gives it one to take.
func quiet(ctx context.Context, c *pgconn.HijackedConn) error {
	hurry := context.AfterFunc(ctx, func() { _ = c.Conn.SetDeadline(time.Unix(1, 0)) })
	err := askReady(c.Frontend)
	if !hurry() {
		return context.Cause(ctx)
	}
	return err
}

func askReady(f *pgproto3.Frontend) error {
	f.SendSync(&pgproto3.Sync{})
	if err := f.Flush(); err != nil {
		return err
	}
	for {
		message, err := f.Receive()
		if err != nil {
			return err
		}
		switch message := message.(type) {
		case *pgproto3.ErrorResponse:
			return pgconn.ErrorResponseToPgError(message)
		case *pgproto3.ReadyForQuery:
			return nil
		}
	}
}

// Status returns the state of the transaction after the last answers read.
func (s *Session) Status() Status { return s.status }

// Err returns the reason the session ended, a *[LostError], or nil while it is usable.
func (s *Session) Err() error { return s.err }

// Rows returns the number of committed rows that were inserted, updated, deleted, merged or copied in.
func (s *Session) Rows() int64 { return s.committed.rows }

// Sent returns the bytes of requests sent, without TLS.
func (s *Session) Sent() uint64 { return s.sent }

// Received returns the bytes of answers received, without TLS.
func (s *Session) Received() uint64 { return s.received }

// Close sends Terminate, unless answers are pending, and frees the connection. It may be called twice.
func (s *Session) Close() error {
	if s.err == nil && !s.flown {
		_ = s.wire.conn.SetWriteDeadline(time.Now().Add(goodbye))
		_, _ = s.wire.conn.Write([]byte{msgTerminate, 0, 0, 0, 4}) // the server also notices without it
	}
	if s.err == nil {
		s.lose(errClosed)
	}
	return nil
}

// lose ends the session with the first known reason.
func (s *Session) lose(err error) {
	if ended := s.ended.Load(); ended != nil && (errors.Is(err, os.ErrDeadlineExceeded) || s.wire.carrier != nil) {
		err = *ended
	}
	if errors.Is(err, io.EOF) {
		err = errHungUp
	}
	s.err = &LostError{err}
	_ = s.wire.conn.Close()
	s.wire.awaitSent()
	s.release()
	s.dialer.forget(s)
}

// Interrupt ends the session from another goroutine, even while it waits. To end only a statement, use Cancel.
func (s *Session) Interrupt() { s.end(ErrInterrupted) }

// end makes the session's own goroutine notice that it is over, without waiting for it.
func (s *Session) end(why error) {
	s.ended.CompareAndSwap(nil, &why)
	_ = s.wire.conn.SetDeadline(time.Unix(1, 0))
}

// Cancel asks the server, over a separate connection, to cancel the running statement. It may be called from another
// goroutine. The statement's result shows whether it was cancelled.
func (s *Session) Cancel(ctx context.Context) error {
	origin := s.origin
	conn, err := pgconn.Construct(&origin)
	if err != nil {
		return fmt.Errorf("cancel the statement: %w", err)
	}
	if err := conn.CancelRequest(ctx); err != nil {
		return fmt.Errorf("cancel the statement: %w", err)
	}
	return nil
}
