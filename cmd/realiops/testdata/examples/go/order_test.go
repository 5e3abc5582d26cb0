// Package order holds an order to what it may cost. The server is the one that DATABASE_URL names.
package order

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/realiopstest"
)

func TestPlaceOrder(t *testing.T) {
	db := realiopstest.Open(t, os.Getenv("DATABASE_URL"))
	got := db.Measure(t, func() {
		if err := placeOrder(t.Context(), db.DSN(), 7); err != nil {
			t.Fatal(err)
		}
	})
	got.AtMost(t, realiopstest.Rows(1), realiopstest.OwnWALRecords(3), realiopstest.WaitingCommits(1))
}

// placeOrder is the application. ORM_WRITES stands for an upgrade of what it is written with.
func placeOrder(ctx context.Context, dsn string, customer int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // what was written is committed
	writes := 1
	if upgraded, err := strconv.Atoi(os.Getenv("ORM_WRITES")); err == nil {
		writes = upgraded
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for range writes {
			if _, err := tx.Exec(ctx, "insert into orders (customer) values ($1)", customer); err != nil {
				return err
			}
		}
		return nil
	})
}
