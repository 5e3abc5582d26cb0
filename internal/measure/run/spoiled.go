package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// look records the state of the server as a load begins, and again when its clients have left.
func (m *measurement) look(ctx context.Context, event runfile.Event) error {
	ctx = context.WithoutCancel(ctx)
	if event == runfile.Begin {
		m.stops.begin()
		m.writers.begin()
		m.standbys.begin()
	}
	return errors.Join(m.lookForOthers(ctx, event), m.lookAtSettings(ctx, event))
}

// settings holds the server's settings that change the counts.
type settings struct {
	first map[string]string // in the head of the file
	last  map[string]string // at the last look
	at    time.Time         // of the last look
	seen  []runfile.SettingChange
}

// lookAtSettings records what has changed since the last look.
func (m *measurement) lookAtSettings(ctx context.Context, event runfile.Event) error {
	now, err := m.target.Endpoint.SettingsNow(ctx, m.session.Control)
	if err != nil {
		return err
	}
	s, at := &m.settings, time.Now()
	changes := postgres.Changes(s.last, s.at, now, at)
	s.last, s.at = now, at
	if event == runfile.Begin {
		s.seen = nil
	} else {
		s.seen = append(s.seen, changes...)
	}
	for _, c := range changes {
		if err := m.record(c); err != nil {
			return err
		}
	}
	return nil
}

// differ lists the settings that differed from the head's during the load; empty: none did.
func (s *settings) differ() string {
	changed := map[string]string{}
	for _, c := range postgres.Changes(s.first, s.at, s.last, s.at) {
		changed[c.Setting] = fmt.Sprintf("%s is %s, and was %s when the run began", c.Setting, c.To, c.From)
	}
	for _, c := range s.seen {
		changed[c.Setting] = fmt.Sprintf("%s changed from %s to %s during the load", c.Setting, c.From, c.To)
	}
	delete(changed, runfile.Tablespaces) // the load's table is in no tablespace created later
	return strings.Join(slices.Sorted(maps.Values(changed)), "; ")
}

// stops records how long this process or a worker of the load was prevented from running.
type stops struct {
	mu      sync.Mutex
	last    time.Time // it ran for certain
	longest time.Duration
	workers time.Duration // the longest of a worker
}

const (
	stopsLook = 500 * time.Millisecond
	// stopped is the delay that a busy machine no longer explains.
	stopped = 5 * time.Second
)

func (s *stops) watch(ctx context.Context) {
	tick := time.NewTicker(stopsLook)
	defer tick.Stop()
	for {
		s.look(time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look compares the wall clock, too: the monotonic clock stands still while a machine sleeps.
func (s *stops) look(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() {
		s.longest = max(s.longest, now.Sub(s.last), now.Round(0).Sub(s.last.Round(0)))
	}
	s.last = now
}

func (s *stops) begin() {
	s.look(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest, s.workers = 0, 0
}

func (s *stops) worker(silent time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workers = max(s.workers, silent)
}

// during says which process stood still since the load began; empty: none did.
func (s *stops) during() string {
	s.look(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.longest >= stopped:
		return fmt.Sprintf("realiops stood still for %.0f s (it was stopped, the machine slept, or its clock was set)",
			s.longest.Seconds())
	case s.workers >= stopped:
		return fmt.Sprintf("a worker process of the load stood still for %.0f s (it was stopped or starved of CPU)",
			s.workers.Seconds())
	default:
		return ""
	}
}
