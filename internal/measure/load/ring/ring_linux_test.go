package ring

import (
	"bytes"
	"errors"
	"io"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair returns a socket for a seat, and its other end.
func pair(t *testing.T) (syscall.RawConn, *net.UnixConn) {
	t.Helper()
	path := t.TempDir() + "/s"
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ours, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close() })
	theirs, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	raw, err := ours.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return raw, theirs
}

// run opens a ring with a client for each server, and runs them.
func run(t *testing.T, client func(i int, s *Seat), servers ...func(*net.UnixConn)) {
	t.Helper()
	sockets := make([]syscall.RawConn, len(servers))
	for i, server := range servers {
		var other *net.UnixConn
		sockets[i], other = pair(t)
		go server(other)
	}
	r, err := Open(sockets)
	if errors.Is(err, unix.EINVAL) {
		t.Skip("Linux before 6.1")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Run(func(i int) {
		client(i, r.Seat(i))
		if err := r.Seat(i).Close(); err != nil {
			t.Error(err)
		}
	})
}

func echo(c *net.UnixConn) { _, _ = io.Copy(c, c) }

// TestExchanges: each client gets its own answers, thousands of them, while garbage is collected.
func TestExchanges(t *testing.T) {
	const clients, rounds = 50, 200
	servers := make([]func(*net.UnixConn), clients)
	for i := range servers {
		servers[i] = echo
	}
	done := 0
	run(t, func(i int, s *Seat) {
		in := make([]byte, 64)
		for round := range rounds {
			out := []byte{byte(i), byte(round)}
			n, err := s.Exchange(out, in)
			if err != nil || !bytes.Equal(in[:n], out) {
				t.Errorf("client %d, round %d: %v, %v", i, round, in[:n], err)
				return
			}
			if done++; done%1000 == 0 {
				runtime.GC()
			}
		}
	}, servers...)
	if done != clients*rounds {
		t.Errorf("%d exchanges", done)
	}
}

// TestBothTalkAtOnce: a server that writes more than a socket holds before it reads a request of that size.
func TestBothTalkAtOnce(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	received := make(chan []byte, 1)
	run(t, func(_ int, s *Seat) {
		in := make([]byte, 1<<20)
		total := 0
		for out := long; total < len(long); out = nil {
			n, err := s.Exchange(out, in)
			if err != nil {
				t.Error(err)
				return
			}
			total += n
		}
		s.AwaitSent()
	}, func(c *net.UnixConn) {
		_, _ = c.Write(long)
		got := make([]byte, len(long))
		_, _ = io.ReadFull(c, got)
		received <- got
	})
	if !bytes.Equal(<-received, long) {
		t.Error("the request came otherwise")
	}
}

// TestEnds: only the client whose connection ends learns of it. A client that leaves during a
// request does not wait for the server.
func TestEnds(t *testing.T) {
	var abandon *Seat
	errs := make([]error, 4)
	run(t, func(i int, s *Seat) {
		in := make([]byte, 8)
		switch i {
		case 0: // the server sends something, and hangs up
			n, err := s.Exchange([]byte("x"), in)
			if string(in[:n]) != "bye" || err != nil {
				t.Errorf("%q, %v", in[:n], err)
			}
			_, errs[i] = s.Exchange([]byte("x"), in)
		case 1: // another goroutine ends it
			abandon = s
			_, errs[i] = s.Exchange([]byte("x"), in)
		case 2:
			s.Sleep(50 * time.Millisecond)
			abandon.Abandon()
			_, errs[i] = s.Exchange([]byte("x"), in)
		case 3: // the server does not read
			s.send(make([]byte, 8<<20))
			s.Sleep(time.Millisecond)
		}
	}, func(c *net.UnixConn) {
		_, _ = io.ReadFull(c, make([]byte, 1))
		_, _ = c.Write([]byte("bye"))
		_ = c.Close()
	}, func(*net.UnixConn) {}, echo, func(*net.UnixConn) {})
	if errs[0] == nil || !errors.Is(errs[1], io.EOF) || errs[2] != nil {
		t.Errorf("%v", errs)
	}
}

// TestAlarms: sleepers wake in the order of their times, and silence ends a sleep and all later ones.
func TestAlarms(t *testing.T) {
	var order []int
	var seats [3]*Seat
	run(t, func(i int, s *Seat) {
		seats[i] = s
		switch i {
		case 0:
			if !s.Sleep(40 * time.Millisecond) {
				t.Error("woken early")
			}
		case 1:
			if !s.Sleep(20 * time.Millisecond) {
				t.Error("woken early")
			}
			go seats[2].Silence()
		case 2:
			for range 2 {
				if s.Sleep(time.Hour) {
					t.Error("slept on")
				}
			}
		}
		order = append(order, i)
	}, echo, echo, echo)
	if order[0] != 1 {
		t.Errorf("woken in order %v", order)
	}
}

// TestNoRing: if there is no ring, the sockets are unchanged and nothing is left open.
func TestNoRing(t *testing.T) {
	raw, other := pair(t)
	go echo(other)
	second, _ := pair(t)
	fds := func() int {
		entries, err := syscall.Open("/proc/self/fd", syscall.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(entries)
		buffer := make([]byte, 1<<16)
		n, err := syscall.ReadDirent(entries, buffer)
		if err != nil {
			t.Fatal(err)
		}
		_, count, _ := syscall.ParseDirent(buffer[:n], -1, nil)
		return count
	}
	var limit, none syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	before := fds()
	none = limit
	none.Cur = uint64(before) + 1 // the ring fits, and one socket
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	_, err := Open([]syscall.RawConn{raw, second})
	if restored := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); restored != nil {
		t.Fatal(restored)
	}
	if !errors.Is(err, unix.EMFILE) || fds() != before {
		t.Errorf("%v; %d files are open, %d before", err, fds(), before)
	}
}
