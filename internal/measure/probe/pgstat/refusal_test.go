package pgstat

import (
	"context"
	"errors"
	"maps"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/probetest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// as returns the server for another role.
func (s server) as(t *testing.T, role string) server {
	t.Helper()
	exec(t, s.boss, "drop role if exists "+role)
	exec(t, s.boss, "create role "+role+" login password 'secret'")
	s.config = s.config.Copy()
	s.config.User, s.config.Password = role, "secret"
	return s
}

// checkRefused expects gaps for exactly these metrics, apart from those that the version lacks or the tests' servers
// have off, and values for all others.
func checkRefused(t *testing.T, sampler *Sampler, want map[string]runfile.Gap) {
	t.Helper()
	sample, err := sampler.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, defect := range probetest.Completeness(sampler.Metrics(), sample) {
		t.Error(defect)
	}
	got := map[string]runfile.Gap{}
	for _, gap := range sample.Gaps {
		if !lacking(gap) {
			name := gap.Metric
			gap.Metric = ""
			got[name] = gap
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

func lacking(gap runfile.Gap) bool {
	return strings.HasPrefix(gap.Detail, "PostgreSQL ") || strings.HasSuffix(gap.Detail, " does not have it") ||
		gap.Reason == runfile.Disabled && strings.HasSuffix(gap.Metric, "_time") || gap.Reason == runfile.Absent
}

// inView returns the same gap for each metric of a view.
func inView(view view, gap runfile.Gap, except ...string) map[string]runfile.Gap {
	gaps := map[string]runfile.Gap{}
	for _, f := range view.fields {
		gaps[view.metric(f).Name] = gap
	}
	for _, name := range except {
		delete(gaps, view.name+"/"+name)
	}
	return gaps
}

func TestABareRoleReadsEverything(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		checkRefused(t, s.as(t, "bare").sampler(t), seesNoSessions())
	})
}

// seesNoSessions returns the gaps of a role without any privilege.
func seesNoSessions() map[string]runfile.Gap {
	return map[string]runfile.Gap{"pgstat.progress/checkpoint": {Reason: hidden.reason, Detail: hidden.detail}}
}

func TestAMissingPrivilegeIsAGapOfThatViewOnly(t *testing.T) {
	s := serverOf(t, "17")
	exec(t, s.boss, "revoke select on pg_catalog.pg_stat_wal from public")
	exec(t, s.boss, "revoke execute on function pg_catalog.pg_current_wal_insert_lsn() from public")
	bare := s.as(t, "bare")
	sampler := bare.sampler(t)
	want := inView(wal(), runfile.Gap{Reason: runfile.Permission, Code: "42501",
		Detail: "permission denied for view pg_stat_wal"}, "wal_fpi_bytes")
	maps.Copy(want, seesNoSessions())
	want["pgstat.lsn/insert"] = runfile.Gap{Reason: runfile.Permission, Code: "42501",
		Detail: "permission denied for function pg_current_wal_insert_lsn"}
	checkRefused(t, sampler, want)

	// It is not read again in this session, but in the next.
	exec(t, s.boss, "grant select on pg_catalog.pg_stat_wal to public")
	exec(t, s.boss, "grant execute on function pg_catalog.pg_current_wal_insert_lsn() to public")
	checkRefused(t, sampler, want)
	sampler.Close(t.Context())
	checkRefused(t, sampler, seesNoSessions())

	// A privilege may be revoked between readings.
	exec(t, s.boss, "revoke select on pg_catalog.pg_stat_bgwriter from public")
	want = inView(bgwriter(),
		runfile.Gap{Reason: runfile.Permission, Code: "42501", Detail: "permission denied for view pg_stat_bgwriter"},
		"buffers_backend", "buffers_backend_fsync")
	maps.Copy(want, seesNoSessions())
	checkRefused(t, sampler, want)
}

// otherShape replaces a view of the server by another, in this database.
func (s server) otherShape(t *testing.T, view, definition string) {
	t.Helper()
	exec(t, s.boss, "set allow_system_table_mods = on")
	exec(t, s.boss, "drop view pg_catalog."+view)
	exec(t, s.boss, "create view pg_catalog."+view+" as "+definition)
	exec(t, s.boss, "grant select on pg_catalog."+view+" to public")
}

// TestAurora: a view that Aurora refuses is a gap with its words; all others are read,
// including the position in the WAL.
func TestAurora(t *testing.T) {
	s := serverOf(t, "17")
	s.config = servertest.Aurora(t, servertest.Endpoint(t, s.config.ConnString()), "db-1").Config()
	want := seesNoSessions()
	maps.Copy(want, inView(wal(), runfile.Gap{Reason: runfile.Unsupported, Code: "0A000",
		Detail: servertest.AuroraRefuses}, "wal_fpi_bytes"))
	sampler := s.sampler(t)
	checkRefused(t, sampler, want)
	values := read(t, sampler)
	if got, there := values["pgstat.aurora/storage_blks_read"]; !there || got > values["pgstat.database/blks_read"] {
		t.Errorf("%v pages came from storage, of %v (there: %t)", got, values["pgstat.database/blks_read"], there)
	}
	// The stand-in's rows, in seconds, summed over the slots, of this event alone; nothing has been read yet.
	for name, want := range map[string]float64{
		"aurora_cache/orcache_blks_written": 246522,
		"aurora_waits/xact_sync_waits":      187073, "aurora_waits/xact_sync_time": 597.864,
		"aurora_waits/data_file_read_waits": 0, "aurora_waits/data_file_read_time": 0,
		"aurora_wal_cache/blks_read": 28, "aurora_wal_cache/cache_hit": 25, "aurora_wal_cache/cache_miss": 3,
	} {
		if got, there := values["pgstat."+name]; !there || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v (there: %t), want %v", name, got, there, want)
		}
	}
	before := values["pgstat.lsn/insert"]
	exec(t, s.boss, "create table grows as select generate_series(1, 10000)")
	if after := read(t, sampler)["pgstat.lsn/insert"]; after-before < 10000*28 {
		t.Errorf("the WAL grew from %.0f to %.0f", before, after)
	}
}

// TestNotAurora: Aurora's own metrics are neither announced nor missed elsewhere.
func TestNotAurora(t *testing.T) {
	sampler := serverOf(t, "17").sampler(t)
	for _, m := range sampler.Metrics() {
		if strings.HasPrefix(m.Name, "pgstat.aurora") {
			t.Errorf("%s is announced", m.Name)
		}
	}
	for name := range gapsOf(t, sampler) {
		if strings.HasPrefix(name, "pgstat.aurora") {
			t.Errorf("%s is missed", name)
		}
	}
}

func TestAServerOfTheFutureIsReadByTheColumnsItHas(t *testing.T) {
	s := serverOf(t, "17")
	s.otherShape(t, "pg_stat_wal",
		`select 7::numeric wal_records, 8 wal_novelty, null::bigint wal_bytes, 1 wal_buffers_full,
		2 wal_write, 3 wal_sync, null::timestamptz stats_reset`)
	sampler := s.sampler(t)
	if v := read(t, sampler)["pgstat.wal/wal_records"]; v != 7 {
		t.Errorf("wal_records is %v, want 7", v)
	}
	gaps := gapsOf(t, sampler)
	if g := gaps["pgstat.wal/wal_fpi"]; g.Reason != runfile.Unsupported || g.Code != "42703" {
		t.Errorf("a column that is gone: %+v", g)
	}
	if g := gaps["pgstat.wal/wal_bytes"]; g.Reason != runfile.Unsupported || g.Detail != "the server's answer is NULL" {
		t.Errorf("NULL: %+v", g)
	}
}

func TestAViewBehindALockIsLateAndCostsTheOthersNothing(t *testing.T) {
	s := serverOf(t, "17")
	sampler := s.sampler(t)
	tx, err := s.boss.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background()) //nolint:errcheck // done by then, or nothing to do
	exec(t, s.boss, "set local allow_system_table_mods = on")
	exec(t, s.boss, "lock table pg_catalog.pg_stat_bgwriter in access exclusive mode")
	began := time.Now()
	checkRefused(t, sampler, inView(bgwriter(),
		runfile.Gap{Reason: runfile.Late, Code: "55P03", Detail: "canceling statement due to lock timeout"},
		"buffers_backend", "buffers_backend_fsync"))
	if took := time.Since(began); took > 10*time.Second { // the lock is held for longer
		t.Errorf("the sample took %v", took)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, sampler, map[string]runfile.Gap{})
}

