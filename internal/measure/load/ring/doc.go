// Package ring runs the clients of a load as coroutines of one thread that has one io_uring: a turn of the thread hands
// the kernel the requests of all clients that have some, and takes all answers that have come, in one system call.
//
// [Ring.Run] runs one function for each client, which has a [Seat], over which it exchanges bytes with its server and
// sleeps. While a client waits, the others run. What else a client waits for, a lock or a file, stops all clients of
// the thread, so it must be short.
//
// A client by itself costs the kernel a send, a receive and its share of a wait for each transaction. Here, with eight
// clients, three or four transactions share a call. The thread waits in calls that the language's scheduler does not
// know of, so that nobody takes the processor from it in the meantime; a signal, which the scheduler sends every ten
// milliseconds or where it wants to stop the world, ends such a wait, and the next one is announced.
//
// It needs Linux 6.1 and a container or a kernel that does not forbid io_uring: [Open] says what is missing.
package ring
