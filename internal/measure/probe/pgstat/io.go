package pgstat

import (
	"slices"
	"strings"
)

// statIO reads pg_stat_io, from 16 on: the reads and writes that all processes request from the operating system.
//
// In 16 and 17 it counts blocks of op_bytes, without the WAL. 18 counts operations, which may have several blocks,
// shows bytes separately, and adds the WAL as an object, whose new segments are zero-filled in the context init.
// Temporary tables are separate, since their writes are not a load's.
//
// The view has a row for each kind of process, object and context. Read are the sums over processes and, of
// relations, the parts: by process, and by the contexts in which many blocks use few buffers.
func statIO() view {
	return view{
		name: Name + ".io", relations: []string{"pg_stat_io"},
		remedy: "pgstat.statements/shared_blks_written has the blocks that statements wrote",
		fields: slices.Concat(
			of("", ofRelation, "reads", "writes", "extends", "writebacks", "fsyncs", "hits", "evictions", "reuses",
				"read_bytes", "write_bytes", "extend_bytes", "read_time", "write_time", "writeback_time", "extend_time",
				"fsync_time"), part("temp_", "object = 'temp relation'", "read", "write", "extend"),
			ioByProcess(), ioByContext(), ioOfWAL(), []field{statsResetOf("pg_catalog.max(stats_reset)")}),
	}
}

const ofRelation = "object = 'relation'"

func ioByProcess() []field {
	process := func(name string) string { return ofRelation + " and backend_type = '" + name + "'" }
	const autovacuum = ofRelation + " and backend_type in ('autovacuum launcher', 'autovacuum worker')"
	const other = ofRelation + " and backend_type not in ('client backend', 'background writer', 'checkpointer', " +
		"'autovacuum launcher', 'autovacuum worker')"
	return slices.Concat(
		part("client_", process("client backend"), "read", "write", "extend"),
		of("client_", process("client backend"), "fsyncs"),
		part("bgwriter_", process("background writer"), "write"),
		part("checkpointer_", process("checkpointer"), "write"), of("checkpointer_", process("checkpointer"), "fsyncs"),
		part("autovacuum_", autovacuum, "read", "write", "extend"),
		part("other_", other, "read", "write", "extend"),
	)
}

func ioByContext() []field {
	context := func(name string) string { return ofRelation + " and context = '" + name + "'" }
	return slices.Concat(
		part("bulkwrite_", context("bulkwrite"), "write", "extend"),
		part("bulkread_", context("bulkread"), "read", "write"),
		part("vacuum_", context("vacuum"), "read", "write"),
	)
}

// The WAL came to the view in 18, together with the columns of bytes.
func ioOfWAL() []field {
	const normal, zeros = "object = 'wal' and context = 'normal'", "object = 'wal' and context = 'init'"
	fields := slices.Concat(
		of("wal_", normal, "writes", "write_bytes", "fsyncs", "write_time", "fsync_time"),
		of("wal_client_", normal+" and backend_type = 'client backend'", "writes", "fsyncs"),
		of("wal_writer_", normal+" and backend_type = 'walwriter'", "writes", "fsyncs"),
		of("wal_init_", zeros, "writes", "write_bytes"),
	)
	for i, f := range fields {
		fields[i].ways = []way{{f.ways[0].sql, append(slices.Clone(f.ways[0].columns), "write_bytes")}}
	}
	return fields
}

// part reads the operations of some rows of the view, and their bytes. The kinds are read, write, extend.
func part(prefix, rows string, kinds ...string) []field {
	var columns []string
	for _, kind := range kinds {
		columns = append(columns, kind+"s", kind+"_bytes")
	}
	return of(prefix, rows, columns...)
}

// of sums columns over some rows of the view, in fields with a prefix. Times become seconds. Bytes have their own
// columns in 18; before, they are blocks times op_bytes.
func of(prefix, rows string, columns ...string) (fields []field) {
	for _, c := range columns {
		ways := []way{{sumOf(c, rows), []string{c}}}
		switch kind, inBytes := strings.CutSuffix(c, "_bytes"); {
		case inBytes:
			ways = append(ways, way{sumOf(kind+"s * op_bytes", rows), []string{kind + "s", "op_bytes"}})
		case strings.HasSuffix(c, "_time"):
			ways[0].sql += " / 1000"
		}
		fields = append(fields, value(prefix+c, ways...))
	}
	return fields
}

func sumOf(value, rows string) string {
	return "pg_catalog.sum(" + value + ") filter (where " + rows + ")"
}
