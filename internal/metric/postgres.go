package metric

import (
	"cmp"
	"slices"
)

// Chapters of PostgreSQL's manual.
const (
	manual   = "https://www.postgresql.org/docs/current/"
	statsAt  = manual + "monitoring-stats.html#"
	activity = statsAt + "MONITORING-PG-STAT-ACTIVITY-VIEW"
)

// Names of PostgreSQL's metrics that the analysis uses.
const (
	StatWALRecords = "pgstat.wal/wal_records"
	InsertPosition = "pgstat.lsn/insert"
	CommitsOfAll   = "pgstat.cluster/xact_commit"
	SessionsWrote  = "pgstat.bgwriter/buffers_backend"
	BlocksRead     = "pgstat.database/blks_read"
)

// Settings and extensions without which some metrics are missing or meaningless.
const (
	TrackActivities  = "track_activities"
	TrackCounts      = "track_counts"
	TrackIOTiming    = "track_io_timing"
	TrackWALIOTiming = "track_wal_io_timing"
	StatStatements   = "pg_stat_statements"
)

// view completes the rows of a PostgreSQL view: its documentation, and the usual names of its columns.
func view(name, relation, source string, rows ...Metric) []Metric {
	for i, m := range rows {
		m.Name, m.Source = name+"/"+m.Name, source
		if !slices.ContainsFunc(m.spelled, func(s spelling) bool { return s.shown == Span{} }) {
			m = m.As(relation + "." + rows[i].Name)
		}
		rows[i] = m
	}
	return rows
}

func statsReset() Metric {
	return gauge("stats_reset", "seconds", "when the counters were last reset, since 1970; 0 is never")
}

// postgres returns the server's own counters, without pg_stat_io. If several rows make one quantity, the first is
// preferred.
func postgres() []Metric {
	return slices.Concat(wal(), positions(), checkpoints(), transactions(), aurora(), tables(),
		statements(), sessions())
}

// wal returns the counters of the WAL. Version 18 moved its writes and fsyncs to pg_stat_io.
func wal() []Metric {
	return view("pgstat.wal", "pg_stat_wal", statsAt+"MONITORING-PG-STAT-WAL-VIEW",
		counter("wal_records", "records", "WAL records").from(14).makes(WALRecords).matters().but(
			"about one per row and one per index entry"),
		counter("wal_fpi", "images", "full-page images in the WAL").from(14).makes(PageImages),
		counter("wal_bytes", "bytes", "bytes added to the WAL").from(14).counts(WALBytes),
		counter("wal_fpi_bytes", "bytes",
			"bytes of full-page images in the WAL, compressed if wal_compression is on").from(19).makes(
			PageImageBytes),
		counter("wal_buffers_full", "operations", "WAL writes because the WAL buffers were full").from(14),
		counter("wal_write", "operations", "writes of WAL buffers to the WAL's files").from(14).makes(
			WALWrites).matters().
			upTo(17, "pgstat.io/wal_writes"),
		counter("wal_sync", "operations", "fsyncs of the WAL's files").from(14).makes(WALSyncs).matters().
			upTo(17, "pgstat.io/wal_fsyncs").but("0 if wal_sync_method syncs by writing"),
		counter("wal_write_time", "seconds", "time that WAL writes took").from(14).upTo(17,
			"pgstat.io/wal_write_time").needs(TrackWALIOTiming),
		counter("wal_sync_time", "seconds", "time that WAL fsyncs took").from(14).upTo(17,
			"pgstat.io/wal_fsync_time").needs(TrackWALIOTiming),
		statsReset().from(14),
	)
}

// positions returns positions in bytes since the beginning of the WAL. They move immediately, even for uncommitted
// transactions.
func positions() []Metric {
	return view("pgstat.lsn", "", manual+"functions-admin.html#FUNCTIONS-ADMIN-BACKUP",
		counter("insert", "bytes", "insert position of the WAL, written or not").As(
			"pg_current_wal_insert_lsn()").makes(WALBytes).matters(),
		counter("write", "bytes", "position up to which the WAL was given to the operating system").As(
			"pg_current_wal_lsn()").counts(WALBytes),
		counter("flush", "bytes", "position up to which the WAL is known to be on "+
			"disk").As("pg_current_wal_flush_lsn()").counts(
			WALBytes),
	)
}

