package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// claim is the session that arranges things, what the server says of itself in it, and the schema that is ours.
type claim struct {
	control *pgx.Conn
	facts   postgres.Facts
	schema  *postgres.Schema
}

// errNoWriter is a server that answers and takes no writes: the old one, or the new one before its time.
var errNoWriter = errors.New("the server takes no writes")

// claim gets the schema back after its session was lost; it fails where another run has taken it since.
func (t *target) claim(ctx context.Context) (claim, error) {
	control, err := t.endpoint.Connect(ctx)
	if err != nil {
		return claim{}, err
	}
	facts, err := postgres.Inspect(ctx, control)
	if err == nil && (facts.Standby || facts.ReadOnly) {
		err = errNoWriter
	}
	var schema *postgres.Schema
	if err == nil {
		schema, err = facts.ClaimSchema(ctx, control)
	}
	if err != nil {
		return claim{}, errors.Join(err, control.Close(context.WithoutCancel(ctx)))
	}
	return claim{control: control, facts: facts, schema: schema}, nil
}

// releaseWithin bounds the drop of what may be many gigabytes.
const releaseWithin = time.Minute

// release drops the schema, over a new session where the old one is gone, unless it is to be kept.
func (m *measurement) release(ctx context.Context) error {
	if m.target.started != nil || m.options.target.embedded.keep {
		return nil // goes with the server, or stays
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	if m.held.control.IsClosed() {
		again, err := m.target.claim(ctx)
		if err != nil {
			return fmt.Errorf("the schema %s is left behind, and the next run drops it: %w", postgres.SchemaName, err)
		}
		m.held = again
	}
	return m.held.schema.Release(ctx)
}
