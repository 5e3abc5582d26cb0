//go:build unix

package experiment_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// proofs runs the experiment and returns the proof of each repetition. It calls at after each.
func (r *trial) proofs(t *testing.T, ctx context.Context, at func()) ([]runfile.Proof, error) {
	t.Helper()
	var all []runfile.Proof
	record := r.Record
	r.Record = func(line runfile.Record) error {
		switch line := line.(type) {
		case runfile.Proof:
			all = append(all, line)
		case runfile.LoadEvent:
			if line.Event == runfile.End && at != nil {
				at()
			}
		}
		return record(line)
	}
	err := r.Run(ctx)
	return all, err
}

// On every version, the server has counted all confirmed rows when a load ends, and the table holds them.
func TestRowsAreCountedWhenALoadEnds(t *testing.T) {
	for _, version := range servertest.Versions() {
		t.Run(version, func(t *testing.T) {
			r := newTrialOn(t, version, bulk)
			r.Plan.Repetitions = 1
			counted := int64(0)
			proofs, err := r.proofs(t, t.Context(), func() {
				other := servertest.Connect(t, r.endpoint)
				counted = servertest.Value[int64](t, other,
					"select coalesce(sum(n_tup_ins), 0)::bigint from pg_stat_user_tables where schemaname = 'realiops'")
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(proofs) != 1 || proofs[0].Load != "bulk" || proofs[0].Rows != r.rows["bulk"] ||
				proofs[0].Missing != "" {
				t.Errorf("proofs %+v of %d rows", proofs, r.rows["bulk"])
			}
			if counted != r.rows["bulk"] {
				t.Errorf("the server has counted %d of %d rows", counted, r.rows["bulk"])
			}
		})
	}
}

// A pooler's sessions outlive the clients and report their last counts ten seconds later,
// or never up to PostgreSQL 14.
func TestRowsAreCountedBehindAPooler(t *testing.T) {
	for _, version := range servertest.Matrix("17", "13", "15", "18") {
		for _, mode := range []string{"session", "transaction"} {
			t.Run(version+" "+mode, func(t *testing.T) {
				copies := runfile.Load{Name: "copies", Method: load.Copy, RowsPerTx: 10, Clients: 4}
				r := newTrialOn(t, version, copies)
				r.Plan.Repetitions = 1
				r.Connect, r.Pooled = servertest.Pooler(t, r.endpoint, mode).ConnectClient, true
				r.WaitForCounters = func(ctx context.Context) error { return experiment.Wait(ctx, time.Second) } // for the collector
				counted := int64(0)
				_, err := r.proofs(t, t.Context(), func() {
					other := servertest.Connect(t, r.endpoint)
					counted = servertest.Value[int64](t, other,
						"select coalesce(sum(n_tup_ins), 0)::bigint from pg_stat_user_tables where schemaname = 'realiops'")
				})
				if err != nil || r.rows["copies"] == 0 || counted != r.rows["copies"] {
					t.Errorf("the server has counted %d of %d rows: %v", counted, r.rows["copies"], err)
				}
			})
		}
	}
}

func TestProofNamesMissingRows(t *testing.T) {
	r := newTrial(t, bulk)
	r.Plan.Repetitions = 1
	other := servertest.Connect(t, r.endpoint)
	proofs, err := r.proofs(t, t.Context(), func() {
		servertest.Exec(t, other, "delete from realiops.bulk where id = 7")
	})
	if err != nil || len(proofs) != 1 || proofs[0].Rows != r.rows["bulk"]-1 {
		t.Errorf("one of %d rows was deleted: %+v, %v", r.rows["bulk"], proofs, err)
	}
}

// lock blocks all reads of the load's table until the proof is recorded.
func (r *trial) lock(t *testing.T) {
	other := servertest.Connect(t, r.endpoint)
	servertest.Exec(t, other, "begin; lock table realiops.bulk in access exclusive mode")
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if _, ok := line.(runfile.Proof); ok {
			servertest.Exec(t, other, "rollback")
		}
		return record(line)
	}
}

func TestAProofThatTakesTooLongIsGivenUp(t *testing.T) {
	r := newTrial(t, bulk)
	r.Plan.Repetitions = 1
	proofs, err := r.proofs(t, t.Context(), func() { r.lock(t) })
	if err != nil || len(proofs) != 1 || proofs[0].Missing != "count(*) took longer than 2 s" {
		t.Errorf("%+v, %v", proofs, err)
	}
}

func TestAnInterruptEndsTheProof(t *testing.T) {
	r := newTrial(t, bulk)
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	watcher := servertest.Connect(t, r.endpoint)
	var watching sync.WaitGroup
	proofs, err := r.proofs(t, ctx, func() {
		r.lock(t)
		watching.Go(func() {
			awaitWaiting(t, watcher)
			stop(enough)
		})
	})
	watching.Wait()
	if !errors.Is(err, enough) || len(proofs) != 1 ||
		!strings.Contains(proofs[0].Missing, "canceling statement due to user request") {
		t.Errorf("%+v, %v", proofs, err)
	}
	if tables := servertest.Value[int](t, r.conn,
		"select count(*) from pg_tables where schemaname = 'realiops'"); tables != 0 {
		t.Errorf("%d tables are left", tables)
	}
}

// awaitWaiting waits until a session in the database waits for a lock.
func awaitWaiting(t *testing.T, watcher *pgx.Conn) {
	const waiting = "select exists (select from pg_stat_activity where datname = current_database() and " +
		"wait_event_type = 'Lock')"
	for found := false; !found && !t.Failed(); time.Sleep(10 * time.Millisecond) {
		if err := watcher.QueryRow(t.Context(), waiting).Scan(&found); err != nil {
			t.Error(err)
		}
	}
}
