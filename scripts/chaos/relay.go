//go:build linux

package main

import (
	"crypto/rand"
	"net"
	"sync"
	"time"
)

// relay stands between a command and its server, and imitates a faulty network.
type relay struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	does   trouble
	open   []net.Conn
}

// trouble changes data on its way: it returns the part that arrives, and whether the connection continues.
type trouble func(arrives []byte) (rest []byte, goesOn bool)

func newRelay(target string) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener: l, target: target, does: untouched}
	go r.serve()
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) close() error {
	err := r.listener.Close()
	r.cut()
	return err
}

func (r *relay) serve() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		server, err := net.Dial("tcp", r.target)
		if err != nil {
			client.Close()
		} else {
			r.open = append(r.open, client, server)
			go r.pass(client, server, false)
			go r.pass(server, client, true)
		}
		r.mu.Unlock()
	}
}

// pass forwards one side's bytes; trouble applies to the server's.
func (r *relay) pass(from, to net.Conn, server bool) {
	defer to.Close()
	defer from.Close()
	for b := make([]byte, 32<<10); ; {
		n, err := from.Read(b)
		arrives, goesOn := b[:n], err == nil
		if does := r.now(); server && err == nil {
			arrives, goesOn = does(arrives)
		}
		if _, err := to.Write(arrives); err != nil || !goesOn {
			return
		}
	}
}

func (r *relay) now() trouble {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.does
}

// fromNowOn applies a trouble to all further data of the server.
func (r *relay) fromNowOn(does trouble) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.does = does
}

// lead cuts existing connections, and leads new ones to another server.
func (r *relay) lead(target string) {
	r.mu.Lock()
	r.target = target
	r.mu.Unlock()
	r.cut()
}

// cut ends the existing connections.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.open {
		c.Close()
	}
	r.open = nil
}

func untouched(b []byte) ([]byte, bool) { return b, true }

// swallowed: the connection stays, and no data arrives.
func swallowed([]byte) ([]byte, bool) { return nil, true }

// halved: half of a message arrives, and then the end.
func halved(b []byte) ([]byte, bool) { return b[:len(b)/2], false }

// garbled: the data arrives altered.
func garbled(b []byte) ([]byte, bool) {
	_, _ = rand.Read(b)
	return b, true
}

// slowed: all data is delayed.
func slowed(by time.Duration) trouble {
	return func(b []byte) ([]byte, bool) {
		time.Sleep(by)
		return b, true
	}
}
