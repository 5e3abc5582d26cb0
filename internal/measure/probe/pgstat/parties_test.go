package pgstat

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/test/servertest"
)

// The views are compared with other sources: the statements, other views, the server's files and its log. The columns
// of each version are compared with servers that show everything.
func TestTheViewsAgreeWithOthers(t *testing.T) {
	for _, version := range servertest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := completeServer(t, version)
			servertest.Exec(t, s.boss, `create schema load; create table load.t (id int primary key, v text);
				create table load.fetched as select id, 'fetched'::text v from generate_series(1, 1000) id; alter table load.fetched add primary key (id);
				analyze load.fetched`)
			allocated := s.allocated(t)
			t.Run("statements", func(t *testing.T) { statementsAgree(t, s) })
			t.Run("ranking", func(t *testing.T) { rankingAgrees(t, s); rankingOfReaders(t, s) })
			t.Run("indexes", func(t *testing.T) { indexesAgree(t, s) })
			t.Run("updates", func(t *testing.T) { updatesAgree(t, s) })
			t.Run("fetches", func(t *testing.T) { fetchesAgree(t, s) })
			t.Run("checkpoints", func(t *testing.T) { checkpointsAgree(t, s) })
			t.Run("archive", func(t *testing.T) { archiveAgrees(t, s) })
			t.Run("io", func(t *testing.T) { partsAddUp(t, s) })
			t.Run("buffers", func(t *testing.T) {
				for deadline := time.Now().Add(time.Minute); s.allocated(t) <= allocated; time.Sleep(lookEvery) {
					if time.Now().After(deadline) {
						t.Fatalf("%v buffers were given to blocks before all that, and no more since", allocated)
					}
				}
			})
			t.Run("versions", func(t *testing.T) { showsWhatIsSaid(t, s) })
		})
	}
}

// allocated is the background writer's counter, which it may report ten seconds late.
func (s server) allocated(t *testing.T) float64 {
	t.Helper()
	return read(t, s.sampler(t))["pgstat.bgwriter/buffers_alloc"]
}

func statementsAgree(t *testing.T, s server) {
	sampler := s.sampler(t)
	before := settled(t, sampler)
	s.work(t, "insert into load.t select g, 'statement' from generate_series(1, 1000) g",
		"update load.t set v = 'x' where id <= 10")
	after := settled(t, sampler)
	grew := func(name string) float64 { return after[Name+"."+name] - before[Name+"."+name] }
	if rows := grew("statements/rows"); rows < 1010 || rows > 1010+1000 { // with the rows of our readings
		t.Errorf("1010 rows were changed, and statements count %v", rows)
	}
	if records := grew("statements/wal_records"); records < 2000 || s.number >= 140000 &&
		records > grew("wal/wal_records") {
		t.Errorf("statements put %v records into the WAL, of %v", records, grew("wal/wal_records"))
	}
	if bytes := grew("statements/wal_bytes"); bytes < 2000*30 || bytes > grew("lsn/insert") {
		t.Errorf("statements put %v bytes into the WAL, of %v", bytes, grew("lsn/insert"))
	}
	if grew("statements/exec_time") <= 0 || grew("statements/exec_time") > 60 || grew("slru/blks_hit") <= 0 {
		t.Errorf("statements took %v s, and %v blocks were found in small caches", grew("statements/exec_time"),
			grew("slru/blks_hit"))
	}
}

func indexesAgree(t *testing.T, s server) {
	sampler := s.sampler(t)
	before := settled(t, sampler)
	s.work(t, "set enable_seqscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off; select v from "+
		"load.t where id <= 25")
	after := settled(t, sampler)
	want := map[string]float64{
		"indexes/idx_scan": 1, "indexes/idx_tup_read": 35, "indexes/idx_tup_fetch": 25, "tables/idx_scan": 1,
		"tables/seq_scan": 0,
	}
	got := growth(before, after, []string{"indexes/idx_scan", "indexes/idx_tup_read", "indexes/idx_tup_fetch",
		"tables/idx_scan", "tables/seq_scan"})
	// 10 of the 25 rows have an old version, to which the index may still point.
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 10)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got["indexes/idx_scan"] != 1 || got["indexes/idx_tup_fetch"] != 25 {
		t.Errorf("%v", got)
	}
	if a, b := after["pgstat.indexes_io/idx_blks_hit"], after["pgstat.tables_io/idx_blks_hit"]; a != b || a == 0 {
		t.Errorf("blocks of indexes: %v by the indexes, %v by their tables", a, b)
	}
}

// completion matches the server's log line about a completed checkpoint.
var completion = regexp.MustCompile(
	`checkpoint complete: (?:[a-z ]+: )?wrote (\d+) buffers \([^)]*\)(?:, wrote (\d+) SLRU buffers)?.*; write=([\d.]+) s, sync=([\d.]+) s`)

