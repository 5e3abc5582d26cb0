// Package supervisor cleans up when realiops is gone, even after kill -9.
//
// [Start] starts this program again, as a process that only holds a list of things to clean up ([Item]): processes to
// end, shared memory and directories to remove, mounts to detach. It cleans up when its standard input ends, which
// both [Supervisor.Release] and the end of realiops cause: so there is only one way. The last item comes first, as
// with defer, and items below one that cannot be cleaned up stay.
//
// When the supervisor itself is killed, another one replaces it; if that fails, realiops cleans up by itself. If both
// are killed at once, a later run calls [CleanUp] for leftovers that it finds: directories of package scratch have a
// lock, and a free one means that they are unused.
//
// Programs that call Start pass [Role] to role.Main, tests in their TestMain.
package supervisor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

// Supervisor is realiops's side of the process. Its methods may be called from any goroutine.
type Supervisor struct {
	mu       sync.Mutex
	child    *child        // nil if none can be started any more
	silence  time.Duration // after which a process that should answer is killed
	starts   int
	last     int // number of the last item
	held     []order
	released bool
	left     error
}

// order tells the process to hold an item under a number, or to drop it.
type order struct {
	Number int   `json:"number"`
	Hold   *Item `json:"hold,omitempty"`
}

// answer is the process's message: it took an order or is at work, it could not clean an item up, or it is done.
type answer struct {
	Left string `json:"left,omitempty"`
	Done bool   `json:"done,omitempty"`
}

// Start starts a supervisor without items.
func Start() (*Supervisor, error) {
	s := &Supervisor{silence: 15 * time.Second}
	err := s.startChild()
	if errors.Is(err, syscall.EAGAIN) {
		err = errors.New("this user cannot start more processes (ulimit -u)")
	}
	if err != nil {
		return nil, fmt.Errorf("start the cleanup process: %w", err)
	}
	return s, nil
}

// Hold adds an item, which is cleaned up before all earlier ones unless it is dropped.
func (s *Supervisor) Hold(i Item) (drop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	number := s.last
	s.held = append(s.held, order{number, &i})
	s.pass(order{number, &i})
	return func() { s.drop(number) }
}

func (s *Supervisor) drop(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = slices.DeleteFunc(s.held, func(o order) bool { return o.Number == number })
	s.pass(order{Number: number})
}

// pass sends an order. A process that does not answer is replaced by one that gets all items.
func (s *Supervisor) pass(o order) {
	if s.child == nil || s.released {
		return
	}
	if s.child.take(o, s.silence) != nil {
		s.replace()
	}
}

// mostStarts bounds how often a dead process is replaced.
const mostStarts = 5

func (s *Supervisor) replace() {
	s.child = nil
	for s.child == nil && s.starts < mostStarts {
		_ = s.startChild() // otherwise this process cleans up
	}
}

func (s *Supervisor) startChild() error {
	s.starts++
	c, err := start()
	if err != nil {
		return err
	}
	for _, o := range append([]order{{}}, s.held...) { // the empty order checks that it answers
		if err := c.take(o, s.silence); err != nil {
			return err
		}
	}
	s.child = c
	go func() {
		<-c.ended
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.child == c && !s.released {
			s.replace()
		}
	}()
	return nil
}

// PID returns the process ID, or 0 if there is no process.
func (s *Supervisor) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil {
		return 0
	}
	return s.child.command.Process.Pid
}

// Release cleans up all items, and returns what it could not. If ctx ends first, the process continues alone.
// A second call returns the same.
func (s *Supervisor) Release(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return s.left
	}
	s.released = true
	if s.child != nil {
		done, err := s.child.finish(ctx, s.silence)
		if s.left = err; done || ctx.Err() != nil {
			return err
		}
	}
	items := make([]Item, len(s.held))
	for i, o := range s.held {
		items[i] = *o.Hold
	}
	s.left = CleanUp(items...)
	return s.left
}

type child struct {
	command *exec.Cmd
	input   io.Closer
	orders  *json.Encoder
	answers chan answer
	ended   chan struct{}
	err     error // why it ended; valid once ended is closed
}

func start() (*child, error) {
	command, err := Role().Command(context.Background())
	if err != nil {
		return nil, err
	}
	command.Dir = "/"
	command.ExtraFiles = []*os.File{os.Stderr} // for its own messages
	var complaint bytes.Buffer
	command.Stderr = &complaint
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	c := &child{
		command: command, input: in, orders: json.NewEncoder(in),
		answers: make(chan answer, 1), ended: make(chan struct{}),
	}
	go func() {
		defer close(c.ended)
		for answers := json.NewDecoder(out); ; {
			var a answer
			if answers.Decode(&a) != nil {
				break
			}
			c.answers <- a
		}
		err := command.Wait()
		if message, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n"); message != "" {
			err = errors.New(message)
		}
		c.err = cmp.Or(err, errors.New("it exited unexpectedly"))
	}()
	return c, nil
}

// take sends an order and waits for the answer.
func (c *child) take(o order, silence time.Duration) error {
	_ = c.orders.Encode(o) // the answer shows whether it was received
	select {
	case <-c.answers:
		return nil
	case <-c.ended:
		return c.err
	case <-time.After(silence):
		return errors.Join(fmt.Errorf("no answer for %s", printable.Duration(silence)), c.command.Process.Kill())
	}
}

// finish makes the process clean up, and reports whether it has finished.
func (c *child) finish(ctx context.Context, silence time.Duration) (done bool, err error) {
	c.input.Close()
	for {
		select {
		case a := <-c.answers:
			if a.Left != "" {
				err = errors.New(a.Left)
			}
			if a.Done {
				<-c.ended
				return true, err
			}
		case <-c.ended:
			return false, nil
		case <-time.After(silence):
			_ = c.command.Process.Kill()
		case <-ctx.Done():
			return false, fmt.Errorf("cleanup is still running: %w", context.Cause(ctx))
		}
	}
}
