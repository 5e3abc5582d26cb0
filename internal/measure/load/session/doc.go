// Package session talks to PostgreSQL for a load generator: it costs the client less than libpq costs pgbench, and a
// thousand idle sessions fit in a few megabytes.
//
// pgconn connects (authentication, TLS, sockets, service files). A [Dialer] then takes over the connection, lends big
// buffers to the sessions that need them, and ends sessions whose server no longer answers. A [Session] speaks the
// protocol with bytes that a [Statement] encoded once: requests are added with [Session.Query], [Session.Extended],
// [Session.Prepared] and [Session.Sync]; [Session.Next] sends them in one write and reads the answers one by one, and
// [Session.Finish] reads them all. [Session.CopyIn] streams rows. Rows of results are counted and dropped unless a
// request asks to keep the last one.
//
// An error of the server is in a [Result] and leaves the session usable; an error that ends the session
// is in [Session.Err]. [KindOf] sorts both. A session belongs to one goroutine; only
// [Session.Interrupt] and [Session.Cancel] may be called from another. Nothing is retried here, and
// values are text in both directions, as in pgbench.
//
// # Why the socket is driven by hand
//
// Package ring moves the bytes of all sessions of a worker if it can ([Session.Ride]). The rest of this section is
// about systems and connections without it.
//
// On Linux a round trip is one write and one read inside one wait of the runtime's poller, by raw system calls.
// Package net announces each call to the scheduler, which takes the processor away from a call that lasts longer than
// 20 µs and hands it to another thread. A write that wakes the server often does: on a busy machine this hand-over
// took 40 % of the client's CPU time. The calls never block, so there is nothing to announce.
//
// More threads than the load needs bring the cost back, because idle ones keep waking each other: a second thread
// took a quarter more CPU for each round trip than GOMAXPROCS 1. So a worker has one thread (package workers), and
// more parallelism takes more workers. scripts/bench-load measures it.
package session
