package engine

import (
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/load/ring"
	"github.com/realiops/realiops/internal/measure/load/script"
)

// runClients runs the clients until the last is done: on r, or as goroutines if r is nil.
func (l *load) runClients(r *ring.Ring) {
	if r != nil {
		r.Run(func(i int) { l.clients[i].run() })
		return
	}
	var clients sync.WaitGroup
	for _, c := range l.clients {
		clients.Go(c.run)
	}
	clients.Wait()
}

var (
	errReconnects = errors.New("each transaction opens its own connection")
	errStreams    = errors.New(`\copy_rows`)
	errEncrypted  = errors.New("the connections are encrypted, or are not system sockets")
)

// ring seats the clients on a ring. It returns an error if the kernel has none, or if a
// client would block the others.
func (l *load) ring() (*ring.Ring, error) {
	switch {
	case l.Reconnect:
		return nil, errReconnects
	case l.has(script.KindCopyRows): // it needs a goroutine that reads meanwhile
		return nil, errStreams
	}
	sockets := make([]syscall.RawConn, len(l.clients))
	for i, c := range l.clients {
		if sockets[i] = c.session.Socket(); sockets[i] == nil {
			return nil, errEncrypted
		}
	}
	r, err := ring.Open(sockets)
	if err != nil {
		return nil, err
	}
	for i, c := range l.clients {
		c.session.Ride(r.Seat(i))
		if c.alarm != nil {
			c.alarm.close()
			c.alarm = seatAlarm{r.Seat(i)}
		}
	}
	return r, nil
}

type seatAlarm struct{ seat *ring.Seat }

func (a seatAlarm) sleep(wait time.Duration) bool { return a.seat.Sleep(wait) }

func (a seatAlarm) silence() { a.seat.Silence() }

func (a seatAlarm) close() {} // the ring's
