// Package engine lets many clients run pgbench scripts against a server, at full speed or at a rate,
// and knows exactly what they did.
//
// [Options] correspond to pgbench's flags. [Run] connects the clients, runs them, and returns a [Result]. While it
// runs, it hands out a [Tick] for every interval and, if asked, every single [Transaction]. Nothing here prints.
//
// Each client is a goroutine with its own session, variables and random numbers. Rows that a command makes of `:row`
// alone are the same whichever client makes them.
//
// A transaction's latency counts from its scheduled time, so a stalled server cannot hide its stall by delaying later
// transactions. The client's own delay is recorded separately as lag.
package engine