// log returns the server's log.
func (s server) log(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(filepath.Dir(s.directory), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func checkpointsAgree(t *testing.T, s server) {
	sampler := s.sampler(t)
	exec(t, s.boss, "checkpoint") // so that no earlier one is running
	before := settled(t, sampler)
	from := len(s.log(t))
	const many = 3
	for range many {
		exec(t, s.boss, "update load.t set v = v || 'y'")
		exec(t, s.boss, "checkpoint")
	}
	after := settled(t, sampler)
	log := s.log(t)[from:]
	told := completion.FindAllStringSubmatch(log, -1)
	if len(told) != many {
		t.Fatalf("the log tells of %d checkpoints:\n%s", len(told), log)
	}
	sum := func(group int) (total float64) {
		for _, line := range told {
			n, _ := strconv.ParseFloat(line[group], 64)
			total += n
		}
		return total
	}
	want := map[string]float64{
		"checkpointer/checkpoints_req": many, "checkpointer/checkpoints_timed": 0,
		"checkpointer/buffers_written": sum(1),
		"checkpointer/write_time":      sum(3), "checkpointer/sync_time": sum(4),
	}
	switch {
	case s.number >= 180000:
		want["checkpointer/checkpoints_done"], want["checkpointer/slru_written"] = many, sum(2)
	case s.number >= 140000: // WAL buffers include the SLRUs', a few in each checkpoint
		written := after["pgstat.checkpointer/buffers_written"] - before["pgstat.checkpointer/buffers_written"]
		if others := sum(1) - written; others >= 0 && others <= 3*many {
			want["checkpointer/buffers_written"] = written
		}
	}
	var names []string
	for name := range want {
		names = append(names, name)
	}
	// The log has milliseconds, as the counters have; each rounds separately.
	if diff := cmp.Diff(want, growth(before, after, names), cmpopts.EquateApprox(0, many*0.0021)); diff != "" {
		t.Errorf("counters and log (-log +counters):\n%s", diff)
	}
}

func archiveAgrees(t *testing.T, s server) {
	sampler := s.sampler(t)
	archived := func() float64 { return read(t, sampler)["pgstat.archiver/archived_count"] }
	before := archived()
	exec(t, s.boss, "insert into load.t values (-1)")
	exec(t, s.boss, "select pg_switch_wal()")
	for deadline := time.Now().Add(time.Minute); archived() != before+1; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("one file was archived, and %v are counted", archived()-before)
		}
	}
}

// partsAddUp: the parts by process add up to the reads, and a bulk-loaded table is as large as its extensions.
func partsAddUp(t *testing.T, s server) {
	if s.number < 160000 {
		return // there is no pg_stat_io
	}
	sampler := s.sampler(t)
	before := settled(t, sampler)
	s.work(t, "create table load.bulk as select generate_series(1, 100000) v",
		"create temporary table own as select generate_series(1, 100000)",
		"insert into load.t select g from generate_series(2000, 50000) g")
	exec(t, s.boss, "checkpoint")
	after := settled(t, sampler)
	for _, part := range []string{"reads", "read_bytes", "writes", "write_bytes", "extends", "extend_bytes", "fsyncs"} {
		sum := 0.0
		for _, process := range []string{"client", "bgwriter", "checkpointer", "autovacuum", "other"} {
			sum += after["pgstat.io/"+process+"_"+part]
		}
		if whole := after["pgstat.io/"+part]; sum != whole || whole == 0 && part != "reads" && part != "read_bytes" {
			t.Errorf("%s: the parts are %v and the whole %v", part, sum, whole)
		}
	}
	var size float64
	row(t, s.boss, "select pg_relation_size('load.bulk')::float8", &size)
	if grown := after["pgstat.io/bulkwrite_extend_bytes"] - before["pgstat.io/bulkwrite_extend_bytes"]; grown != size {
		t.Errorf("a table of %v bytes was made in bulk, and %v bytes were extended", size, grown)
	}
	if after["pgstat.io/temp_extend_bytes"] <= before["pgstat.io/temp_extend_bytes"] {
		t.Error("a temporary table grew nothing")
	}
	if after["pgstat.io/checkpointer_write_bytes"] <= before["pgstat.io/checkpointer_write_bytes"] {
		t.Error("a checkpoint wrote nothing")
	}
}

// onlookers are sessions that a test keeps busy until it ends.
type onlookers struct {
	server server
	ctx    context.Context
	ended  sync.WaitGroup
}

