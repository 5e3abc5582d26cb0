package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// LookUp has the endpoint find its host elsewhere than in the DNS.
func (e *Endpoint) LookUp(find func(ctx context.Context, host string) ([]string, error)) {
	e.config.LookupFunc = find
}

// AnswerWithin has a session be given up sooner.
func AnswerWithin(conn *pgx.Conn, d time.Duration) { boundedOf(conn.PgConn().Conn()).within = d }
