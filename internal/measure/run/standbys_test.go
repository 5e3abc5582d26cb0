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

// When the standby that confirms commits is lost, the run says so and ends, long before its load would. It began with a
// word on that standby's queries.
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
	const why = "for a standby to confirm them (wait event SyncRep), and none of synchronous_standby_names " +
		"is connected"
	if err == nil || !recorded || !strings.Contains(err.Error(), why) {
		t.Fatalf("recorded %v, %v, told %q", recorded, err, r.show.messages)
	}
	if took := time.Since(<-lost); took > 25*time.Second {
		t.Errorf("the run ended %s after the standby", took)
	}
	if !strings.Contains(strings.Join(r.show.messages, "\n"), "; the run stops unless one confirms them within") {
		t.Errorf("told %q", r.show.messages)
	}
	if want := "A run may cancel long queries on the standby sb, which sends no hot_standby_feedback."; !slices.Contains(
		r.show.messages, want) {
		t.Errorf("%q is not in %q", want, r.show.messages)
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
		"Every row of a run is also sent to consumers of logical replication: the slot cdc " +
			"(test_decoding).",
		"The server retains all WAL of a run, which may fill its disk, because of " +
			"the unused replication slot cdc, the unused replication slot subscriber.",
	} {
		if !slices.Contains(r.show.messages, want) {
			t.Errorf("%q is not in %q", want, r.show.messages)
		}
	}
}

// A run costs no follower of the WAL its place: it does not begin where little is left, and ends before a slot that
// nobody reads is lost.
func TestFollowersAreKept(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"wal_level=logical",
		"max_slot_wal_keep_size=64MB", "max_wal_size=64MB", "min_wal_size=32MB"}})
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	servertest.Exec(t, boss, "select pg_create_physical_replication_slot('away', true)")
	r := newTrialOf(t, s.DSN(), runfile.Plan{Name: "test", Loads: []runfile.Load{bulk}, Repetitions: 3,
		LoadSeconds: 20, Seed: 1})
	recorded, err := run.Do(t.Context(), r.options)
	if recorded || err == nil || !strings.Contains(err.Error(), `the replication slot away is lost after another `) ||
		!strings.Contains(err.Error(), "(max_slot_wal_keep_size), but a run needs 268 MB; start its consumer, drop it if") {
		t.Fatalf("recorded %v, %v", recorded, err)
	}
	servertest.Exec(t, boss, "alter system set max_slot_wal_keep_size = '400MB'")
	servertest.Exec(t, boss, "select pg_reload_conf()")
	recorded, err = run.Do(t.Context(), r.options)
	if !recorded || err == nil || !strings.Contains(err.Error(), `slot away would be lost after another `) {
		t.Fatalf("recorded %v, %v", recorded, err)
	}
	if told := strings.Join(r.show.messages, "\n"); !strings.Contains(told, `Nothing reads the replication slot away, which `+
		"is lost after another 4") || strings.Contains(told, "retains all WAL") {
		t.Errorf("told %q", told)
	}
	if status := servertest.Value[string](t, boss, "select wal_status from pg_replication_slots"); status == "lost" ||
		status == "unreserved" {
		t.Errorf("the slot is %s", status)
	}
}
