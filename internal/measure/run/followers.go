package run

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
)

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
