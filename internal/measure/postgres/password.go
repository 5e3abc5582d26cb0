package postgres

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// noPassword refuses each authentication method with a password, before anything is sent.
const noPassword = "!password,!md5,!scram-sha-256"

// NeedsPassword reports whether the server asks for a password and none is known. It tries to open a session, and the
// server counts no failed attempt.
func (e *Endpoint) NeedsPassword(ctx context.Context) (bool, error) {
	if e.config.Password != "" || e.config.AfterNetConnect != nil { // each connection gets its own
		return false, nil
	}
	for {
		config := e.Config()
		config.RequireAuth = noPassword
		switch conn, err := pgx.ConnectConfig(ctx, config); {
		case err == nil:
			_ = conn.Close(ctx)
			return false, nil
		case strings.Contains(err.Error(), noPassword):
			return true, nil
		case !e.refusedByPooler(err) && !e.pins.refuse(err):
			return false, fmt.Errorf("connect to %s: %w", e, cmp.Or(distrust(err, e.config.Host), e.reasonOf(err)))
		}
	}
}

// UsePassword sets a typed password. Call it before the first session.
func (e *Endpoint) UsePassword(password string) { e.config.Password = password }

// errPlain prevents sending a token in clear text.
var errPlain = errors.New("tokens are only sent over TLS; leave out sslmode, or use verify-full")

// SetPassword makes every connection ask for its own password, because tokens last only
// minutes. They are sent over TLS only.
func (e *Endpoint) SetPassword(ask func(context.Context) (string, error)) {
	e.ask = ask
	e.config.AfterNetConnect = func(ctx context.Context, config *pgconn.Config, conn net.Conn) (net.Conn, error) {
		if _, encrypted := conn.(*tls.Conn); !encrypted {
			return conn, &unsigned{errPlain}
		}
		password, err := ask(ctx)
		if err != nil {
			return conn, &unsigned{err}
		}
		config.Password = password // of this connection: pgx works on a copy
		return conn, nil
	}
}

// PasswordSource returns the function given to SetPassword, or nil if all connections share a password.
func (e *Endpoint) PasswordSource() func(context.Context) (string, error) { return e.ask }
