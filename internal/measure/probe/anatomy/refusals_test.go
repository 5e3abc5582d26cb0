package anatomy

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// expectGap compares an error with the expected gap and remedy.
func expectGap(t *testing.T, err error, want runfile.Gap, remedy string) {
	t.Helper()
	if _, known := errors.AsType[*probe.Error](err); !known {
		t.Fatalf("no gap: %v", err)
	}
	got := probe.GapOf(err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got.Metric = Name + "/records"
	if diff := cmp.Diff(remedy, Remedy(got).Text); diff != "" {
		t.Errorf("remedy: -want +got:\n%s", diff)
	}
}

const grants = "a superuser may: create extension pg_walinspect; grant pg_read_server_files to the user of " +
	"this connection;"

func TestVersionsThatCannotReadTheirLog(t *testing.T) {
	for version, number := range map[string]string{"13": "13.23", "14": "14.24"} {
		_, err := New(t.Context(), servertest.Database(t, version).Config(), "public")
		expectGap(t, err, runfile.Gap{
			Reason: runfile.Unsupported, Code: "0A000", Detail: "PostgreSQL " + number +
				" cannot read its own WAL, since pg_walinspect came with 15",
		}, "")
	}
}

// A function of the extension that a non-superuser may replace is not called, nor one of the same
// name that is not the extension's.
func TestFunctionsThatOthersMayReplace(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, "create role replaces; create schema home; create extension pg_walinspect schema home; "+
		"alter function home.pg_get_wal_stats owner to replaces")
	t.Cleanup(func() {
		if _, err := boss.Exec(context.Background(), "drop owned by replaces; drop role replaces"); err != nil {
			t.Error(err)
		}
	})
	want := runfile.Gap{Reason: runfile.Unsupported, Code: "42883",
		Detail: `"home"."pg_get_wal_stats"(pg_catalog.pg_lsn, pg_catalog.pg_lsn, boolean) may have been replaced: it is not part of pg_walinspect, or its owner is not a superuser`}
	_, err := New(t.Context(), endpoint.Config(), "")
	expectGap(t, err, want, "")
	servertest.Exec(t, boss, "alter function home.pg_get_wal_stats owner to postgres; alter extension pg_walinspect "+
		"drop function home.pg_get_wal_stats")
	_, err = New(t.Context(), endpoint.Config(), "")
	expectGap(t, err, want, "")
	servertest.Exec(t, boss, "alter extension pg_walinspect add function home.pg_get_wal_stats")
	if _, err = New(t.Context(), endpoint.Config(), ""); err != nil {
		t.Error(err)
	}
}

// TestRights: from a role without rights to one that may read the WAL, and back.
func TestRights(t *testing.T) {
	for _, version := range []string{"15", "18"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for disks
			endpoint := servertest.Database(t, version)
			boss := servertest.Connect(t, endpoint)
			servertest.Exec(t, boss, "create role bare login password 'secret'; create schema home authorization bare")
			t.Cleanup(func() {
				if _, err := boss.Exec(context.Background(), "drop owned by bare; drop role bare"); err != nil {
					t.Error(err)
				}
			})
			bare := endpoint.Config()
			bare.User, bare.Password = "bare", "secret"
			_, err := New(t.Context(), bare, "")
			expectGap(t, err, runfile.Gap{
				Reason: runfile.Permission, Code: "42501",
				Detail: "pg_walinspect is not in this database, and this user may not create it",
			}, grants)
			_, err = New(t.Context(), bare, "home")
			expectGap(t, err, runfile.Gap{
				Reason: runfile.Permission, Code: "42501",
				Detail: "pg_walinspect is not in this database, and this user may not create it",
			}, grants)
			_, err = New(t.Context(), endpoint.Config(), "")
			expectGap(t, err, runfile.Gap{
				Reason: runfile.Absent, Code: "42704",
				Detail: "pg_walinspect is not in this database; a run creates it, and drops it at the end",
			}, "")

			servertest.Exec(t, boss, "create extension pg_walinspect")
			_, err = New(t.Context(), bare, "home")
			expectGap(t, err, runfile.Gap{
				Reason: runfile.Permission, Code: "42501",
				Detail: "this user may not execute pg_get_wal_record_info of pg_walinspect",
			}, grants)

			servertest.Exec(t, boss, "grant pg_read_server_files to bare; create table t (x int)")
			s, err := New(t.Context(), bare, "home")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			before := settled(t, s)
			servertest.Exec(t, boss, "insert into t select generate_series(1, 1000)")
			if g := grown(before, settled(t, s)); g["heap_insert_records"] != 1000 {
				t.Errorf("counted %v", g)
			}

			servertest.Exec(t, boss, "revoke pg_read_server_files from bare; insert into t values (1)")
			_, err = s.Sample(t.Context())
			expectGap(t, err, runfile.Gap{
				Reason: runfile.Permission, Code: "42501", Detail: "permission denied for function pg_get_wal_stats",
			}, grants)
			if _, again := s.Sample(t.Context()); again == nil || again.Error() != err.Error() {
				t.Errorf("asked again: %v", again)
			}
			if err := errors.Join(s.ReadWAL(t.Context()), s.WaitForCounters(t.Context())); err != nil {
				t.Errorf("what cannot be read stops the experiment: %v", err)
			}
		})
	}
}

