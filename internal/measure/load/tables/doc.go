// Package tables makes and fills the four tables of pgbench, byte for byte as pgbench -i does.
//
// [Initialize] runs the steps of -I in order; [Vacuum] does what pgbench does before a run; [Scale] and [Partitions]
// describe an earlier initialization. The tables have pgbench's names and lie where the session's search_path puts
// new tables. Use a database that may hold them: the step that drops them drops any tables with these names.
//
// The rows are the rows of pgbench 13 to 18, in the same order. They are frozen if the server can freeze them during
// COPY (14 and later, a table without partitions). One transaction truncates and fills the tables, so that the server
// need not log the rows if wal_level is minimal.
//
// One difference: unlogged tables with partitions work on PostgreSQL 18, which has no unlogged partitioned tables.
// There pgbench 17 fails, and pgbench 18 makes only the partitions unlogged.
package tables
