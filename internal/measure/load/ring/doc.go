// Package ring runs the clients of a load as coroutines of one thread with one io_uring: in one system call the
// thread submits the requests of all clients that have some and collects all answers that have arrived.
//
// [Ring.Run] runs one function for each client. The function has a [Seat], over which it exchanges bytes with its
// server and sleeps. While a client waits on its seat, the others run. Any other wait, for a lock or a file, stops
// all clients of the thread, so it must be short.
//
// A client by itself costs the kernel a send, a receive and its share of a wait for each transaction. Here, with
// eight clients, three or four transactions share a call. The thread waits in calls that Go's scheduler does not see,
// so it keeps its processor meanwhile. A signal ends such a wait: the scheduler sends one every ten milliseconds, or
// to stop the world. The next wait is announced to it.
//
// It needs Linux 6.1, and a container and kernel that allow io_uring: [Open] says what is missing.
package ring
