package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
)

// looksEvery is the interval between two looks. The counters show shorter activity of other sessions.
const looksEvery = time.Second

// watchServer watches other sessions' writes, our waiting commits and who follows the WAL, in a session of
// its own, until ctx ends. It calls end with the reason if the run cannot go on. Without a session it does nothing: the counters
// still show other sessions' work.
func (m *measurement) watchServer(ctx context.Context, end func(error)) {
	for experiment.Wait(ctx, looksEvery) == nil {
		conn, err := m.connectForLooks(ctx)
		if err != nil {
			continue
		}
		for err == nil {
			if err = m.standbys.look(ctx, conn, m.Show.Message, end); err == nil {
				err = m.writers.look(ctx, conn)
			}
			if err == nil {
				err = m.followed.look(ctx, conn, end)
			}
			if err == nil {
				err = experiment.Wait(ctx, looksEvery)
			}
		}
		_ = conn.Close(context.WithoutCancel(ctx)) // it only asked
	}
}

// connectForLooks opens the session of the looks, which repeat the same queries and so cache their plans.
func (m *measurement) connectForLooks(ctx context.Context) (*pgx.Conn, error) {
	conn, err := m.target.Endpoint.Connect(ctx)
	if err != nil || m.session.Facts.Pooler {
		return conn, err
	}
	if err := postgres.PrepareLooks(ctx, conn); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx)) // the earlier error is the one to report
		return nil, err
	}
	return conn, nil
}

// How long a failover may take, and how often to check whether it is over. AWS says one or two minutes.
const (
	failoverWithin = 10 * time.Minute
	failoverLook   = 2 * time.Second
)

// recover waits until the lost server takes writes again, claims the schema there and returns the new session. It
// returns failed itself if the server was not lost.
func (m *measurement) recover(ctx context.Context, failed error) (*pgx.Conn, error) {
	if !m.lost(ctx, failed) {
		return nil, failed
	}
	m.session.Close(ctx) // the session is lost, or its server takes no writes
	m.Show.Message("The server was lost; waiting until one accepts writes, as after a failover")
	ctx, cancel := context.WithTimeoutCause(ctx, failoverWithin,
		fmt.Errorf("no server accepted writes within %s: %w", printable.Duration(failoverWithin), failed))
	defer cancel()
	for m.session.Reclaim(ctx) != nil {
		if experiment.Wait(ctx, failoverLook) != nil {
			return nil, context.Cause(ctx)
		}
	}
	m.say(m.session.LeftBehind)
	if m.moved = m.target.AWS.MovedTo(ctx, m.session.Facts.Instance); m.moved != nil {
		m.Show.Message("The load continues on " + m.moved.Instance)
	}
	return m.session.Control, nil
}

// lost reports whether the server was lost: it ended our sessions, or takes no writes any more.
func (m *measurement) lost(ctx context.Context, failed error) bool {
	if _, cut := errors.AsType[*session.LostError](failed); cut {
		return true
	}
	var standby bool
	err := postgres.QueryRow(ctx, m.session.Control,
		"/* realiops */ select pg_catalog.pg_is_in_recovery()").Scan(&standby)
	return err != nil || standby
}

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

// followers are standbys and subscribers that read the WAL behind the server. A run must not remove WAL that they have
// yet to read.
type followers struct {
	first, left map[string]int64 // by name, as they were seen first and last
}

const (
	// leastAhead bytes of WAL can still be written when the loads end, and what they write in a few looks.
	leastAhead  = 128 << 20
	aheadToHave = 2 * leastAhead // before the first load

	followWithin = 30 * time.Second // before a checkpoint
	followLook   = 100 * time.Millisecond
	walSegment   = 16 << 20 // the current segment is not removed
)

// RefuseFollowers returns an error if a run would not begin because somebody reads the server's WAL too far behind.
func RefuseFollowers(all []postgres.Follower) error {
	for _, f := range all {
		if f.Left != nil && *f.Left < aheadToHave {
			return fmt.Errorf("%s is lost after another %d MB of WAL (%s), but a run needs %d MB; %s", f.Name,
				*f.Left/1e6, f.Limit, aheadToHave/1_000_000, f.Remedy())
		}
	}
	return nil
}

// look calls end before one of them is lost. A run uses at most half of the WAL space that each had at first.
func (w *followers) look(ctx context.Context, conn *pgx.Conn, end func(error)) error {
	all, err := postgres.Followers(ctx, conn, postgres.UnderLoad)
	if err != nil {
		return err
	}
	if lost := w.see(all); lost != nil {
		end(lost)
	}
	return nil
}

// see returns an error if one of them is about to be lost.
func (w *followers) see(all []postgres.Follower) error {
	if w.first == nil {
		w.first, w.left = map[string]int64{}, map[string]int64{}
	}
	for _, f := range all {
		if f.Left == nil {
			continue
		}
		left := *f.Left
		if _, known := w.first[f.Name]; !known {
			w.first[f.Name], w.left[f.Name] = left, left
		}
		used := max(0, w.left[f.Name]-left)
		w.left[f.Name] = left
		if left < max(leastAhead+looksToEnd*used, w.first[f.Name]/2) {
			return fmt.Errorf("%s would be lost after another %d MB of WAL (%s), so the loads were stopped; %s", f.Name,
				left/1e6, f.Limit, f.Remedy())
		}
	}
	return nil
}

// awaitFollowers waits until a checkpoint removes no WAL that a standby has yet to read.
func (m *measurement) awaitFollowers(ctx context.Context) error {
	for began := time.Now(); ; {
		all, err := postgres.Followers(ctx, m.session.Control, postgres.AtCheckpoint)
		if err != nil || len(all) == 0 || all[0].Left == nil || *all[0].Left >= -walSegment {
			return err
		}
		if time.Since(began) > followWithin {
			return fmt.Errorf("%s did not read the load's WAL within %s, and a checkpoint would remove it; %s",
				all[0].Name, printable.About(followWithin), all[0].Remedy())
		}
		if err := experiment.Wait(ctx, followLook); err != nil {
			return err
		}
	}
}
