package container

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// script is the container's first process. It starts the image's own entrypoint and ends it when its standard input
// closes, which the engine does when our connection is lost for any reason. SIGINT makes PostgreSQL close its
// sessions and stop; SIGTERM ends an entrypoint that has not started it yet.
const script = `exec 3<&0
end() { kill -INT $server; kill -TERM $server; }
"$@" 3<&- </dev/null &
server=$!
trap end INT TERM
{ cat <&3 >/dev/null; end; sleep 5; kill -KILL $server; } 2>/dev/null &
status=0
while kill -0 $server 2>/dev/null; do
	wait $server
	status=$?
done
exit $status`

// holdStdin makes the engine keep the container's standard input open for one connection, and
// close it with that connection.
func holdStdin(c *container.Config) {
	c.OpenStdin, c.StdinOnce = true, true
	c.AttachStdin, c.AttachStdout, c.AttachStderr = true, true, true
}

// attachment is the connection to a container's standard streams. The container runs as long as the connection is
// held; its output arrives there.
type attachment struct {
	stream client.ContainerAttachResult
	cancel context.CancelFunc
	log    tail

	expected atomic.Bool   // we asked for the end
	died     chan struct{} // closed at an unexpected end
	over     chan struct{} // closed at any end
	outcome  error         // the cause of the end, valid after over or died
}

// tie attaches to a created container before it starts, so that it never runs without an attachment.
func (s *Server) tie(ctx context.Context, c testcontainers.Container) (err error) {
	s.id = c.GetContainerID()
	s.attachment, err = s.engine.attach(ctx, s.id, s.keep)
	return err
}

// attach opens an attachment, which outlives ctx. It is never nil.
func (e *engine) attach(ctx context.Context, id string, keep bool) (*attachment, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a := &attachment{cancel: cancel, died: make(chan struct{}), over: make(chan struct{})}
	var err error
	a.stream, err = e.ContainerAttach(ctx, id,
		client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		close(a.over)
		a.outcome = err
		return a, fmt.Errorf("attach to the container: %w", err)
	}
	condition := container.WaitConditionRemoved
	if keep {
		condition = container.WaitConditionNextExit
	}
	go a.watch(e.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: condition}))
	return a, nil
}

// lastLines bounds the wait for the container's last output, which arrives on another connection.
const lastLines = time.Second

// watch reads the container's output until it ends.
func (a *attachment) watch(exit client.ContainerWaitResult) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = stdcopy.StdCopy(&a.log, &a.log, a.stream.Reader) // exit reports it if this breaks off
	}()
	var cause error
	select {
	case result := <-exit.Result:
		cause = fmt.Errorf("exit code %d", result.StatusCode)
	case cause = <-exit.Error:
		cause = fmt.Errorf("lost the container engine: %w", cause)
	}
	select {
	case <-read:
	case <-time.After(lastLines):
	}
	a.outcome = a.log.explain(cause)
	if !a.expected.Load() {
		close(a.died)
	}
	close(a.over)
}

// wait waits until the container is gone.
func (a *attachment) wait(ctx context.Context) error {
	select {
	case <-a.over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close closes the connection. A container that still runs ends then.
func (a *attachment) close() {
	if a.stream.Conn != nil {
		a.stream.Close()
	}
	a.cancel()
}

// remembered is how many last lines are searched for a cause.
const remembered = 20

// told is how many lines fit into an error.
const told = 3

// tail keeps the last lines written to it.
type tail struct {
	mu      sync.Mutex
	lines   []string
	partial []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.partial = append(t.partial, p...)
	for {
		line, rest, found := bytes.Cut(t.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		t.partial = rest
		t.keep(string(line))
	}
}

func (t *tail) keep(line string) {
	if line = strings.Join(strings.Fields(line), " "); line == "" {
		return
	}
	t.lines = append(t.lines, line)
	t.lines = t.lines[max(0, len(t.lines)-remembered):]
}

// explain adds the serious lines to an error, or the last ones if there are none.
func (t *tail) explain(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(string(t.partial))
	t.partial = nil
	lines := slices.DeleteFunc(slices.Clone(t.lines), func(line string) bool { return !grave.MatchString(line) })
	if len(lines) == 0 {
		lines = t.lines
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w; last output: %s", err, strings.Join(lines[max(0, len(lines)-told):], " | "))
}

// grave matches PostgreSQL's messages when it cannot go on.
var grave = regexp.MustCompile(`\b(FATAL|PANIC): `)
