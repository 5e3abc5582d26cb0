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

// Session is our control session, with the server's facts and our schema.
type Session struct {
	Control *pgx.Conn
	Facts   postgres.Facts

	// LeftBehind warns that a schema remains on a lost server, since another one answers in
	// its place; empty: none does.
	LeftBehind string

	target *Target
	schema *postgres.Schema // nil: none was claimed
}

// Session connects and asks the server, and then AWS, about it.
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

// Close ends the session. Its schema must have been released.
func (s *Session) Close(ctx context.Context) {
	_ = s.Control.Close(context.WithoutCancel(ctx)) // nothing unwritten is lost
}

// Claim creates our schema, ours until Release.
func (s *Session) Claim(ctx context.Context) (err error) {
	s.schema, err = s.Facts.ClaimSchema(ctx, s.Control)
	if err == nil && s.drops() {
		stopping.From(ctx).Leave("the schema " + postgres.SchemaName +
			" may stay on the server, and the next run drops it")
	}
	return err
}

// drops reports whether the schema is to be dropped: it is not kept, and the server stays.
func (s *Session) drops() bool { return !s.target.Own() && !s.target.options.Embedded.Keep }

// errNoWriter is a server that answers but takes no writes: the old primary, or the new one before its promotion.
var errNoWriter = errors.New("the server does not accept writes")

// Reclaim reopens a lost session and claims the schema again. If the server takes no writes yet, or another run has
// the schema, it fails and leaves the session unchanged.
func (s *Session) Reclaim(ctx context.Context) error {
	again, err := s.again(ctx)
	if err != nil {
		return err
	}
	return s.become(ctx, again)
}

// again opens a session to a server that takes writes, and checks whether the schema is there.
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
	return fmt.Sprintf("the schema %s is left behind on the lost server, because %s; the next run there drops it",
		postgres.SchemaName, why), nil
}

// become claims the schema in a new session, which then replaces this one.
func (s *Session) become(ctx context.Context, again *Session) error {
	if err := again.Claim(ctx); err != nil {
		again.Close(ctx)
		return err
	}
	*s = *again
	return nil
}

const (
	// releaseWithin bounds the drop, which may free many gigabytes.
	releaseWithin = time.Minute
	// backWithin bounds the wait for a server that restarts or recovers from a crash, so
	// that our schema can be dropped.
	backWithin = 15 * time.Second
	// aliveWithin bounds the wait for a session's answer before another session is tried.
	aliveWithin = 5 * time.Second
)

// Release drops the schema, in a new session if the old one is gone. It does nothing if the schema
// is kept or is removed with the server.
func (s *Session) Release(ctx context.Context) error {
	if !s.drops() {
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
	if err == nil {
		stopping.From(ctx).Leave("")
	}
	return err
}

func (s *Session) release(ctx context.Context) error {
	if !s.alive(ctx) {
		again, err := s.again(ctx)
		if err == nil && again.LeftBehind != s.LeftBehind { // do not create it only to drop it
			again.Close(ctx)
			return errors.New(again.LeftBehind)
		}
		if err == nil {
			err = s.become(ctx, again)
		}
		if err != nil {
			return fmt.Errorf("the schema %s is left behind until the next run: %w", postgres.SchemaName, err)
		}
	}
	return s.schema.Release(ctx)
}

// alive reports whether the session answers, and closes it if not.
func (s *Session) alive(ctx context.Context) bool {
	if s.Control.IsClosed() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, aliveWithin)
	defer cancel()
	return s.Control.Ping(ctx) == nil
}