// start runs work in a new session and ignores its result.
func (o *onlookers) start(t *testing.T, settings map[string]string, work func(ctx context.Context, conn *pgx.Conn)) {
	t.Helper()
	config := o.server.config.Copy()
	config.RuntimeParams["application_name"] = "worker"
	maps.Copy(config.RuntimeParams, settings)
	conn := login(t, config)
	o.ended.Go(func() { work(o.ctx, conn) })
}

func executing(sql string) func(context.Context, *pgx.Conn) {
	return func(ctx context.Context, conn *pgx.Conn) { _, _ = conn.Exec(ctx, sql) }
}

// copying starts a COPY and sends nothing.
func copying(ctx context.Context, conn *pgx.Conn) {
	nothing, never := io.Pipe()
	defer context.AfterFunc(ctx, func() { never.Close() })()
	_, _ = conn.PgConn().CopyFrom(context.WithoutCancel(ctx), nothing, "copy load.copied from stdin")
}

// Activity that the test arranges must be visible.
func TestActivityIsSeen(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		servertest.Exec(t, s.boss,
			`create schema load; create table load.t (id int primary key, v int); create table load.copied (v int);
			create table load.large as select generate_series(1, 100000) v; delete from load.large`)
		sampler := s.sampler(t)
		ctx, cancel := context.WithCancel(t.Context())
		others := &onlookers{server: s, ctx: ctx}
		defer others.ended.Wait()
		defer cancel()
		exec(t, s.boss, "begin; lock table load.t in share mode")
		others.start(t, nil, func(ctx context.Context, _ *pgx.Conn) { <-ctx.Done() }) // idle
		others.start(t, nil, executing("select pg_sleep(60)"))
		others.start(t, nil, executing("insert into load.t values (1, 1)"))
		others.start(t, nil, copying)
		others.start(t, map[string]string{"vacuum_cost_delay": "100", "vacuum_cost_limit": "1"},
			executing("vacuum load.large"))
		others.start(t, nil, executing(s.slowCheckpoint()))
		want := map[string]float64{
			"waits/sessions": 6, "waits/idle": 1, "waits/lock": 1, "waits/client": 1, "waits/io": 0,
			"progress/vacuum": 1, "progress/checkpoint": 1, "progress/create_index": 0,
		}
		if s.number >= 140000 {
			want["progress/copy"] = 1
		}
		if diff := cmp.Diff(want, awaited(t, sampler, want)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		// A sleep; the vacuum and the checkpoint may count, too.
		if n := read(t, sampler)["pgstat.waits/timeout"]; n < 1 || n > 3 {
			t.Errorf("%v sessions sleep", n)
		}
	})
}

// slowCheckpoint returns a statement that begins a backup, whose checkpoint is slow.
func (s server) slowCheckpoint() string {
	if s.number < 150000 {
		return "select pg_start_backup('seen', false, false)"
	}
	return "select pg_backup_start('seen', false)"
}

// awaited reads until all values are as wanted, or for half a minute.
func awaited(t *testing.T, sampler *Sampler, want map[string]float64) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	for deadline := time.Now().Add(30 * time.Second); !cmp.Equal(want, got) &&
		time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		now := read(t, sampler)
		for name := range want {
			got[name] = now[Name+"."+name]
		}
	}
	return got
}

// Any client that asks to be a walsender becomes one.
func TestSendersAreSeen(t *testing.T) {
	s := serverOf(t, "17")
	sampler := s.sampler(t)
	if now := read(t, sampler); now["pgstat.replication/senders"] != 0 ||
		now["pgstat.replication/replay_lag_bytes"] != 0 {
		t.Errorf("senders, and nobody asked: %v", now)
	}
	standby := s.config.Copy()
	standby.RuntimeParams["replication"] = "true"
	login(t, standby)
	if now := read(t, sampler); now["pgstat.replication/senders"] != 1 || now["pgstat.replication/synchronous"] != 0 {
		t.Errorf("%v senders, %v synchronous", now["pgstat.replication/senders"], now["pgstat.replication/synchronous"])
	}
	gaps := gapsOf(t, s.as(t, "bare").sampler(t))
	if gap := gaps["pgstat.replication/replay_lag_bytes"]; gap.Reason != hidden.reason || Remedy(gap).Text != hidden.remedy {
		t.Errorf("a bare role: %+v", gap)
	}
}

func TestNoticeOfANewerServer(t *testing.T) {
	if got := notice(catalog{version: "19.0", number: 190000}, 5, 200); got != "" {
		t.Errorf("of a version that is known: %s", got)
	}
	got := notice(catalog{version: "20beta1", number: 200000}, 5, 200)
	if !strings.HasPrefix(got, "PostgreSQL 20beta1 is newer than 19, the newest that realiops supports; 5 of 200 metrics are missing") ||
		strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}