// checkpoints returns the counters of the checkpointer, which were in pg_stat_bgwriter up to 16, of the background
// writer, of archiving, and of the small caches, which 17 renamed.
func checkpoints() []Metric {
	renamed := func(m Metric, before, since string) Metric {
		return m.asUpTo(16, "pg_stat_bgwriter."+before).As("pg_stat_checkpointer." + since)
	}
	const uncounted = "checkpoints' writes are not counted here: see pgstat.checkpointer/slru_written"
	ofStatus := func(column, help string) Metric {
		return counter("xact_"+column, "blocks", help).asUpTo(16, "pg_stat_slru."+column+" (Xact)").As("pg_stat_slru." +
			column + " (transaction)")
	}
	return slices.Concat(
		view("pgstat.checkpointer", "pg_stat_checkpointer", statsAt+"MONITORING-PG-STAT-CHECKPOINTER-VIEW",
			renamed(counter("checkpoints_timed", "checkpoints", "checkpoints started by checkpoint_timeout"),
				"checkpoints_timed", "num_timed").
				but("includes checkpoints skipped for lack of work"),
			renamed(counter("checkpoints_req", "checkpoints",
				"checkpoints requested by a statement or by max_wal_size"), "checkpoints_req",
				"num_requested"),
			counter("checkpoints_done", "checkpoints", "completed checkpoints").from(18).As(
				"pg_stat_checkpointer.num_done"),
			counter("restartpoints_timed", "checkpoints", "restartpoints of a standby started by "+
				"checkpoint_timeout").from(17),
			counter("restartpoints_req", "checkpoints", "requested restartpoints of a standby").from(17),
			counter("restartpoints_done", "checkpoints", "completed restartpoints of a standby").from(17),
			renamed(counter("buffers_written", "blocks", "shared buffers written by checkpoints"), "buffers_checkpoint",
				"buffers_written").adds(PagesWritten).matters().
				but("log_checkpoints of 14 to 17 also counts buffers of the SLRU caches"),
			counter("slru_written", "blocks",
				"other buffers (transaction status and the like) written by checkpoints").from(18).asked(),
			renamed(counter("write_time", "seconds", "time in which checkpoints wrote files, including pauses"),
				"checkpoint_write_time", "write_time"),
			renamed(counter("sync_time", "seconds", "time checkpoints spent syncing files"), "checkpoint_sync_time",
				"sync_time"),
			renamed(statsReset(), "stats_reset", "stats_reset"),
		),
		view("pgstat.bgwriter", "pg_stat_bgwriter", statsAt+"MONITORING-PG-STAT-BGWRITER-VIEW",
			counter("buffers_clean", "blocks", "shared buffers written by the background writer").adds(
				PagesWritten).matters(),
			counter("maxwritten_clean", "operations", "rounds that the background writer stopped at its limit"),
			counter("buffers_alloc", "blocks", "shared buffers allocated").alsoReads().
				but("may be ten seconds late while the background writer is idle"),
			counter("buffers_backend", "blocks", "blocks written by sessions").adds(PagesWritten).matters().
				upTo(16, "pgstat.io/client_writes",
					"pgstat.io/client_extends").but("includes growth of tables and indexes"),
			counter("buffers_backend_fsync", "operations", "fsyncs that sessions had to do themselves").upTo(16,
				"pgstat.io/client_fsyncs"),
			statsReset(),
		),
		view("pgstat.archiver", "pg_stat_archiver", statsAt+"MONITORING-PG-STAT-ARCHIVER-VIEW",
			counter("archived_count", "files", "archived WAL files"),
			counter("failed_count", "files", "failed attempts to archive a WAL file"),
			statsReset(),
		),
		view("pgstat.slru", "pg_stat_slru", statsAt+"MONITORING-PG-STAT-SLRU-VIEW",
			counter("blks_zeroed", "blocks", "new blocks of all SLRU caches"),
			counter("blks_hit", "blocks", "blocks found in SLRU caches"),
			counter("blks_read", "blocks", "SLRU blocks requested from the operating system").asked(),
			counter("blks_written", "blocks", "SLRU blocks written to the operating system").asked().but(uncounted),
			counter("flushes", "operations", "flushes of SLRU caches").but(uncounted),
			ofStatus("blks_zeroed", "new blocks of transaction status: one for 32,768 transactions"),
			ofStatus("blks_written", "blocks of transaction status written to the operating system").but(uncounted),
			statsReset(),
		),
	)
}

