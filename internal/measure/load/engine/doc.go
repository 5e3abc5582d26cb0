// Package engine lets many clients run pgbench scripts against a server, at full speed or at a rate, and knows exactly
// what they did.
//
// [Options] say what pgbench's flags say. [Run] connects the clients, runs them, and gives a [Result]; while it runs it
// hands out a [Tick] for every interval and, where asked, every single [Transaction]. Nothing here prints.
//
// Each client is a goroutine with a session, variables and random numbers of its own. Rows that a command makes of
// `:row` alone are the same whichever client makes them.
//
// A transaction's latency counts from when it was scheduled, so that a server that stalls cannot hide it by holding
// the next ones up; how late we began it ourselves is kept apart as its lag.
package engine
