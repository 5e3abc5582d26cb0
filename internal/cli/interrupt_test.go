package cli

import (
	"context"
	"net"
	"os"
	"testing"
	"time"
)

// A server that dies breaks connections, which comes as the same signal as a pipe that nobody reads any more.
func TestABrokenConnectionIsNoReasonToStop(t *testing.T) {
	ctx, stop := stoppable(func(string, ...any) {}, "observe")
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	accepted.Close()
	for broken := time.Now().Add(5 * time.Second); err == nil && time.Now().Before(broken); time.Sleep(time.Millisecond) {
		_, err = conn.Write([]byte("select 1"))
	}
	for range 3 {
		_, err = conn.Write([]byte("select 1"))
	}
	if err == nil {
		t.Fatal("the connection does not break")
	}
	select {
	case <-ctx.Done():
		t.Errorf("it stopped: %v", context.Cause(ctx))
	case <-time.After(300 * time.Millisecond):
	}
}

func TestAPipeThatNobodyReadsIsBroken(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if outputBroken(w.Fd()) {
		t.Error("it is broken while it is read")
	}
	r.Close()
	if !outputBroken(w.Fd()) {
		t.Error("it is not broken")
	}
}