// transactions returns the counters of databases: of the connected one, and of all together, to which the WAL and the
// device belong.
func transactions() []Metric {
	const source = statsAt + "MONITORING-PG-STAT-DATABASE-VIEW"
	const system = "includes system tables"
	counting := func(m Metric) Metric { return m.needs(TrackCounts) }
	everywhere := func(name, unit, help string) Metric {
		return counter(name, unit, help+" in all databases").As("pg_stat_database." + name + " (all databases)")
	}
	return slices.Concat(
		view("pgstat.database", "pg_stat_database", source, slices.Concat(
			[]Metric{
				counter("xact_commit", "transactions", "transactions committed").first().counts(Commits).but(
					"includes one for each of realiops's own readings"),
				counter("xact_rollback", "transactions", "transactions rolled back"),
			},
			all(counting,
				counter("tup_inserted", "rows", "rows inserted").counts(RowsWritten).but(system),
				counter("tup_updated", "rows", "rows updated").counts(RowsUpdated).but(system),
				counter("tup_deleted", "rows", "rows deleted").counts(RowsDeleted).but(system),
				counter("tup_returned", "rows", "live rows read by sequential scans, and index entries returned by "+
					"index scans").some(RowsReturned).but(system),
				counter("tup_fetched", "rows", "live rows fetched by index scans").some(RowsReturned).but(system),
				counter("blks_read", "blocks", "blocks requested from the operating system").alsoReads().makes(
					PagesMissed).adds(BuffersTouched).firstOfReads().
					but("the kernel may have had them in its cache; before PostgreSQL 16 it includes new blocks"),
				counter("blks_hit", "blocks", "blocks found in shared buffers").alsoReads().adds(BuffersTouched),
				counter("temp_files", "files", "temporary files of queries that exceeded work_mem"),
				counter("temp_bytes", "bytes", "bytes written to temporary files").asked(),
				counter("deadlocks", "deadlocks", "deadlocks found"),
			),
			[]Metric{
				counter("blk_read_time", "seconds", "time that sessions waited for reads of blocks").needs(TrackIOTiming),
				counter("blk_write_time", "seconds", "time that sessions waited for writes of blocks").needs(TrackIOTiming),
				statsReset(),
			})...),
		view("pgstat.cluster", "pg_stat_database", source, append([]Metric{
			everywhere("xact_commit", "transactions", "transactions committed").counts(Commits).
				but("includes read-only ones, and one for each of realiops's own readings"),
		}, all(counting,
			everywhere("tup_inserted", "rows", "rows inserted").counts(RowsWritten).but(system),
			everywhere("tup_updated", "rows", "rows updated").counts(RowsUpdated).but(system),
			everywhere("tup_deleted", "rows", "rows deleted").counts(RowsDeleted).but(system),
			everywhere("temp_bytes", "bytes", "bytes written to temporary files").asked(),
		)...)...),
		view("pgstat.server", "", manual+"functions-info.html#FUNCTIONS-INFO-SESSION",
			gauge("started", "seconds", "when the server started, since 1970").As("pg_postmaster_start_time()")),
	)
}

