package probe_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/realiops/realiops/internal/measure/probe"
)

// TestTurnIsOneAtATime: a counter guarded only by the turn is right, even under the race detector.
func TestTurnIsOneAtATime(t *testing.T) {
	turn, n := probe.NewTurn(), 0
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := turn.Take(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer turn.Release()
			n++
		})
	}
	all.Wait()
	if n != 20 {
		t.Errorf("%d of 20", n)
	}
}

func TestTurnIsNotWaitedForBeyondTheContext(t *testing.T) {
	turn := probe.NewTurn()
	ended, end := context.WithCancel(t.Context())
	end()
	if err := turn.Take(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a free turn, after the end: %v", err)
	}
	if err := turn.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if err := turn.Take(waiting); !errors.Is(err, context.Canceled) {
		t.Errorf("a taken turn, after the end: %v", err)
	}
	turn.Release()
	if err := turn.Take(t.Context()); err != nil {
		t.Error(err)
	}
}
