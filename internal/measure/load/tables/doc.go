// Package tables makes and fills the four tables of pgbench, to the last byte as pgbench -i does.
//
// [Initialize] takes the steps of -I in their order; [Vacuum] does what pgbench does before a run; [Scale] and
// [Partitions] tell what an earlier initialization has made. The tables lie where the session's search_path puts new
// tables, and have pgbench's names: this is for databases that may hold them, and the step that drops them drops
// whatever has these names.
//
// The rows are those of pgbench 13 to 18, in the same order, and where the server can freeze them on the way (14 and
// later, a table without partitions) they are frozen: all in one transaction that truncates first, so that the server
// need not log them where wal_level is minimal.
//
// Where this differs: unlogged tables with partitions work on a server 18, which has no unlogged partitioned tables.
// There pgbench 17 fails, and pgbench 18 makes no table unlogged but the partitions.
package tables