// aurora returns the counters of I/O of Aurora's own functions.
func aurora() []Metric {
	const guide = "https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/"
	const restart = "since the instance started"
	return slices.Concat(
		view("pgstat.aurora", "aurora_stat_database",
			guide+"aurora_stat_database.html",
			counter("storage_blks_read", "blocks",
				"pages read from Aurora's storage, the closest to billed reads").alsoReads().some(PagesMissed),
			counter("orcache_blks_hit", "blocks",
				"pages read from the cache of Optimized Reads on the local disk, which are never "+
					"billed").alsoReads().some(PagesMissed),
			counter("local_blks_read", "blocks", "blocks of temporary tables read from the local disk").alsoReads(),
			counter("storage_blk_read_time", "seconds", "time that sessions waited for Aurora's storage").needs(
				TrackIOTiming),
			counter("orcache_blk_read_time", "seconds",
				"time that sessions waited for the cache of Optimized Reads").needs(TrackIOTiming),
			counter("local_blk_read_time", "seconds", "time that sessions waited for temporary tables").needs(
				TrackIOTiming)),
		view("pgstat.aurora_cache", "aurora_stat_bgwriter", guide+"aurora_stat_bgwriter.html",
			counter("orcache_blks_written", "blocks",
				"pages written to the cache of Optimized Reads on the local disk, which are never billed"),
			counter("orcache_blk_write_time", "seconds", "time spent on writing them").needs(TrackIOTiming)),
		view("pgstat.aurora_waits", "aurora_stat_system_waits", guide+"aurora_stat_system_waits.html",
			counter("xact_sync_waits", "waits", "waits until Aurora's storage acknowledged a commit").but(restart),
			counter("xact_sync_time", "seconds", "time of these waits").but(restart),
			counter("data_file_read_waits", "waits",
				"waits for a page that was not in shared buffers").alsoReads().but(restart),
			counter("data_file_read_time", "seconds", "time of these waits").but(restart)),
		view("pgstat.aurora_wal_cache", "aurora_stat_logical_wal_cache", guide+"aurora_stat_logical_wal_cache.html",
			counter("blks_read", "blocks",
				"blocks of WAL that logical decoding asked for, of all replication slots").alsoReads(),
			counter("cache_hit", "blocks", "of these, blocks found in memory").alsoReads(),
			counter("cache_miss", "blocks", "of these, blocks read from storage").alsoReads()),
	)
}

// tables returns sums over the tables of some schemas, and over their indexes. The server does not count index entries:
// they follow from the counters of tables and the definitions of indexes.
func tables() []Metric {
	const dropped = "of existing tables: falls when a table is dropped"
	const jumps = "current indexes times all row versions so far: jumps when an index is created or dropped; a row " +
		"rejected by a unique index counts in full"
	falling := func(m Metric) Metric {
		m.Caveat = cmp.Or(m.Caveat, dropped)
		return m.needs(TrackCounts)
	}
	hit := func(name, help string) Metric { return counter(name, "blocks", help).alsoReads().some(BuffersTouched) }
	read := func(name, help, view string) Metric {
		return counter(name, "blocks", help).alsoReads().some(PagesMissed).of(view)
	}
	scans := func(name, unit, help string) Metric { return counter(name, unit, help) }
	return slices.Concat(
		view("pgstat.tables", "pg_stat_user_tables", manual+"storage-hot.html", slices.Concat(
			all(falling,
				counter("index_entries_least", "entries", "index entries written, at least").As(
					"index entries (least)").but(jumps),
				counter("index_entries_most", "entries", "index entries written, at most; exact if equal to the least").
					As("index entries (most)").but(jumps),
				counter("toast_tup_ins", "chunks",
					"pieces of long values put into TOAST tables, each with one index entry of its own").
					As("pg_stat_all_tables.n_tup_ins (TOAST)")),
			[]Metric{
				gauge("indexes", "indexes", "indexes of the tables that receive entries").As(
					"pg_index (indexes that take entries)"),
				gauge("indexes_inexact", "indexes",
					"of these, indexes that do not receive exactly one entry per row version").
					As("pg_index (indexes with fewer or more)"),
			})...),
		view("pgstat.tables", "pg_stat_user_tables", statsAt+"MONITORING-PG-STAT-ALL-TABLES-VIEW", append(
			[]Metric{gauge("tables", "tables", "tables in the sum").As("count(*) from pg_stat_user_tables")},
			all(falling,
				counter("n_tup_ins", "rows", "rows inserted").counts(RowsWritten).but("includes rows of failed transactions"),
				counter("n_tup_upd", "rows", "rows updated, including HOT updates").counts(RowsUpdated),
				counter("n_tup_del", "rows", "rows deleted").counts(RowsDeleted),
				counter("n_tup_hot_upd", "rows",
					"rows updated within their page, without new index entries (HOT)").makes(HOTUpdates),
				counter("n_tup_newpage_upd", "rows", "rows updated into another page").from(16),
				scans("seq_scan", "scans", "sequential scans"),
				scans("idx_scan", "scans", "index scans").some(Lookups),
				counter("vacuum_count", "vacuums", "completed manual vacuums"),
				counter("autovacuum_count", "vacuums", "completed autovacuums"),
				counter("autoanalyze_count", "analyses", "completed autoanalyzes"),
				gauge("n_dead_tup", "rows", "dead rows that a vacuum would remove").but("an estimate"),
			)...)...),
		view("pgstat.tables_io", "pg_statio_user_tables", statsAt+"MONITORING-PG-STATIO-ALL-TABLES-VIEW", all(falling,
			read("heap_blks_read", "blocks of tables requested from the operating system", requestsOfTables),
			hit("heap_blks_hit", "blocks of tables found in shared buffers"),
			read("idx_blks_read", "blocks of indexes requested from the operating system", requestsOfIndexes),
			hit("idx_blks_hit", "blocks of indexes found in shared buffers"),
			read("toast_blks_read", "blocks of TOAST tables requested from the operating system", requestsOfTOAST),
			hit("toast_blks_hit", "blocks of TOAST tables found in shared buffers"),
		)...),
		view("pgstat.indexes", "pg_stat_user_indexes", statsAt+"MONITORING-PG-STAT-ALL-INDEXES-VIEW", all(falling,
			scans("idx_scan", "scans", "scans of the indexes").some(Lookups),
			scans("idx_tup_read", "entries", "index entries that scans returned"),
			scans("idx_tup_fetch", "rows", "rows fetched by plain scans of the indexes").some(RowsReturned),
		)...),
		view("pgstat.indexes_io", "pg_statio_user_indexes", statsAt+"MONITORING-PG-STATIO-ALL-INDEXES-VIEW",
			all(falling,
				read("idx_blks_read", "blocks of indexes requested from the operating system", requestsOfIndexes),
				hit("idx_blks_hit", "blocks of indexes found in shared buffers"),
			)...),
	)
}

