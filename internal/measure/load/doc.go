// Package load puts a known load on a server: it knows exactly how many rows, statements and transactions it did.
//
// A [Workload] is one load of the plan ready to run: its table, and its transaction as a script of the engine.
// [Workload.Run] lets clients repeat the transaction for a set time and reports their work, second by second, as
// [runfile.Work]. [Loads] returns the loads that tell the counted quantities apart. A load never retries, counts only
// what the server confirmed, and ends if the server confirms another number of rows than were sent.
//
// A transaction puts the numbers 1 to rows_per_tx into the column value, whatever the method, so that
// loads differ only in what is compared. Only statements that bring rows count: the BEGIN and the END
// around several inserts do not.
package load
