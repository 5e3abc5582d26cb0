// Package workers runs the clients of a load in processes of their own, one for each thread of pgbench's -j.
//
// A worker is this program, started once more ([Role]); every main function that runs loads hands Role to role.Main
// first. So the process that reads the counters keeps its scheduler to itself, what the clients use of the processors
// is told apart, and a worker, which does nothing else, runs on one thread as pgbench's threads do.
//
// [Crew.Run] is engine.Run with workers: it starts them, lets them begin together once all clients are connected, adds
// up what they report, and gives one result. They speak JSON, a message a line, over the worker's standard input and
// output; what the clients did comes every second, so that what a worker had done is kept when it is killed. Passwords
// go the same way, never by arguments or the environment. A worker whose standard input ends stops its clients and
// leaves.
package workers
