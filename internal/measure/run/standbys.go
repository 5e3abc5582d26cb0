package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
)

// standbys tracks our commits that wait for a standby's confirmation, which never comes if the standby is lost.
type standbys struct {
	mu      sync.Mutex
	since   map[postgres.Commit]time.Time // when each waiting commit was first seen
	told    bool
	longest time.Duration // since the load began
}

// A standby that has lost its connection tries again after 5 s (wal_retrieve_retry_interval).
const (
	tellOfStandby = 3 * time.Second
	awaitStandby  = 10 * time.Second
)

// look warns when a commit has waited for long, and ends the run when it waits longer.
func (s *standbys) look(ctx context.Context, conn *pgx.Conn, tell func(string), end func(error)) error {
	waiting, err := postgres.WaitingForStandby(ctx, conn)
	if err != nil {
		return err
	}
	waited := s.see(waiting, time.Now())
	if waited < tellOfStandby || s.told && waited < awaitStandby {
		return nil
	}
	gone, err := postgres.Unconfirmed(ctx, conn)
	if err != nil {
		return err
	}
	why := fmt.Sprintf("commits have waited %s for a standby to confirm them (wait event SyncRep), and ",
		printable.About(waited))
	if gone {
		why += "none of synchronous_standby_names is connected"
	} else {
		why += "the connected standbys do not"
	}
	if waited >= awaitStandby {
		end(fmt.Errorf("%s; check the standby and pg_stat_replication, then run again", why))
		return nil
	}
	s.told = true
	tell(fmt.Sprintf("On the server %s; the run stops unless one confirms them within %s", why,
		printable.About(awaitStandby-waited)))
	return nil
}

// see returns how long the oldest waiting commit has been seen to wait.
func (s *standbys) see(waiting []postgres.Commit, now time.Time) (longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := map[postgres.Commit]time.Time{}
	for _, c := range waiting {
		first, known := s.since[c]
		if !known {
			first = now
		}
		since[c] = first
		longest = max(longest, now.Sub(first))
	}
	s.since, s.longest = since, max(s.longest, longest)
	s.told = s.told && longest > 0
	return longest
}

func (s *standbys) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = 0
}

// during says that commits waited long since the load began; empty: none did.
func (s *standbys) during() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.longest < tellOfStandby {
		return ""
	}
	return fmt.Sprintf("commits waited %s for a standby to confirm them", printable.About(s.longest))
}
