package servertest

import (
	"net"
	"testing"
)

// Listen serves connections to a port until the test ends, each in its own goroutine.
func Listen(t testing.TB, serve func(net.Conn)) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			go serve(conn)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}
