package pgstat

import (
	"slices"
	"strings"
)

// statIO is reading and writing by all processes, as the server asks it of the operating system: from 16 on.
//
// In 16 and 17 a count is one of blocks of op_bytes, and the log is not in it. 18 counts operations, which may hold
// several blocks, shows bytes apart, and adds the log as an object of its own, whose new segments are filled with
// zeros in the context init. Temporary tables stand apart: they are not what a load writes for good.
//
// The view has a row for each kind of process, object and context. Read are the sums over processes, and of what a load
// is made of the parts: by process, and by the contexts in which many blocks pass through few buffers.
func statIO() view {
	return view{
		name:      Name + ".io",
		relations: []string{"pg_stat_io"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-IO-VIEW",
		remedy:    "pgstat.statements/shared_blks_written has the blocks that statements wrote",
		fields: slices.Concat(ioOfRelations(), ioByProcess(), ioByContext(), ioTimes(), ioOfLog(),
			[]field{statsResetOf("max(stats_reset)").from(16)}),
	}
}

const (
	blocksBefore18 = "blocks in 16 and 17; in 18 an operation may have many: compare the bytes"
	ofTemporary    = "object = 'temp relation'"
	ofRelation     = "object = 'relation'"
)

func ioOfRelations() []field {
	return slices.Concat([]field{
		operations("reads", ofRelation, "reads of tables and indexes"),
		operations("writes", ofRelation, "writes of tables and indexes, not their growth"),
		operations("extends", ofRelation, "growths of tables and indexes"),
		partOf("writebacks", "blocks", "blocks that the kernel was told to start writing", "writebacks", ofRelation),
		partOf("fsyncs", "operations", "syncs of tables and indexes", "fsyncs", ofRelation),
		partOf("hits", "blocks", "blocks found in shared buffers", "hits", ofRelation),
		partOf("evictions", "blocks", "buffers that were taken from a block to give them to another", "evictions", ofRelation),
		partOf("reuses", "blocks", "buffers that a context took again from its own few", "reuses", ofRelation),
		bytes("read_bytes", "read", ofRelation, "bytes read of tables and indexes"),
		bytes("write_bytes", "write", ofRelation, "bytes written to tables and indexes, not their growth"),
		bytes("extend_bytes", "extend", ofRelation, "bytes that tables and indexes grew by"),
	}, part("temp", ofTemporary, "of temporary tables", "read", "write", "extend"))
}

func ioByProcess() []field {
	const autovacuum = "backend_type in ('autovacuum launcher', 'autovacuum worker')"
	const other = "backend_type not in ('client backend', 'background writer', 'checkpointer', 'autovacuum launcher', 'autovacuum worker')"
	process := func(name string) string { return ofRelation + " and backend_type = '" + name + "'" }
	syncs := func(name, process, who string) field {
		return partOf(name+"_fsyncs", "operations", "syncs of tables and indexes by "+who, "fsyncs", process)
	}
	return slices.Concat(
		part("client", process("client backend"), "of tables and indexes by clients' sessions", "read", "write", "extend"),
		[]field{syncs("client", process("client backend"), "clients' sessions")},
		part("bgwriter", process("background writer"), "of tables and indexes by the background writer", "write"),
		part("checkpointer", process("checkpointer"), "of tables and indexes by the checkpointer", "write"),
		[]field{syncs("checkpointer", process("checkpointer"), "the checkpointer")},
		part("autovacuum", ofRelation+" and "+autovacuum, "of tables and indexes by autovacuum", "read", "write", "extend"),
		part("other", ofRelation+" and "+other, "of tables and indexes by all other processes", "read", "write", "extend"),
	)
}

func ioByContext() []field {
	context := func(name string) string { return ofRelation + " and context = '" + name + "'" }
	return slices.Concat(
		part("bulkwrite", context("bulkwrite"), "of tables in bulk: COPY, CREATE TABLE AS", "write", "extend"),
		part("bulkread", context("bulkread"), "during scans of large tables", "read", "write"),
		part("vacuum", context("vacuum"), "by vacuum and analyze, whoever ran them", "read", "write"),
	)
}

func ioTimes() []field {
	return all(func(f field) field { return f.whileOn(trackIOTiming) },
		seconds("read_time", ofRelation, "time that reads of tables and indexes took"),
		seconds("write_time", ofRelation, "time that writes of tables and indexes took"),
		seconds("writeback_time", ofRelation, "time that it took to tell the kernel to start writing"),
		seconds("extend_time", ofRelation, "time that growths of tables and indexes took"),
		seconds("fsync_time", ofRelation, "time that syncs of tables and indexes took"),
	)
}

// The log came to the view in 18, together with the columns of bytes.
func ioOfLog() []field {
	const normal, zeros = "object = 'wal' and context = 'normal'", "object = 'wal' and context = 'init'"
	const client, writer = normal + " and backend_type = 'client backend'", normal + " and backend_type = 'walwriter'"
	ofLog := func(f field) field {
		f.ways[0].columns = append(f.ways[0].columns, "write_bytes")
		return f.from(18)
	}
	return all(ofLog,
		partOf("wal_writes", "operations", "writes of log buffers to the log's files", "writes", normal),
		partOf("wal_write_bytes", "bytes", "bytes of log buffers written", "write_bytes", normal).
			but("whole blocks, some of them more than once"),
		partOf("wal_fsyncs", "operations", "syncs of the log's files", "fsyncs", normal),
		partOf("wal_client_writes", "operations", "writes of log buffers by clients' sessions", "writes", client),
		partOf("wal_client_fsyncs", "operations", "syncs of the log's files by clients' sessions", "fsyncs", client),
		partOf("wal_writer_writes", "operations", "writes of log buffers by the log writer", "writes", writer),
		partOf("wal_writer_fsyncs", "operations", "syncs of the log's files by the log writer", "fsyncs", writer),
		partOf("wal_init_writes", "operations", "writes that make new files for the log", "writes", zeros),
		partOf("wal_init_write_bytes", "bytes", "bytes of zeros that make new files for the log", "write_bytes", zeros),
		seconds("wal_write_time", normal, "time that writes of log buffers took").whileOn(trackWALIOTiming),
		seconds("wal_fsync_time", normal, "time that syncs of the log's files took").whileOn(trackWALIOTiming),
	)
}

// part is the operations of some rows, and their bytes. The kinds are read, write, extend.
func part(name, rows, help string, kinds ...string) []field {
	words := map[string]string{"read": "reads", "write": "writes", "extend": "growths"}
	var fields []field
	for _, kind := range kinds {
		fields = append(fields,
			partOf(name+"_"+kind+"s", "operations", words[kind]+" "+help, kind+"s", rows).but(blocksBefore18),
			bytes(name+"_"+kind+"_bytes", kind, rows, "bytes of "+words[kind]+" "+help))
	}
	return fields
}

// operations sums a column of the same name over all kinds of process and all contexts.
func operations(name, rows, help string) field {
	return partOf(name, "operations", help, name, rows).but(blocksBefore18)
}

// partOf sums a column over some rows of the view.
func partOf(name, unit, help, column, rows string) field {
	return counter(name, unit, help, way{sumOf(column, rows), []string{column}}).from(16)
}

// bytes reads the bytes of a kind of operation: their own column in 18, blocks times their size before.
func bytes(name, kind, rows, help string) field {
	blocks := kind + "s"
	return counter(name, "bytes", help,
		way{sumOf(kind+"_bytes", rows), []string{kind + "_bytes"}},
		way{sumOf(blocks+" * op_bytes", rows), []string{blocks, "op_bytes"}}).from(16)
}

// seconds sums a column of milliseconds.
func seconds(name, rows, help string) field {
	column := strings.TrimPrefix(name, "wal_")
	return counter(name, "seconds", help, way{sumOf(column, rows) + " / 1000", []string{column}}).from(16)
}

func sumOf(value, rows string) string { return "sum(" + value + ") filter (where " + rows + ")" }
