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

// errPlain keeps a token from being sent where anybody can read it.
var errPlain = errors.New("a token is not sent over a connection without TLS: leave out sslmode, or say verify-full")

// SetPassword makes every connection ask for a password of its own, for those that last only minutes. They are sent
// over TLS only.
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

// PasswordSource returns what was given to SetPassword; nil where one password is for all connections.
func (e *Endpoint) PasswordSource() func(context.Context) (string, error) { return e.ask }
