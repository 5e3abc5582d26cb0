package run_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// When the standby that confirms commits is lost, the run says so and ends, long before its load would.
func TestAStandbyThatIsLost(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"synchronous_standby_names=sb"}})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	servertest.Standby(ctx, t, servertest.Endpoint(t, s.DSN()), "sb")
	r := newTrialOf(t, s.DSN(), runfile.Plan{Name: "test", Loads: []runfile.Load{single}, Repetitions: 1,
		LoadSeconds: 40, Seed: 1})
	lost := make(chan time.Time, 1)
	go func() {
		<-r.show.begun
		time.Sleep(time.Second)
		lost <- time.Now()
		leave()
	}()
	recorded, err := run.Do(t.Context(), r.options)
	const why = "for a standby to confirm them (wait event SyncRep), and none that synchronous_standby_names asks for " +
		"is attached"
	if err == nil || !recorded || !strings.Contains(err.Error(), why) {
		t.Fatalf("recorded %v, %v, told %q", recorded, err, r.show.messages)
	}
	if took := time.Since(<-lost); took > 25*time.Second {
		t.Errorf("the run ended %s after the standby", took)
	}
	if !strings.Contains(strings.Join(r.show.messages, "\n"), "; the run ends unless one does within") {
		t.Errorf("told %q", r.show.messages)
	}
	records := runfiletest.Records(t, r.options.Path)
	if end, is := records[len(records)-1].(runfile.Ended); !is || end.Status != runfile.Broken ||
		!strings.Contains(end.Cause, why) {
		t.Errorf("the file ends with %+v", records[len(records)-1])
	}
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	if left := servertest.Value[int](t, boss, "select count(*) from pg_stat_activity where wait_event = 'SyncRep'") +
		servertest.Value[int](t, boss, "select count(*) from pg_namespace where nspname = 'realiops'"); left != 0 {
		t.Errorf("%d sessions or schemas are left", left)
	}
}

// A run names the logical replication subscribers that receive its rows, and the slots that keep its WAL, before it
// begins. Publications decide what pgoutput sends.
func TestReplicationIsNamed(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"wal_level=logical"}})
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	servertest.Exec(t, boss, "select pg_create_logical_replication_slot('cdc', 'test_decoding')")
	servertest.Exec(t, boss, "select pg_create_logical_replication_slot('subscriber', 'pgoutput')")
	r := newTrial(t, s.DSN(), 1, single)
	r.ends(t)
	for _, want := range []string{
		"Every row that a run writes also goes to the readers of logical replication in this database: the slot cdc " +
			"(test_decoding).",
		"The server keeps all the WAL that a run writes, and its disk may fill up, because of " +
			"the unused replication slot cdc, the unused replication slot subscriber.",
	} {
		if !slices.Contains(r.show.messages, want) {
			t.Errorf("%q is not in %q", want, r.show.messages)
		}
	}
}
