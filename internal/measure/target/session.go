package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/stopping"
)

// Session is our session for arrangements, with the server's facts and our schema.
type Session struct {
	Control *pgx.Conn
	Facts   postgres.Facts

	// LeftBehind warns that a schema remains on a server that was lost, since another one answers in its place;
	// empty: none does.
	LeftBehind string

	target *Target
	schema *postgres.Schema // nil: none was claimed
}

// Session asks the server what it is, and then AWS what that is to it.
func (t *Target) Session(ctx context.Context) (*Session, error) {
	s, err := t.connect(ctx)
	if err != nil {
		return s, errors.Join(err, t.AWS.silence(ctx, t.options.AWS))
	}
	t.AWS.ask(ctx, t.options.AWS, s.Facts)
	return s, nil
}

func (t *Target) connect(ctx context.Context) (*Session, error) {
	control, err := t.Endpoint.Connect(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := postgres.Inspect(ctx, control)
	if err != nil {
		return nil, errors.Join(err, control.Close(context.WithoutCancel(ctx)))
	}
	return &Session{Control: control, Facts: facts, target: t}, nil
}

// Close ends the session; its schema is released by then.
func (s *Session) Close(ctx context.Context) {
	_ = s.Control.Close(context.WithoutCancel(ctx)) // nothing was written over it that would be lost
}

// Claim makes the schema empty and ours, until Release.
func (s *Session) Claim(ctx context.Context) (err error) {
	s.schema, err = s.Facts.ClaimSchema(ctx, s.Control)
	return err
}

// errNoWriter is a server that answers and takes no writes: the old one, or the new one before its time.
var errNoWriter = errors.New("the server takes no writes")

// Reclaim gets a session and the schema back after the session was lost. It fails where the server takes no writes yet,
// or another run has the schema by now; then the session is as it was.
func (s *Session) Reclaim(ctx context.Context) error {
	again, err := s.again(ctx)
	if err != nil {
		return err
	}
	return s.become(ctx, again)
}

// again opens a session to a server that takes writes, and looks whether the schema is there.
func (s *Session) again(ctx context.Context) (*Session, error) {
	again, err := s.target.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err = errNoWriter; !again.Facts.Standby && !again.Facts.ReadOnly {
		again.LeftBehind, err = s.leftBehind(ctx, again)
	}
	if err != nil {
		again.Close(ctx)
		return nil, err
	}
	return again, nil
}

func (s *Session) leftBehind(ctx context.Context, again *Session) (string, error) {
	why, err := s.schema.LeftBehind(ctx, again.Control, again.Facts)
	if err != nil || why == "" {
		return s.LeftBehind, err
	}
	return fmt.Sprintf("the schema %s is left behind: it stays on the server that was lost, because %s; the next "+
		"run there drops it", postgres.SchemaName, why), nil
}

// become claims the schema in a session and has it take the place of this one.
func (s *Session) become(ctx context.Context, again *Session) error {
	if err := again.Claim(ctx); err != nil {
		again.Close(ctx)
		return err
	}
	*s = *again
	return nil
}

const (
	// releaseWithin bounds the drop of what may be many gigabytes.
	releaseWithin = time.Minute
	// backWithin is the longest wait for a server that restarts, or recovers from a crash, so that our schema can
	// be dropped.
	backWithin = 15 * time.Second
	// aliveWithin is the longest wait for a session's answer before another one is tried.
	aliveWithin = 5 * time.Second
)

// Release drops the schema, over a new session where the old one is gone, unless it goes with the server or is to be
// kept.
func (s *Session) Release(ctx context.Context) error {
	if s.target.Own() || s.target.options.Embedded.Keep {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	defer stopping.For(ctx, "the server to drop the schema "+postgres.SchemaName, releaseWithin)()
	err := s.release(ctx)
	for begun := time.Now(); err != nil && s.Control.IsClosed() &&
		time.Since(begun) < backWithin; err = s.release(ctx) {
		time.Sleep(time.Second)
	}
	return err
}

func (s *Session) release(ctx context.Context) error {
	if !s.alive(ctx) {
		again, err := s.again(ctx)
		if err == nil && again.LeftBehind != s.LeftBehind { // nothing is made there only to be dropped
			again.Close(ctx)
			return errors.New(again.LeftBehind)
		}
		if err == nil {
			err = s.become(ctx, again)
		}
		if err != nil {
			return fmt.Errorf("the schema %s is left behind, and the next run drops it: %w", postgres.SchemaName, err)
		}
	}
	return s.schema.Release(ctx)
}

// alive reports whether the session answers; one that does not is closed.
func (s *Session) alive(ctx context.Context) bool {
	if s.Control.IsClosed() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, aliveWithin)
	defer cancel()
	return s.Control.Ping(ctx) == nil
}