func TestALostSessionIsOneErrorAndThenThereIsANewOne(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		sampler := s.sampler(t)
		for ended, left := 0, 1; left > 0; {
			row(t, s.boss, `select count(pg_terminate_backend(pid)), count(*) from pg_stat_activity
				where datname = current_database() and pid <> pg_backend_pid()`, &ended, &left)
		}
		if sample, err := sampler.Sample(t.Context()); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("sample of a session that was ended: %v, %v", sample, err)
		}
		checkRefused(t, sampler, map[string]runfile.Gap{})
	})
}

func TestAServerThatIsGoneIsOneLine(t *testing.T) {
	s := serverOf(t, "17")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := s.config.Copy()
	config.Host, config.Port, config.Fallbacks = "127.0.0.1", uint16(listener.Addr().(*net.TCPAddr).Port), nil
	listener.Close()
	_, err = New(t.Context(), config)
	if err == nil ||
		err.Error() != "read the server's statistics: no connection to the server: connect: connection refused" {
		t.Errorf("%v", err)
	}

	wrong := s.as(t, "nobody")
	exec(t, s.boss, "drop role nobody")
	_, err = New(t.Context(), wrong.config)
	if gap := probe.GapOf(err); !strings.HasPrefix(gap.Code, "28") || strings.Contains(gap.Detail, "secret") {
		t.Errorf("%+v", gap)
	}
}

