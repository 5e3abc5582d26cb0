package experiment_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/server/servertest"
	"github.com/realiops/realiops/internal/runfile"
)

// proofs runs the experiment and gives the proof of each replicate; at is called when one has ended.
func (r *trial) proofs(t *testing.T, ctx context.Context, at func()) ([]runfile.Proof, error) {
	t.Helper()
	var all []runfile.Proof
	record := r.Record
	r.Record = func(line runfile.Record) error {
		switch line := line.(type) {
		case runfile.Proof:
			all = append(all, line)
		case runfile.ArmEvent:
			if line.Event == runfile.End && at != nil {
				at()
			}
		}
		return record(line)
	}
	err := r.Run(ctx)
	return all, err
}

// On every version, when an arm ends the server has counted what it confirmed, and the table holds it.
func TestRowsAreCountedWhenAnArmEnds(t *testing.T) {
	for _, version := range servertest.Versions() {
		t.Run(version, func(t *testing.T) {
			r := newTrialOn(t, version, bulk)
			r.Plan.Replicates = 1
			counted := int64(0)
			proofs, err := r.proofs(t, t.Context(), func() {
				other := servertest.Connect(t, r.endpoint)
				counted = servertest.Value[int64](t, other,
					"select coalesce(sum(n_tup_ins), 0)::bigint from pg_stat_user_tables where schemaname = 'realiops'")
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(proofs) != 1 || proofs[0].Arm != "bulk" || proofs[0].Rows != r.rows["bulk"] || proofs[0].Missing != "" {
				t.Errorf("proofs %+v of %d rows", proofs, r.rows["bulk"])
			}
			if counted != r.rows["bulk"] {
				t.Errorf("the server has counted %d of %d rows", counted, r.rows["bulk"])
			}
		})
	}
}

func TestAProofTellsWhatIsMissing(t *testing.T) {
	r := newTrial(t, bulk)
	r.Plan.Replicates = 1
	other := servertest.Connect(t, r.endpoint)
	proofs, err := r.proofs(t, t.Context(), func() { servertest.Exec(t, other, "delete from realiops.bulk where id = 7") })
	if err != nil || len(proofs) != 1 || proofs[0].Rows != r.rows["bulk"]-1 {
		t.Errorf("one of %d rows was deleted: %+v, %v", r.rows["bulk"], proofs, err)
	}
}

// lockFor keeps everybody from reading the arm's table for a while.
func (*trial) lockFor(t *testing.T, other *pgx.Conn, while time.Duration) {
	servertest.Exec(t, other, "begin; lock table realiops.bulk in access exclusive mode")
	var holding sync.WaitGroup
	holding.Go(func() {
		time.Sleep(while)
		_, _ = other.Exec(context.Background(), "rollback")
	})
	t.Cleanup(holding.Wait)
}

func TestAProofThatTakesTooLongIsGivenUp(t *testing.T) {
	r := newTrial(t, bulk)
	r.Plan.Replicates = 1
	other := servertest.Connect(t, r.endpoint)
	proofs, err := r.proofs(t, t.Context(), func() {
		r.lockFor(t, other, 2500*time.Millisecond)
	})
	if err != nil || len(proofs) != 1 || proofs[0].Missing != "count(*) took longer than 2s" {
		t.Errorf("%+v, %v", proofs, err)
	}
}

func TestAnInterruptEndsTheProof(t *testing.T) {
	r := newTrial(t, bulk)
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	other := servertest.Connect(t, r.endpoint)
	proofs, err := r.proofs(t, ctx, func() {
		r.lockFor(t, other, 600*time.Millisecond)
		time.AfterFunc(300*time.Millisecond, func() { stop(enough) })
	})
	if !errors.Is(err, enough) || len(proofs) != 1 || !strings.Contains(proofs[0].Missing, "canceling statement due to user request") {
		t.Errorf("%+v, %v", proofs, err)
	}
	if tables := servertest.Value[int](t, r.conn, "select count(*) from pg_tables where schemaname = 'realiops'"); tables != 0 {
		t.Errorf("%d tables are left", tables)
	}
}
