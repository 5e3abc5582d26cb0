//go:build unix

package run_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The checkpoint after a load waits for a standby without a slot, whose WAL it would remove.
func TestAStandbyThatIsBehindIsWaitedFor(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"max_wal_size=16GB"}}) // the load ends by itself
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	servertest.Standby(ctx, t, servertest.Endpoint(t, s.DSN()), "sb")
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	sender := servertest.Value[int](t, boss, "select pid from pg_stat_replication")
	r := newTrialOf(t, s.DSN(), runfile.Plan{Name: "test", Loads: []runfile.Load{bulk}, Repetitions: 1, LoadSeconds: 4,
		Seed: 1})
	behind := make(chan error)
	go func() {
		<-r.show.begun
		err := syscall.Kill(sender, syscall.SIGSTOP)
		time.Sleep(10 * time.Second)
		behind <- syscall.Kill(sender, syscall.SIGCONT)
		behind <- err
	}()
	if recorded, err := run.Do(t.Context(), r.options); !recorded || err != nil {
		t.Errorf("recorded %v, %v", recorded, err)
	}
	for range 2 {
		if err := <-behind; err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Second) // a sender that finds its WAL removed streams no more
	if state := servertest.Value[string](t, boss, "select state from pg_stat_replication"); state != "streaming" {
		t.Errorf("the standby is lost: its sender is in the state %s", state)
	}
}
