package experiment_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// taken is a trial whose sessions the server terminates during the first load.
func taken(t *testing.T) *trial {
	t.Helper()
	r := newTrial(t, runfile.Load{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 1000, Clients: 2})
	boss, ended := servertest.Connect(t, r.endpoint), false
	r.Tell = func(string) {}
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if e, is := line.(runfile.LoadEvent); is && e.Event == runfile.Begin && !ended {
			ended = true
			servertest.Exec(t, boss, `select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and pid <> pg_backend_pid()`)
		}
		return record(line)
	}
	return r
}

func TestLostServerIsRecovered(t *testing.T) {
	r := taken(t)
	r.Recover = func(ctx context.Context, failed error) (*pgx.Conn, error) {
		r.note("recover")
		conn := servertest.Connect(t, r.endpoint)
		_, err := (postgres.Facts{}).ClaimSchema(ctx, conn)
		return conn, err
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(slices.Clone(r.diary), func(what string) bool {
		return what != "recover" && !strings.HasPrefix(what, "bulk") || strings.HasSuffix(what, "settle")
	})
	want := []string{"bulk 1 begin", "bulk 1 end failed", "recover", "bulk 3 begin", "bulk 3 end", "bulk 2 begin",
		"bulk 2 end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLostServerIsRecoveredBeforeTheFirstLoad: the loss of a server during the rest shows
// when the warm-up cannot connect.
func TestLostServerIsRecoveredBeforeTheFirstLoad(t *testing.T) {
	r := newTrial(t, runfile.Load{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 1000, Clients: 2})
	r.Plan.RestSeconds = 0.01
	r.Tell = func(said string) {
		if strings.HasPrefix(said, "Resting") {
			r.conn.Close(t.Context())
		}
	}
	r.Recover = func(ctx context.Context, failed error) (*pgx.Conn, error) {
		r.note("recover")
		return servertest.Connect(t, r.endpoint), nil
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	recovered, began := slices.Index(r.diary, "recover"), slices.Index(r.diary, "bulk 1 begin")
	if recovered < 0 || recovered > began || slices.Contains(r.diary[recovered+1:], "recover") {
		t.Errorf("it was recovered at %d, and the first load began at %d: %v", recovered, began, r.diary)
	}
}

func TestLostServerMayStayLost(t *testing.T) {
	r, gone := taken(t), errors.New("gone for good")
	r.Recover = func(context.Context, error) (*pgx.Conn, error) { return nil, gone }
	if err := r.Run(t.Context()); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}
