// Package workers runs the clients of a load in separate processes: one for each thread of pgbench's -j, or fewer where
// that costs less CPU.
//
// A worker is this program started again ([Role]); every main function that runs loads hands Role to role.Main first.
// So the process that reads the counters keeps its scheduler to itself, the clients' CPU time is measured separately,
// and a worker runs on one thread, like pgbench's threads.
//
// [Crew.Run] is engine.Run with workers: it starts them, lets them begin together once all clients are connected,
// adds up their reports, and returns one result. They exchange JSON messages, one a line, over the worker's standard
// input and output. Clients' results come every second, so that a killed worker's work is known. Passwords go the
// same way, never by arguments or the environment. A worker whose standard input ends stops its clients and exits.
package workers