// Behind a pooler each reading may reach another session, which has nothing prepared.
func TestASessionThatForgotItsStatements(t *testing.T) {
	s := serverOf(t, "17")
	sampler := s.sampler(t)
	if err := sampler.session.conn.DeallocateAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, sampler, map[string]runfile.Gap{})
}

func TestNothingIsLeftInTheSession(t *testing.T) {
	s := serverOf(t, "17")
	sampler := s.sampler(t)
	read(t, sampler)
	var statement, lock string
	row(t, sampler.session.conn, "select current_setting('statement_timeout'), current_setting('lock_timeout')",
		&statement, &lock)
	if statement != "0" || lock != "5s" { // as the session began
		t.Errorf("statement_timeout is %s and lock_timeout %s after a reading", statement, lock)
	}
}

// A session's counts are complete once it has ended. The checking session is in another database, to be left out.
func TestAReadingIsOneTransaction(t *testing.T) {
	s := serverOf(t, "18")
	s.boss.Close(t.Context())
	elsewhere := s.config.Copy()
	elsewhere.Database = "postgres"
	outside := login(t, elsewhere)
	commits := func(readings int) (n float64) {
		t.Helper()
		sampler, err := New(t.Context(), s.config, "load")
		if err != nil {
			t.Fatal(err)
		}
		for range readings {
			read(t, sampler)
		}
		sampler.Close(t.Context())
		for left := 1; left > 0; {
			row(t, outside, "select count(*) from pg_stat_activity where datname = '"+s.config.Database+"'", &left)
		}
		row(t, outside, "select xact_commit from pg_stat_database where datname = '"+s.config.Database+"'", &n)
		return n
	}
	first := commits(1)
	few := commits(1) - first
	if many := commits(101) - first - few; many-few != 100 {
		t.Errorf("100 more readings made %v more commits", many-few)
	}
}

// A lost connection is said once, with the reason if there is one.
func TestLossIsSaidOnce(t *testing.T) {
	const lost = "the connection to the server was lost"
	for err, want := range map[error]string{
		errors.New("conn closed"): lost,
		&net.OpError{Op: "read", Err: errors.New("connection reset by peer")}: lost + ": connection reset by peer",
	} {
		if said := asLoss(err); said.Error() != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
}
