package session

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Connect opens a connection. It is pgconn.ConnectConfig with one config shared by all connections, which saves
// memory with a thousand of them.
type Connect func(context.Context) (*pgconn.PgConn, error)

// Dialer opens and watches sessions. Its methods may be called from any goroutine.
type Dialer struct {
	connect  Connect
	patience time.Duration
	buffers  buffers

	mu       sync.Mutex
	sessions map[*Session]*lastSeen
	stop     chan struct{}
	stopped  sync.WaitGroup
	room     chan struct{} // for requests to cancel
}

// lastSeen is the last sign of life of a session.
type lastSeen struct {
	beat  uint64
	since time.Time
}

// NewDialer returns a dialer that ends a session whose server, with a request pending, has not sent or taken a byte
// for longer than patience, or up to an eighth more, and cancels what it asked the server for; 0 is for ever. Close
// it once to stop watching.
func NewDialer(connect Connect, patience time.Duration) *Dialer {
	const atATime = 16
	d := &Dialer{connect: connect, patience: patience, sessions: map[*Session]*lastSeen{}, stop: make(chan struct{}),
		room: make(chan struct{}, atATime)}
	if patience > 0 {
		d.stopped.Go(d.watch)
	}
	return d
}

// Open connects and takes over the connection. ctx bounds only Open. The caller closes the session.
func (d *Dialer) Open(ctx context.Context) (*Session, error) {
	conn, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	s, err := takeOver(ctx, conn, d)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions[s] = &lastSeen{}
	return s, nil
}

// Close stops watching the sessions; it does not close them.
func (d *Dialer) Close() {
	close(d.stop)
	d.stopped.Wait()
}

func (d *Dialer) forget(s *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, s)
}

// watch checks all sessions periodically, so that none needs its own timer or deadline.
func (d *Dialer) watch() {
	tick := time.NewTicker(min(max(d.patience/8, time.Millisecond), time.Second))
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			d.look()
		}
	}
}

// look reads the clock itself, after each session: on a busy machine its tick may be late, and a recent request
// would seem to have waited too long.
func (d *Dialer) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s, v := range d.sessions {
		if beat, now := s.beat.Load(), time.Now(); beat != v.beat || beat%2 == 0 { // no request waits
			v.beat, v.since = beat, now
		} else if now.Sub(v.since) >= d.patience && s.ended.Load() == nil {
			s.end(ErrNoAnswer)
			d.stopped.Go(func() { d.cancel(s) })
		}
	}
}

// cancel keeps a statement whose session was given up from going on, with its locks: a server that waits for another
// session or a standby does not notice that its client is gone.
func (d *Dialer) cancel(s *Session) {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	select {
	case d.room <- struct{}{}:
		_ = s.Cancel(ctx) // the server does not answer, after all
		<-d.room
	case <-ctx.Done():
	}
}
