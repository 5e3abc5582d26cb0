// Package stopping records what a command that was asked to stop still waits for, and how long its connections may
// go on.
//
// The command line makes a [Command] of its context by [With] and shows [Command.Waits] to the user. Work that must
// not be cut short, such as dropping what was made on a server, registers itself by [For]. A connection registers
// itself by [Command.Add] and gives up at [Command.Until]. Everything reaches the command through its context, also
// through one that is made by context.WithoutCancel.
package stopping

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Grace is the time for which connections stay usable after a command was asked to stop, beyond any work registered
// by [For].
const Grace = 7 * time.Second

// Command is one that can be asked to stop. A nil Command never is.
type Command struct {
	mu          sync.Mutex
	asked       time.Time // zero: it was not
	works       []*work
	connections map[Connection]struct{}
}

// Connection is a way to another program that a command may have to wait for.
type Connection interface {
	// Waiting names what the connection waits for now; empty: nothing.
	Waiting() string
	// Changed is called when [Command.Until] may have changed.

	Changed()
}

// work is a task that must not be cut short.
type work struct {
	what  string
	until time.Time
}

type key struct{}

// With makes a command of a context whose end asks the command to stop.
func With(ctx context.Context) (context.Context, *Command) {
	c := &Command{connections: map[Connection]struct{}{}}
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		c.asked = time.Now()
		c.mu.Unlock()
		c.changed()
	})
	return context.WithValue(ctx, key{}, c), c
}

// From finds the command that works in a context; nil where there is none.
func From(ctx context.Context) *Command {
	c, _ := ctx.Value(key{}).(*Command)
	return c
}

// For registers that the command of ctx has to wait for what, and needs its connections for at most that long from
// now, even if it is asked to stop; 0: it needs none. The caller calls done when the wait is over.
func For(ctx context.Context, what string, within time.Duration) (done func()) {
	c := From(ctx)
	if c == nil {
		return func() {}
	}
	w := &work{what, time.Now().Add(within)}
	c.mu.Lock()
	c.works = append(c.works, w)
	c.mu.Unlock()
	c.changed()
	return func() {
		c.mu.Lock()
		c.works = slices.DeleteFunc(c.works, func(other *work) bool { return other == w })
		c.mu.Unlock()
		c.changed()
	}
}

// Add registers a connection; remove takes it out again.
func (c *Command) Add(conn Connection) (remove func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections[conn] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.connections, conn)
	}
}

// Until is when connections give up: [Grace] after the command was asked to stop, or when the last work that must not
// be cut short is over. It is zero while nobody has asked.
func (c *Command) Until() (at time.Time) {
	if c == nil {
		return at
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() {
		return at
	}
	at = c.asked.Add(Grace)
	for _, w := range c.works {
		if w.until.After(at) {
			at = w.until
		}
	}
	return at
}

// Waits names what the command waits for, each thing once, or "what is under way" where it does not know.
func (c *Command) Waits() string {
	c.mu.Lock()
	var all []string
	for _, w := range c.works {
		all = append(all, w.what)
	}
	connections := c.open()
	c.mu.Unlock()
	for _, conn := range connections {
		if what := conn.Waiting(); what != "" {
			all = append(all, what)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return "what is under way"
	}
	const most = 3
	if len(all) > most {
		all = append(all[:most], "more")
	}
	return strings.Join(all, ", ")
}

// changed tells the connections, which ask again until when they may go on.
func (c *Command) changed() {
	c.mu.Lock()
	connections := c.open()
	c.mu.Unlock()
	for _, conn := range connections {
		conn.Changed()
	}
}

func (c *Command) open() (all []Connection) {
	for conn := range c.connections {
		all = append(all, conn)
	}
	return all
}