// TestSessionLost: the sampler reconnects, and has missed nothing.
func TestSessionLost(t *testing.T) {
	d := databaseOf(t, "17")
	servertest.Exec(t, d.boss, "create table t (x int)")
	s := d.sampler(t)
	before := settled(t, s)
	servertest.Exec(t, d.boss, `insert into t select generate_series(1, 1000);
		select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'realiops' and pid <> pg_backend_pid()
		and datname = current_database()`)
	if _, err := s.Sample(t.Context()); err == nil {
		t.Error("a reading without a session")
	}
	if g := grown(before, settled(t, s)); g["heap_insert_records"] != 1000 || g["covered_bytes"] != g["wal_bytes"] {
		t.Errorf("counted %v", g)
	}
}

// TestLogRecycled: when the server recycles unread WAL, the sampler says so and goes on.
func TestLogRecycled(t *testing.T) {
	for _, version := range []string{"15", "18"} { // they say it differently
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for disks
			d := databaseOf(t, version)
			servertest.Exec(t, d.boss, "create table t (x int)")
			s := d.sampler(t)
			before := settled(t, s)
			d.recycle(t)
			s.course.looked, s.course.speed = time.Time{}, 1e12 // so that it reads from where it was
			_, err := s.Sample(t.Context())
			if err == nil {
				t.Fatal("it has read what is gone")
			}
			if gap := probe.GapOf(err); gap.Reason != runfile.Late ||
				!slices.Contains([]string{undefinedFile, internalError}, gap.Code) {
				t.Errorf("a reading of what is gone: %v (%+v)", err, gap)
			}
			servertest.Exec(t, d.boss, "insert into t select generate_series(1, 1000)")
			g := grown(before, settled(t, s))
			if g["heap_insert_records"] != 1000 || g["wal_bytes"] <= g["covered_bytes"] {
				t.Errorf("after that it counted %v", g)
			}

			before = settled(t, s)
			d.recycle(t)
			if err := s.ReadWAL(t.Context()); err != nil {
				t.Error(err)
			}
			servertest.Exec(t, d.boss, "insert into t select generate_series(1, 1000)")
			g = grown(before, settled(t, s))
			if g["heap_insert_records"] != 1000 || g["wal_bytes"] <= g["covered_bytes"] {
				t.Errorf("after a look back at what is gone it counted %v", g)
			}
		})
	}
}

// recycle makes the server recycle the WAL before the last checkpoint.
func (d database) recycle(t *testing.T) {
	t.Helper()
	servertest.Exec(t, d.boss, "insert into t values (0)")
	servertest.Exec(t, d.boss, "select pg_switch_wal()")
	servertest.Exec(t, d.boss, "checkpoint")
}