// statements returns sums over our own user's rows of pg_stat_statements in this database. Version 17 renamed the times
// of blocks.
func statements() []Metric {
	const source = manual + "pgstatstatements.html"
	const evicted = "falls when the extension evicts statements to make room: see evictions"
	forgetting := func(m Metric) Metric {
		m.Caveat = cmp.Or(m.Caveat, evicted)
		return m.needs(StatStatements)
	}
	return slices.Concat(
		view("pgstat.statements", StatStatements, source, all(forgetting,
			gauge("statements", "statements", "kinds of statement counted").As("count(*) from pg_stat_statements").
				but("includes realiops's own readings"),
			counter("calls", "statements", "statements executed").but("our readings' own are among them; "+evicted),
			counter("rows", "rows", "rows that statements returned or changed"),
			counter("exec_time", "seconds", "time that statements took").As("pg_stat_statements.total_exec_time"),
			counter("wal_records", "records", "WAL records of statements, without their commits"),
			counter("wal_fpi", "images", "full-page images in the WAL by statements").makes(PageImages),
			counter("wal_bytes", "bytes", "bytes of WAL generated by statements"),
			counter("wal_buffers_full", "operations",
				"WAL writes by statements because the WAL buffers were full").from(18),
			counter("shared_blks_hit", "blocks", "blocks that statements found in shared buffers").alsoReads().some(
				BuffersTouched),
			counter("shared_blks_read", "blocks",
				"blocks that statements requested from the operating system").alsoReads().some(PagesMissed),
			counter("shared_blks_dirtied", "blocks", "blocks dirtied by statements"),
			counter("shared_blks_written", "blocks",
				"blocks that statements wrote, including growth of tables and indexes").asked(),
			counter("temp_blks_read", "blocks", "blocks of temporary files that statements read").makes(TempRead),
			counter("temp_blks_written", "blocks", "blocks of temporary files that statements wrote").makes(TempWritten),
			counter("blk_read_time", "seconds", "time that statements waited for reads of blocks").
				asUpTo(16, "pg_stat_statements.blk_read_time").As("pg_stat_statements.shared_blk_read_time").needs(
				TrackIOTiming),
			counter("blk_write_time", "seconds", "time that statements waited for writes of blocks").
				asUpTo(16, "pg_stat_statements.blk_write_time").As("pg_stat_statements.shared_blk_write_time").needs(
				TrackIOTiming),
		)...),
		view("pgstat.statements", "pg_stat_statements_info", source,
			counter("evictions", "operations", "evictions of statements to make room for others").
				As("pg_stat_statements_info.dealloc").from(14).needs(StatStatements)),
	)
}

