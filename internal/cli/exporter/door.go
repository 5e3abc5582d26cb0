package exporter

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// door limits connections. If it is full, it closes the one that has been idle or unread longest: one that has
// requested nothing, or does not read its answer. So a new client always gets in, with time for its request.
type door struct {
	net.Listener
	most int

	mu     sync.Mutex
	inside map[*held]struct{}
}

// held is a connection. The door's lock guards its fields.
type held struct {
	*net.TCPConn
	door      *door
	answering bool      // it has sent a request, and is being answered
	since     time.Time // when it came, sent a request, or was last answered
}

// Accept waits for the next client.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		socket, ok := c.(*net.TCPConn)
		if !ok {
			_ = c.Close()
			continue
		}
		h := &held{TCPConn: socket, door: d, since: time.Now()}
		if out := d.admit(h); out != nil {
			_ = out.SetLinger(0) // drop unread data
			_ = out.TCPConn.Close()
		}
		return h, nil
	}
}

// admit adds a client, and returns the one to close for it, if any.
func (d *door) admit(h *held) (out *held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.inside) >= d.most {
		for other := range d.inside {
			if out == nil || other.before(out) {
				out = other
			}
		}
		delete(d.inside, out)
	}
	d.inside[h] = struct{}{}
	return out
}

// before reports whether h should be closed before other. Clients being answered come last.
func (h *held) before(other *held) bool {
	if h.answering != other.answering {
		return other.answering
	}
	return h.since.Before(other.since)
}

// set records whether the client is being answered.
func (h *held) set(answering bool) {
	h.door.mu.Lock()
	defer h.door.mu.Unlock()
	h.answering, h.since = answering, time.Now()
}

// Close closes the connection and frees its place.
func (h *held) Close() error {
	h.door.mu.Lock()
	delete(h.door.inside, h)
	h.door.mu.Unlock()
	return h.TCPConn.Close()
}

type heldKey struct{}

// remember stores the connection for [door.answering].
func (d *door) remember(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, heldKey{}, c)
}

// follow marks a connection that became idle.
func (d *door) follow(c net.Conn, state http.ConnState) {
	if h, ok := c.(*held); ok && state == http.StateIdle {
		h.set(false)
	}
}

// answering marks connections with a complete request.
func (d *door) answering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := r.Context().Value(heldKey{}).(*held); ok {
			h.set(true)
		}
		next.ServeHTTP(w, r)
	})
}
