package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// noPassword refuses each way of signing in that takes a password, before anything is sent.
const noPassword = "!password,!md5,!scram-sha-256"

// NeedsPassword reports whether the server asks for a password and none is known. It opens a session to find out, and
// the server counts no failed attempt.
func (e *Endpoint) NeedsPassword(ctx context.Context) (bool, error) {
	if e.config.Password != "" || e.config.AfterNetConnect != nil { // each connection finds a password of its own
		return false, nil
	}
	for {
		config := e.Config()
		config.RequireAuth = noPassword
		conn, err := pgx.ConnectConfig(ctx, config)
		switch {
		case err == nil:
			_ = conn.Close(ctx)
			return false, nil
		case strings.Contains(err.Error(), noPassword):
			return true, nil
		case !e.refusedByPooler(err) && !e.pins.refuse(err):
			return false, fmt.Errorf("connect to %s: %w", e, cmp.Or(distrust(err, e.config.Host), reasonOf(err)))
		}
	}
}

// UsePassword signs in with a typed password. It is called before the first session.
func (e *Endpoint) UsePassword(password string) { e.config.Password = password }
