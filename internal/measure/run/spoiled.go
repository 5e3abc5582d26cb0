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

// look returns how the world is as a load begins, or when its clients have left.
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
	first map[string]string // as the head of the file has them
	last  map[string]string // as they were seen last
	at    time.Time         // when that was
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

// differ says which settings were not those of the head during the load, empty where all were.
func (s *settings) differ() string {
	changed := map[string]string{}
	for _, c := range postgres.Changes(s.first, s.at, s.last, s.at) {
		changed[c.Setting] = fmt.Sprintf("%s is %s, and was %s as the run began", c.Setting, c.To, c.From)
	}
	for _, c := range s.seen {
		changed[c.Setting] = fmt.Sprintf("%s changed from %s to %s meanwhile", c.Setting, c.From, c.To)
	}
	delete(changed, runfile.Tablespaces) // the load's table is in none that comes later
	return strings.Join(slices.Sorted(maps.Values(changed)), "; ")
}

// stops are the times at which this process, or a worker of the load, did not run, although it was to.
type stops struct {
	mu      sync.Mutex
	last    time.Time // that it is known to have run
	longest time.Duration
	workers time.Duration // the longest of a worker
}

const (
	stopsLook = 500 * time.Millisecond
	// stopped is the delay from which a busy machine no longer explains it.
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

// look compares by the clock on the wall, too: the other one stands still while a machine sleeps.
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

// during names what stood still since the load began; empty: nothing did.
func (s *stops) during() string {
	s.look(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.longest >= stopped:
		return fmt.Sprintf("realiops stood still for %.0f s (it was stopped, the machine slept, or its clock was set)",
			s.longest.Seconds())
	case s.workers >= stopped:
		return fmt.Sprintf("a worker process of the load stood still for %.0f s (it was stopped, or got no processor)",
			s.workers.Seconds())
	default:
		return ""
	}
}
