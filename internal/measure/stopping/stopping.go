// Package stopping records what a stopped command still waits for, and how long its connections stay usable.
//
// The command line makes a [Command] with [With] and shows [Command.Waits] to the user. Work that must not be cut
// short, such as dropping objects on a server, registers itself by [For]. A connection registers itself by
// [Command.Add] and gives up at [Command.Until]. All of them find the command through their context, even one
// made by context.WithoutCancel.
package stopping

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Grace is how long connections stay usable after a command was asked to stop, unless work
// registered by [For] needs more.
const Grace = 7 * time.Second

// Command is a command that can be asked to stop. A nil Command never is.
type Command struct {
	mu          sync.Mutex
	asked       time.Time // zero: not yet
	works       []*work
	leaves      string
	connections map[Connection]struct{}
}

// Connection is a connection to another program that a command may wait for.
type Connection interface {
	// Waiting says what the connection waits for; empty: nothing.
	Waiting() string
	// Late returns how long Waiting has taken if that is longer than it should; otherwise 0.
	Late() time.Duration
	// Changed is called when [Command.Until] may have changed.
	Changed()
}

// work is a task that must not be cut short.
type work struct {
	what  string
	until time.Time
	kill  func() // nil: nothing outlives this process
}

type key struct{}

// With returns a context with a command. The end of ctx asks the command to stop.
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

// From returns the command of a context, or nil.
func From(ctx context.Context) *Command {
	c, _ := ctx.Value(key{}).(*Command)
	return c
}

// For registers work of the command in ctx that must not be cut short. It may use its connections for up to within
// from now, even if the command is asked to stop; 0: it needs none. The caller calls done when the work is over.
func For(ctx context.Context, what string, within time.Duration) (done func()) {
	return From(ctx).register(&work{what: what, until: time.Now().Add(within)})
}

// Process registers the wait for a process to end, as [For] does. kill ends it if the user does not want to wait.
func Process(ctx context.Context, what string, kill func()) (done func()) {
	return From(ctx).register(&work{what: what, kill: kill})
}

func (c *Command) register(w *work) (done func()) {
	if c == nil {
		return func() {}
	}
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

// Add registers a connection; remove unregisters it.
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

// Kill ends all processes that were registered by [Process].
func (c *Command) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.works {
		if w.kill != nil {
			w.kill()
		}
	}
}

// Until returns when connections must give up: [Grace] after the command was asked to stop, or when registered work
// is over, if that is later. It is zero before a stop.
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

// Late returns what takes connections longer than it should, and how long it has taken.
func (c *Command) Late() map[string]time.Duration {
	c.mu.Lock()
	connections := c.open()
	c.mu.Unlock()
	all := map[string]time.Duration{}
	for _, conn := range connections {
		if what, late := conn.Waiting(), conn.Late(); what != "" && late > 0 {
			all[what] = max(all[what], late)
		}
	}
	return all
}

// Waits names what the command waits for, each thing once, or "work in progress" if unknown.
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
		return "work in progress"
	}
	const most = 3
	if len(all) > most {
		all = append(all[:most], "more")
	}
	return strings.Join(all, ", ")
}

// Leave says what stays behind if the command ends now; empty: nothing. A nil Command ignores it.
func (c *Command) Leave(what string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaves = what
}

// Leaves returns what stays behind if the command ends now.
func (c *Command) Leaves() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leaves
}

// changed notifies the connections, which call Until again.
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
