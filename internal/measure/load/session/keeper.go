package session

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Connect opens a connection: pgconn.ConnectConfig with one config that all connections share, which is what keeps a
// thousand of them small.
type Connect func(context.Context) (*pgconn.PgConn, error)

// Keeper opens sessions and looks after them. Its methods may be called from any goroutine.
type Keeper struct {
	connect  Connect
	patience time.Duration
	buffers  buffers

	mu       sync.Mutex
	sessions map[*Session]*lastSeen
	stop     chan struct{}
	stopped  sync.WaitGroup
}

// lastSeen is what was last seen of a session.
type lastSeen struct {
	beat  uint64
	since time.Time
}

// NewKeeper makes a keeper that ends a session when its server, being asked, has not sent or taken a byte for longer
// than patience (up to an eighth more); 0 is for ever. Close it, once, to stop looking.
func NewKeeper(connect Connect, patience time.Duration) *Keeper {
	k := &Keeper{connect: connect, patience: patience, sessions: map[*Session]*lastSeen{}, stop: make(chan struct{})}
	if patience > 0 {
		k.stopped.Go(k.watch)
	}
	return k
}

// Open connects and takes the connection over. ctx bounds this only. The caller closes the session.
func (k *Keeper) Open(ctx context.Context) (*Session, error) {
	conn, err := k.connect(ctx)
	if err != nil {
		return nil, err
	}
	s, err := takeOver(ctx, conn, k)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sessions[s] = &lastSeen{}
	return s, nil
}

// Close stops looking after the sessions; it does not close them.
func (k *Keeper) Close() {
	close(k.stop)
	k.stopped.Wait()
}

func (k *Keeper) forget(s *Session) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.sessions, s)
}

// watch looks at all sessions now and then, so that none of them needs a clock or a deadline of its own.
func (k *Keeper) watch() {
	tick := time.NewTicker(min(max(k.patience/8, time.Millisecond), time.Second))
	defer tick.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-tick.C:
			k.look()
		}
	}
}

// look takes the time itself, and after it has seen a session: the tick may be long past on a busy machine, and what was
// asked since would seem to wait for longer than it does.
func (k *Keeper) look() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for s, v := range k.sessions {
		beat, now := s.beat.Load(), time.Now()
		if beat != v.beat || !waiting(beat) {
			v.beat, v.since = beat, now
		} else if now.Sub(v.since) >= k.patience {
			s.end(ErrNoAnswer)
		}
	}
}
