// Package load puts a known load on a server: it knows exactly how many rows, statements and transactions it did.
//
// A [Workload] is what one arm of the plan does: its table and its transaction. [Run] lets clients repeat the
// transaction for a set time and reports what they did, second by second, as [runfile.Load]. The load never retries
// and never counts what the server did not confirm.
package load
