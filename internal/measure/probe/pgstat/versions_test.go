package pgstat

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// everythingOn holds settings that make a server show everything its version has.
var everythingOn = []string{
	"autovacuum=off", "shared_preload_libraries=pg_stat_statements", "track_io_timing=on", "archive_mode=on",
	"archive_command=true",
	"log_checkpoints=on", "track_wal_io_timing=on",
}

// completeServer returns a server that shows everything its version has.
func completeServer(t *testing.T, version string) server {
	t.Helper()
	settings := everythingOn
	if version == "13" {
		settings = settings[:len(settings)-1]
	}
	own := servertest.Start(t, embedded.Options{Version: version, Settings: settings})
	s := server{config: servertest.Endpoint(t, own.DSN()).Config(), directory: own.Target().Storage.Directory}
	s.boss = login(t, s.config)
	row(t, s.boss, "select current_setting('server_version_num')::int", &s.number)
	exec(t, s.boss, "create schema extensions; grant usage on schema extensions to public")
	exec(t, s.boss, "create extension pg_stat_statements schema extensions")
	return s
}

// A server that shows everything must agree with the fields, metric by metric.
func showsWhatIsSaid(t *testing.T, s server) {
	want := map[string]runfile.Reason{}
	for _, m := range Metrics() {
		if !metric.All().Row(m.Name).Versions.Has(s.number) {
			want[m.Name] = runfile.Unsupported
		}
	}
	check := func(what string, s server) {
		t.Helper()
		gaps := gapsOf(t, s.sampler(t))
		if diff := cmp.Diff(want, reasonsOf(gaps)); diff != "" {
			t.Errorf("gaps of %s (-want +got):\n%s", what, diff)
		}
		for metric, gap := range gaps {
			if Remedy(gap).Text == "" {
				t.Errorf("nothing is said of what to do about %s: %+v", metric, gap)
			}
		}
	}
	check("a superuser", s)

	bare := s.as(t, "bare")
	want["pgstat.progress/checkpoint"] = runfile.Permission
	check("a bare role", bare)

	exec(t, s.boss, "grant pg_monitor to bare")
	delete(want, "pgstat.progress/checkpoint")
	check("a member of pg_monitor", bare)

	exec(t, s.boss, "drop extension pg_stat_statements")
	for _, f := range append(statements().fields, evictions().fields...) {
		want["pgstat.statements/"+f.name] = runfile.Absent
	}
	check("a server without the extension", bare)
}

func reasonsOf(gaps map[string]runfile.Gap) map[string]runfile.Reason {
	reasons := map[string]runfile.Reason{}
	for metric, gap := range gaps {
		reasons[metric] = gap.Reason
	}
	return reasons
}

// An extension that was created but not preloaded refuses each query.
func TestAnExtensionThatIsNotLoadedIsDisabled(t *testing.T) {
	s := serverOf(t, "17")
	exec(t, s.boss, "create extension pg_stat_statements")
	gap := gapsOf(t, s.sampler(t))["pgstat.statements/wal_records"]
	want := runfile.Gap{
		Metric: "pgstat.statements/wal_records", Reason: runfile.Disabled, Code: "55000",
		Detail: `pg_stat_statements must be loaded via "shared_preload_libraries"`,
	}
	if diff := cmp.Diff(want, gap); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Remedy(gap).Text; got != "add pg_stat_statements to shared_preload_libraries and restart the server" {
		t.Errorf("remedy: %s", got)
	}
}

// Settings may change between readings, and the number of a counter that is off means nothing.
func TestWhatASettingSwitchesOffIsAGap(t *testing.T) {
	s := serverOf(t, "17")
	sampler := s.sampler(t)
	is := func(setting, metric string, on bool) {
		t.Helper()
		gap, missing := gapsOf(t, sampler)[metric]
		if missing == on {
			t.Errorf("%s: missing is %v with %s: %+v", metric, missing, setting, gap)
		}
		if remedy := Remedy(gap).Text; missing && (gap.Reason != runfile.Disabled || remedy != "alter system set "+setting+
			" = on; select pg_reload_conf();") {
			t.Errorf("%+v, and what to do: %s", gap, remedy)
		}
	}
	reconnect := func(what string) {
		t.Helper()
		exec(t, s.boss, fmt.Sprintf("alter database %s %s", pgx.Identifier{s.config.Database}.Sanitize(), what))
		sampler.Close(t.Context())
	}
	is("track_io_timing", "pgstat.io/write_time", false)
	is("track_counts", "pgstat.tables/n_tup_ins", true)
	reconnect("set track_io_timing = on")
	is("track_io_timing", "pgstat.io/write_time", true)
	reconnect("set track_counts = off")
	is("track_counts", "pgstat.tables/n_tup_ins", false)
	is("track_counts", "pgstat.database/tup_inserted", false)
	is("track_counts", "pgstat.database/temp_files", false)
	is("track_counts", "pgstat.database/xact_commit", true)
	is("track_counts", "pgstat.tables/index_entries_most", false)
	if _, there := read(t, sampler)["pgstat.tables/tables"]; !there {
		t.Error("how many tables there are is not known without track_counts")
	}
	if moved := s.workWithoutCounts(t); len(moved) > 0 {
		t.Errorf("these are said to need track_counts, and move without it: %q", moved)
	}
	reconnect("set track_activities = off")
	is("track_activities", "pgstat.waits/running", false)
}

// workWithoutCounts does, with track_counts off, the work of each counter that should need the setting, and returns
// the counters that moved all the same.
func (s server) workWithoutCounts(t *testing.T) (moved []string) {
	t.Helper()
	counted := func() (n []float64) {
		t.Helper()
		row(t, s.boss,
			`select array[tup_inserted, tup_updated, tup_deleted, temp_files, temp_bytes, (select n_tup_ins + n_tup_upd +
			n_tup_del + seq_scan + vacuum_count from pg_stat_user_tables where relname = 'uncounted')]::float8[]
			from pg_stat_database where datname = current_database()`, &n)
		return n
	}
	s.work(t, "create table uncounted (v int)")
	before := counted()
	s.work(t, "set work_mem = '64kB'", "insert into uncounted select generate_series(1, 100000)",
		"update uncounted set v = 0 where v < 10", "delete from uncounted where v = 0",
		"create temporary table sorted as select v from uncounted order by random()", "vacuum uncounted")
	for i, now := range counted() {
		if now != before[i] {
			moved = append(moved, []string{"tup_inserted", "tup_updated", "tup_deleted", "temp_files", "temp_bytes",
				"n_tup and others"}[i])
		}
	}
	return moved
}
