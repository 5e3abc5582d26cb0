package metric

import (
	"slices"
	"strings"
)

// postgresIO returns the reads and writes of all processes, as requests to the operating system, from version 16 on.
//
// In 16 and 17 the unit is a block of op_bytes, and the WAL is not included. 18 counts operations, which may hold
// several blocks, shows bytes separately, and adds the WAL as an object, whose new files are filled with zeros in the
// context init. The view has a row for each kind of process, object and context: each metric is the sum of some.
func postgresIO() []Metric {
	const other = "of tables and indexes by "
	return view("pgstat.io", "pg_stat_io", statsAt+"MONITORING-PG-STAT-IO-VIEW", slices.Concat(
		[]Metric{
			blocks("reads", "reads", "relation", "reads of tables and indexes").makesFrom(18,
				ReadCalls).alsoReads().some(PagesMissed).firstOfReads(),
			blocks("writes", "writes", "relation", "writes of tables and indexes, without growth").makes(
				PagesWritten).matters(),
			blocks("extends", "extends", "relation", "growths of tables and indexes").matters().asked(),
			sum("writebacks", "writebacks", "relation", "blocks",
				"blocks whose writeback the server requested from the kernel").asked(),
			sum("fsyncs", "fsyncs", "relation", "operations", "fsyncs of tables and indexes").matters().asked(),
			sum("hits", "hits", "relation", "blocks", "blocks found in shared buffers").alsoReads().some(BuffersTouched),
			sum("evictions", "evictions", "relation", "blocks", "buffers evicted to hold another block"),
			sum("reuses", "reuses", "relation", "blocks", "buffers that a ring reused"),
			volume("read_bytes", "read", "relation", "bytes read of tables and indexes").makes(BytesAsked).alsoReads(),
			volume("write_bytes", "write", "relation", "bytes written to tables and indexes, without growth").asked(),
			volume("extend_bytes", "extend", "relation", "bytes that tables and indexes grew by").asked(),
		},
		part("temp", "temp relation", "of temporary tables", "read", "write", "extend"),
		part("client", "client backend", other+"clients' sessions", "read", "write", "extend"),
		[]Metric{sum("client_fsyncs", "fsyncs", "client backend", "operations", "fsyncs "+other+
			"clients' sessions").asked()},
		part("bgwriter", "background writer", other+"the background writer", "write"),
		part("checkpointer", "checkpointer", other+"the checkpointer", "write"),
		[]Metric{sum("checkpointer_fsyncs", "fsyncs", "checkpointer", "operations", "fsyncs "+other+
			"the checkpointer").asked()},
		part("autovacuum", "autovacuum", other+"autovacuum", "read", "write", "extend"),
		part("other", "other processes", other+"all other processes", "read", "write", "extend"),
		part("bulkwrite", "bulkwrite", "of tables in bulk: COPY, CREATE TABLE AS", "write", "extend"),
		part("bulkread", "bulkread", "during scans of large tables", "read", "write"),
		part("vacuum", "vacuum", "by vacuum and analyze, whoever ran them", "read", "write"),
		all(func(m Metric) Metric { return m.needs(TrackIOTiming) },
			seconds("read_time", "relation", "time that reads of tables and indexes took"),
			seconds("write_time", "relation", "time that writes of tables and indexes took"),
			seconds("writeback_time", "relation", "time that requesting writeback took"),
			seconds("extend_time", "relation", "time that growths of tables and indexes took"),
			seconds("fsync_time", "relation", "time that fsyncs of tables and indexes took"),
		),
		all(func(m Metric) Metric { return m.from(18) },
			sum("wal_writes", "writes", "wal", "operations", "writes of WAL buffers to the WAL's files").makes(
				WALWrites).matters(),
			sum("wal_write_bytes", "write_bytes", "wal", "bytes", "bytes of WAL buffers written").but(
				"whole blocks, some more than once"),
			sum("wal_fsyncs", "fsyncs", "wal", "operations", "fsyncs of the WAL's files").makes(WALSyncs).matters(),
			sum("wal_client_writes", "writes", "wal, client backend", "operations",
				"writes of WAL buffers by clients' sessions"),
			sum("wal_client_fsyncs", "fsyncs", "wal, client backend", "operations",
				"fsyncs of the WAL's files by clients' sessions"),
			sum("wal_writer_writes", "writes", "wal, walwriter", "operations", "writes of WAL buffers by the WAL writer"),
			sum("wal_writer_fsyncs", "fsyncs", "wal, walwriter", "operations",
				"fsyncs of the WAL's files by the WAL writer"),
			sum("wal_init_writes", "writes", "wal, init", "operations", "writes that make new files for the WAL"),
			sum("wal_init_write_bytes", "write_bytes", "wal, init", "bytes",
				"bytes of zeros that make new files for the WAL"),
			seconds("wal_write_time", "wal", "time that writes of WAL buffers took").needs(TrackWALIOTiming),
			seconds("wal_fsync_time", "wal", "time that fsyncs of the WAL's files took").needs(TrackWALIOTiming),
		),
		[]Metric{statsReset().from(16)},
	)...)
}

// part returns the operations of some rows of the view, and their bytes. The kinds are read, write, extend.
func part(name, rows, help string, kinds ...string) (all []Metric) {
	words := map[string]string{"read": "reads", "write": "writes", "extend": "growths"}
	for _, kind := range kinds {
		operations := blocks(name+"_"+kind+"s", kind+"s", rows, words[kind]+" "+help)
		bytes := volume(name+"_"+kind+"_bytes", kind, rows, "bytes of "+words[kind]+" "+help)
		switch kind {
		case "read":
			operations, bytes = operations.alsoReads().some(ReadCalls), bytes.alsoReads().some(BytesAsked)
		case "write":
			operations, bytes = operations.some(PagesWritten), bytes.asked()
		default:
			operations, bytes = operations.asked(), bytes.asked()
		}
		all = append(all, operations, bytes)
	}
	return all
}

// sum returns a column summed over the rows of some process, object or context.
func sum(name, column, rows, unit, help string) Metric {
	return counter(name, unit, help).from(16).As("pg_stat_io." + column + " (" + rows + ")")
}

func blocks(name, column, rows, help string) Metric {
	return sum(name, column, rows, "operations",
		help).but("blocks in 16 and 17; from 18, an operation may have many blocks: compare bytes")
}

// volume returns the bytes of a kind of operation: up to 17, blocks times their size.
func volume(name, kind, rows, help string) Metric {
	return counter(name, "bytes", help).from(16).asUpTo(17, "pg_stat_io."+kind+"s * op_bytes ("+rows+")").
		As("pg_stat_io." + kind + "_bytes (" + rows + ")")
}

func seconds(name, rows, help string) Metric {
	return counter(name, "seconds", help).from(16).As("pg_stat_io." + strings.TrimPrefix(name, "wal_") +
		" (" + rows + ")")
}
