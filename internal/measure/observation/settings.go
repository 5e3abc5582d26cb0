package observation

import (
	"context"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// settings tracks the server's settings that change the counts. The zero value has seen none.
type settings struct {
	mu      sync.Mutex
	last    map[string]string
	at      time.Time // of the last look
	changes []runfile.Record
}

// become takes the server's current values, and records changes.
func (s *settings) become(now map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Now()
	for _, c := range postgres.Changes(s.last, s.at, now, at) {
		s.changes = append(s.changes, c)
	}
	s.last, s.at = now, at
}

// goneOnFrom records the changes since the observation that this one continues.
func (s *settings) goneOnFrom(now, before map[string]string, since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range postgres.Changes(before, since, now, s.at) {
		s.changes = append(s.changes, c)
	}
}

// look asks the server, and returns changes not returned yet. A server that does not answer has none.
func (s *settings) look(ctx context.Context, endpoint *postgres.Endpoint) []runfile.Record {
	ctx, cancel := context.WithTimeout(ctx, lastWithin)
	defer cancel()
	if conn, err := endpoint.Connect(ctx); err == nil {
		now, err := postgres.Settings(ctx, conn)
		_ = conn.Close(context.WithoutCancel(ctx)) // it only asked
		if err == nil {
			s.become(now)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.changes
	s.changes = nil
	return changes
}