// sessions returns levels at one moment: what sessions wait for, what runs beside a load, and who receives the WAL.
func sessions() []Metric {
	const moment = "a sample of one moment"
	level := func(name, help, condition string) Metric {
		return gauge(name, "sessions", help).As("pg_stat_activity (" + condition + ")").needs(TrackActivities).but(moment)
	}
	// Version 17 changed the spelling of events of the type IO.
	file := func(name, help, before, since string) Metric {
		return level(name, help, "wait_event = "+since).asUpTo(16, "pg_stat_activity (wait_event = "+before+")")
	}
	running := func(name, help string) []Metric {
		return view("pgstat.progress", "", manual+"progress-reporting.html",
			gauge(name, "sessions", help).As("count(*) from pg_stat_progress_"+name).but(moment))
	}
	copies := running("copy", "COPY statements running")
	copies[0] = copies[0].from(14)
	return slices.Concat(
		running("vacuum", "vacuums running, including autovacuum"),
		running("analyze", "analyzes running, including autovacuum's"),
		running("create_index", "indexes being created"),
		running("cluster", "tables being rewritten by CLUSTER, VACUUM FULL or REPACK"),
		copies,
		running("basebackup", "backups being streamed"),
		view("pgstat.progress", "", activity,
			gauge("checkpoint", "checkpoints", "1 while a checkpoint runs").As(
				"pg_stat_activity (checkpoint at work)").but(moment)),
		view("pgstat.waits", "", statsAt+"WAIT-EVENT-TABLE",
			gauge("sessions", "sessions", "sessions of this user in this database, without realiops's own").As(
				"count(*) from pg_stat_activity"),
			level("idle", "sessions that wait for their client", "state <> active"),
			level("running", "active sessions that wait for nothing", "active, no wait_event"),
			level("io", "sessions that wait for a file", "wait_event_type = IO"),
			level("lwlock", "sessions that wait for a lightweight lock", "wait_event_type = LWLock"),
			level("lock", "sessions that wait for a lock", "wait_event_type = Lock"),
			level("ipc", "sessions that wait for another process", "wait_event_type = IPC"),
			level("client", "active sessions that wait for their client, as in COPY", "wait_event_type = Client"),
			level("timeout", "sessions that sleep for a set time", "wait_event_type = Timeout"),
			file("wal_write", "sessions that write the WAL", "WALWrite", "WalWrite"),
			file("wal_sync", "sessions that sync the WAL", "WALSync", "WalSync"),
			level("data_file_read", "sessions that read a table or an index", "wait_event = DataFileRead"),
			level("data_file_write", "sessions that write a table or an index", "wait_event = DataFileWrite"),
			level("data_file_extend", "sessions that extend a table or an index", "wait_event = DataFileExtend"),
			level("wal_write_lock", "sessions that wait until another has written the WAL",
				"wait_event = WALWrite, LWLock"),
			level("wal_insert_lock", "sessions that wait for room in the WAL buffers", "wait_event = WALInsert, LWLock"),
			level("extend_lock", "sessions that wait for another to extend a table", "wait_event = extend, Lock"),
		),
		view("pgstat.replication", "", statsAt+"MONITORING-PG-STAT-REPLICATION-VIEW",
			gauge("senders", "sessions", "sessions that receive the WAL").As("count(*) from pg_stat_replication").
				but("includes backups that stream the WAL"),
			gauge("synchronous", "sessions", "of these, standbys that commits may wait for").As(
				"pg_stat_replication (sync_state = sync or quorum)"),
			gauge("replay_lag_bytes", "bytes", "WAL that the slowest standby has not replayed; 0 without standbys").
				As("pg_stat_replication (bytes not replayed)"),
		),
	)
}
