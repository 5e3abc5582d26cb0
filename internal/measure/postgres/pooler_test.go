//go:build unix

package postgres_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestPoolerIsSeen(t *testing.T) {
	for _, mode := range []string{"session", "transaction", "statement"} {
		t.Run(mode, func(t *testing.T) {
			pooled := servertest.Pooler(t, servertest.Database(t, "17"), mode)
			conn := servertest.Connect(t, pooled)
			facts, err := postgres.Inspect(t.Context(), conn)
			if err != nil || !facts.Pooler {
				t.Fatalf("through a pooler: %+v, %v", facts, err)
			}
			refusal, err := pooled.RefuseTransactions(t.Context())
			if mode == "statement" { // it allows no transactions, so no schema either
				_, refused := facts.ClaimSchema(t.Context(), servertest.Connect(t, pooled))
				for _, said := range []error{refusal, refused} {
					if said == nil || !strings.Contains(said.Error(), "set pool_mode=transaction") {
						t.Errorf("%v, %v: want what to do about it", said, err)
					}
				}
				return
			}
			if refusal != nil || err != nil {
				t.Errorf("%v, %v", refusal, err)
			}
			for range 2 { // nothing of the first may block the second
				schema, err := facts.ClaimSchema(t.Context(), servertest.Connect(t, pooled))
				if err != nil {
					t.Fatal(err)
				}
				if err := schema.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if locks := servertest.Value[int](t, conn,
				"select count(*) from pg_locks where locktype = 'advisory'"); locks != 0 {
				t.Errorf("%d locks are left with the pooler's sessions", locks)
			}
		})
	}
}
