package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/stopping"
	"github.com/realiops/realiops/internal/test/liartest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// lied returns the endpoint of a server that lies.
func lied(t *testing.T, lie liartest.Lie, parameters string) *postgres.Endpoint {
	t.Helper()
	liar, err := liartest.Listen(lie)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { liar.Close() })
	return servertest.Endpoint(t, liar.DSN()+parameters)
}

// within fails if do does not end within its bound, with ample tolerance.
func within(t *testing.T, d time.Duration, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		t.Fatalf("it goes on after %v", d)
		return nil
	}
}

// TestEveryAnswerIsBounded: in time and size, whatever a server sends. Closing the session is immediate.
func TestEveryAnswerIsBounded(t *testing.T) {
	for _, lie := range liartest.Lies() {
		if !lie.Greets {
			continue
		}
		t.Run(lie.Name, func(t *testing.T) {
			t.Parallel()
			conn, err := lied(t, lie, "").ConnectUser(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			postgres.AnswerWithin(conn, 2*time.Second)
			err = within(t, 30*time.Second, func() error {
				var one string
				err := postgres.QueryRow(t.Context(), conn, "select 1").Scan(&one)
				_ = conn.Close(context.WithoutCancel(t.Context()))
				return err
			})
			want := "did not complete its answer within 2 s"
			if lie.Ends {
				want = "" // another bound may be exceeded first
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestAskingForSettingsIsBounded by the time to connect: it belongs to connecting.
func TestAskingForSettingsIsBounded(t *testing.T) {
	for _, lie := range liartest.Lies() {
		if !lie.Greets || lie.Ends || lie.Floods {
			continue
		}
		t.Run(lie.Name, func(t *testing.T) {
			t.Parallel()
			if err := within(t, 30*time.Second, func() error {
				_, err := lied(t, lie, "&connect_timeout=2").Connect(t.Context())
				return err
			}); err == nil {
				t.Error("it connected")
			}
		})
	}
}

// TestConnectingIsBounded: on each of several hosts, and even while checking target_session_attrs.
func TestConnectingIsBounded(t *testing.T) {
	for _, lie := range liartest.Lies() {
		parameters := "&connect_timeout=2"
		if lie.Greets {
			parameters += "&target_session_attrs=read-write"
		}
		t.Run(lie.Name, func(t *testing.T) {
			t.Parallel()
			err := within(t, 30*time.Second, func() error {
				conn, err := lied(t, lie, parameters).Connect(t.Context())
				if err == nil {
					return errors.Join(errors.New("it connected"), conn.Close(t.Context()))
				}
				return err
			})
			if err == nil || !lie.Ends && !lie.Floods && !strings.Contains(err.Error(), "timeout expired") {
				t.Errorf("got %v", err)
			}
		})
	}
	silent := liartest.Lies()[0]
	first, second := lied(t, silent, ""), lied(t, silent, "")
	both := fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%d,%d user=u dbname=x sslmode=disable connect_timeout=2",
		first.Port(), second.Port())
	if err := within(t, 30*time.Second, func() error {
		_, err := servertest.Endpoint(t, both).Connect(t.Context())
		return err
	}); err == nil || !strings.Contains(err.Error(), "timeout expired") {
		t.Errorf("of two hosts: %v", err)
	}
}

// TestLateConnectionsAreNamed: a connection in the making after seconds, a statement of the user never.
// Whoever stops the command meanwhile is not told to check the server.
func TestLateConnectionsAreNamed(t *testing.T) {
	t.Parallel()
	lies := liartest.Lies()
	ctx, stop := context.WithCancel(t.Context())
	ctx, command := stopping.With(ctx)
	late := func() (all string) {
		for what, since := range command.Late() {
			all += fmt.Sprintf("%s since %.0f s; ", what, since.Seconds())
		}
		return all
	}
	user, err := lied(t, lies[7], "").ConnectUser(ctx)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 2)
	go func() {
		var one string
		failed <- postgres.QueryRow(ctx, user, "select 1").Scan(&one)
	}()
	begun, silent := time.Now(), lied(t, lies[0], "&connect_timeout=20")
	go func() {
		_, err := silent.Connect(ctx)
		failed <- err
	}()
	for late() == "" && time.Since(begun) < 15*time.Second {
		time.Sleep(10 * time.Millisecond)
	}
	if want := fmt.Sprintf("an answer from 127.0.0.1:%d since 3 s; ", silent.Port()); late() != want {
		t.Errorf("after %s %q, want %q", time.Since(begun), late(), want)
	}
	stop()
	for range 2 {
		if err := <-failed; !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "running there") {
			t.Errorf("stopped: %v", err)
		}
	}
}

// TestAStoppedCommandWaitsNoLonger: it waits a grace period for a silent server, even in work that outlives the stop.
// It waits for a server that must finish, but not for one it is connecting to.
func TestAStoppedCommandWaitsNoLonger(t *testing.T) {
	t.Parallel()
	lies := liartest.Lies()
	silent, greets := lies[0], lies[7]
	ctx, stop := context.WithCancel(t.Context())
	ctx, command := stopping.With(ctx)
	own := context.WithoutCancel(ctx)
	conn, err := lied(t, greets, "").ConnectUser(ctx)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		var one string
		answered <- postgres.QueryRow(own, conn, "select 1").Scan(&one)
	}()
	for begun := time.Now(); !strings.Contains(command.Waits(), "an answer from 127.0.0.1:"); time.Sleep(
		time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("it waits for %s", command.Waits())
		}
	}
	begun := time.Now()
	stop()
	err = within(t, 3*stopping.Grace, func() error { return <-answered })
	if took := time.Since(begun); !errors.Is(err, context.Canceled) || took < stopping.Grace {
		t.Errorf("after %v: %v", took, err)
	}
	if err := within(t, 5*time.Second, func() error {
		_, err := lied(t, silent, "").Connect(own)
		return err
	}); err == nil {
		t.Error("it connects to a server that says nothing")
	}
	done := stopping.For(ctx, "a table", time.Minute)
	real := servertest.Database(t, "17")
	worked, err := real.Connect(own)
	if err != nil {
		t.Fatal(err)
	}
	var one string
	if err := postgres.QueryRow(own, worked, "select 'one'").Scan(&one); err != nil || command.Waits() != "a table" {
		t.Errorf("%v, while it waits for %s", err, command.Waits())
	}
	done()
	if err := postgres.QueryRow(own, worked, "select 'one'").Scan(&one); err == nil {
		t.Error("the session goes on when nothing is waited for any more")
	}
}
