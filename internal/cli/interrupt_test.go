package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/stopping"
)

type hole struct{}

func (hole) Waiting() string     { return "a connection to db:5432" }
func (hole) Late() time.Duration { return 4 * time.Second }
func (hole) Changed()            {}

// Before any request to stop, a long wait is said once, even if other connections wait for the same.
func TestLongWaitIsReportedOnce(t *testing.T) {
	t.Parallel()
	told := make(chan string, 10)
	ctx, stop := stoppable(func(format string, values ...any) { told <- fmt.Sprintf(format, values...) })
	defer stop()
	defer stopping.From(ctx).Add(hole{})()
	if got, want := <-told, "realiops: waiting for a connection to db:5432 (4 s so far)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	select {
	case again := <-told:
		t.Errorf("again: %q", again)
	case <-time.After(2500 * time.Millisecond):
	}
}

// A dying server breaks connections, which raises the same signal as a pipe without a reader.
func TestABrokenConnectionIsNoReasonToStop(t *testing.T) {
	t.Parallel()
	ctx, stop := stoppable(func(string, ...any) {})
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
	for broken := time.Now().Add(5 * time.Second); err == nil &&
		time.Now().Before(broken); time.Sleep(time.Millisecond) {
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
	t.Parallel()
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

// timeout(1) signals the process and then its group, which is one request.
func TestSignalsTogetherAreOne(t *testing.T) {
	t.Parallel()
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	signals <- os.Interrupt
	time.AfterFunc(2*together, func() { close(ended) })
	if again, insisted := secondStop(os.Interrupt, signals, ended, func() {}); insisted {
		t.Errorf("%v counts as a second request", again)
	}
}

// After two seconds, and every five from then on, the user is told what a stopping command waits for. A second
// request works even while the terminal blocks.
func TestLongStopIsReportedAgain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ctx, stopped := stopping.With(ctx)
	defer stopping.For(ctx, "a checkpoint", 0)()
	stopped.Leave("x stays")
	cancel()
	begun := time.Now()
	told := make(chan string, 10)
	signals := make(chan os.Signal, 1)
	stuck := make(chan struct{})
	defer close(stuck)
	tell := func(format string, values ...any) {
		told <- fmt.Sprintf(format, values...)
		if len(told) == 2 {
			signals <- os.Interrupt
			<-stuck
		}
	}
	const busy = 4 * time.Second // for a busy machine
	again, insisted := secondStop(os.Interrupt, signals, make(chan struct{}), reminder(tell, stopped))
	if took := time.Since(begun); !insisted || again != os.Interrupt || took < patience+remindEvery || took > patience+
		remindEvery+busy {
		t.Errorf("after %v: %v, %v", took, again, insisted)
	}
	first, second := <-told, <-told
	for i, line := range []string{first, second} {
		want := regexp.MustCompile(
			`^realiops: stopping; waiting for a checkpoint \(\d+ s so far\)\. Interrupt again to end at once: x stays$`)
		if !want.MatchString(line) {
			t.Errorf("line %d is %q", i, line)
		}
	}
}
