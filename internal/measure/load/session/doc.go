// Package session talks to PostgreSQL for a load generator: what it costs the client is less than what libpq costs
// pgbench, and a thousand idle sessions fit in a few megabytes.
//
// pgconn connects (authentication, TLS, sockets, service files); a [Dialer] then takes the connection over, lends big
// buffers to the sessions that need them, and ends the sessions whose server no longer answers. A [Session] speaks the
// protocol with bytes that a [Statement] encoded once: requests are added with [Session.Query], [Session.Extended],
// [Session.Prepared] and [Session.Sync]; [Session.Next] sends them in one write and reads the answers one by one, and
// [Session.Finish] reads them all. [Session.CopyIn] streams rows. Rows of results are counted and dropped unless a
// request asks to keep the last one.
//
// What the server objects to is in a [Result] and leaves the session usable; what ends the session is in [Session.Err].
// [KindOf] sorts both. A session belongs to one goroutine; only [Session.Interrupt] and [Session.Cancel] may be called
// from another. Nothing is retried here, and values are text in both directions, as in pgbench.
//
// # Why the socket is driven by hand
//
// Package ring, where it can be had, moves the bytes of all sessions of a worker ([Session.Ride]). What follows is for
// systems and connections that cannot have it.
//
// On Linux a round trip is one write and one read inside one wait of the runtime's poller, by raw system calls. The
// usual way announces each call to the scheduler, which takes the processor away from a call that the kernel has
// paused for more than 20 µs and hands it to another thread. A write that wakes the server is often paused: on a busy
// machine this hand-over was 40 % of all CPU time of the client. The calls never block, so there is nothing to
// announce.
//
// The same cost comes back with more threads than the load needs, because idle ones keep waking each other: beside
// GOMAXPROCS 1, a second thread took a quarter more CPU for each round trip. So a worker has one (package workers), and
// who wants more takes more workers. scripts/bench-load measures it.
package session
