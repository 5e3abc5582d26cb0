package engine

import (
	"sync"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/load/ring"
	"github.com/realiops/realiops/internal/measure/load/script"
)

// runClients runs the clients until the last is done: on a ring, or where there is none, each as a goroutine.
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

// ring seats the clients, or is nil: where a client would keep the others waiting, or the kernel has none.
func (l *load) ring() *ring.Ring {
	if l.Reconnect || l.streams() {
		return nil
	}
	sockets := make([]syscall.RawConn, len(l.clients))
	for i, c := range l.clients {
		if sockets[i] = c.session.Socket(); sockets[i] == nil {
			return nil
		}
	}
	r, err := ring.Open(sockets)
	if err != nil {
		return nil
	}
	for i, c := range l.clients {
		c.session.Ride(r.Seat(i))
		if c.alarm != nil {
			c.alarm.close()
			c.alarm = seatAlarm{r.Seat(i)}
		}
	}
	return r
}

// streams tells whether a script streams rows, which takes a goroutine that reads meanwhile.
func (l *load) streams() bool {
	for _, p := range l.programs {
		for _, st := range p.steps {
			if st.command.Kind == script.KindCopyRows {
				return true
			}
		}
	}
	return false
}

// seatAlarm is the alarm of a client on a ring.
type seatAlarm struct{ seat *ring.Seat }

func (a seatAlarm) sleep(wait time.Duration) bool { return a.seat.Sleep(wait) }
func (a seatAlarm) silence()                      { a.seat.Silence() }
func (a seatAlarm) close()                        {} // the ring's
