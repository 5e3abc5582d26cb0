package stopping_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/stopping"
)

type connection struct {
	waits   string
	late    time.Duration
	changed atomic.Int32
}

func (c *connection) Waiting() string     { return c.waits }
func (c *connection) Late() time.Duration { return c.late }
func (c *connection) Changed()            { c.changed.Add(1) }

// TestUntil: nothing ends before the command is asked to stop. Then connections have the grace period, or as long as
// registered work needs, even if that work's context outlives the stop.
func TestUntil(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	ctx, command := stopping.With(ctx)
	if until := command.Until(); !until.IsZero() {
		t.Errorf("before the stop: %v", until)
	}
	conn := &connection{}
	defer command.Add(conn)()
	before := time.Now()
	stop()
	for until := before.Add(10 * time.Second); conn.changed.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("connections are not told of the stop")
		}
	}
	about := func(want time.Duration) {
		t.Helper()
		if after := command.Until().Sub(before); after < want || after > want+10*time.Second {
			t.Errorf("connections go on for %v, want %v", after, want)
		}
	}
	about(stopping.Grace)
	done := stopping.For(context.WithoutCancel(ctx), "a checkpoint", time.Minute)
	about(time.Minute)
	stopping.For(ctx, "nothing that needs a connection", 0)
	about(time.Minute)
	told := conn.changed.Load()
	done()
	about(stopping.Grace)
	if conn.changed.Load() == told {
		t.Error("connections are not told that the work is over")
	}
}

// TestWaits: work and connections are named once each, and not too many.
func TestWaits(t *testing.T) {
	ctx, command := stopping.With(t.Context())
	check := func(want string) {
		t.Helper()
		if got := command.Waits(); got != want {
			t.Errorf("it waits for %q, want %q", got, want)
		}
	}
	check("work in progress")
	command.Add(&connection{})
	check("work in progress")
	remove := command.Add(&connection{waits: "an answer from db:5432"})
	command.Add(&connection{waits: "an answer from db:5432"})
	check("an answer from db:5432")
	defer stopping.For(ctx, "a checkpoint", time.Minute)()
	check("a checkpoint, an answer from db:5432")
	remove()
	check("a checkpoint, an answer from db:5432")
	command.Add(&connection{waits: "b"})
	command.Add(&connection{waits: "c"})
	check("a checkpoint, an answer from db:5432, b, more")
	command.Add(&connection{waits: "late", late: time.Second})
	command.Add(&connection{waits: "late", late: time.Minute})
	command.Add(&connection{late: time.Hour}) // idle
	if got := command.Late(); len(got) != 1 || got["late"] != time.Minute {
		t.Errorf("late are %v", got)
	}
}

// TestKill: only processes that are still awaited are killed.
func TestKill(t *testing.T) {
	ctx, command := stopping.With(t.Context())
	killed := ""
	defer stopping.For(ctx, "a table", time.Minute)()
	stopping.Process(ctx, "the first to end", func() { killed += "first" })()
	defer stopping.Process(ctx, "the second to end", func() { killed += "second" })()
	if command.Kill(); killed != "second" {
		t.Errorf("killed: %q", killed)
	}
}

// TestNoCommand: without a command, everything is allowed.
func TestNoCommand(t *testing.T) {
	stopping.For(t.Context(), "a checkpoint", time.Minute)()
	command := stopping.From(t.Context())
	command.Add(&connection{})()
	if until := command.Until(); !until.IsZero() {
		t.Errorf("it ends at %v", until)
	}
}
