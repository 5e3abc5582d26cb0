package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// LookUp replaces the DNS in finding the endpoint's host.
func (e *Endpoint) LookUp(find func(ctx context.Context, host string) ([]string, error)) {
	e.config.LookupFunc = find
}

// AnswerWithin shortens the time to wait for an answer.
func AnswerWithin(conn *pgx.Conn, d time.Duration) { boundedOf(conn.PgConn().Conn()).within = d }
