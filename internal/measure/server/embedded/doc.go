// Package embedded runs a real PostgreSQL with nothing installed but realiops, and leaves nothing behind.
//
// [Start] starts this program a second time as a keeper: a process in a session of its own that fetches PostgreSQL
// where the cache has none (package binaries), makes a run directory, initializes and starts the server, and holds it.
// When the keeper's standard input ends, which also happens when realiops is killed, or on SIGTERM, it stops the server
// and removes the directory. The other way round, when somebody kills the keeper, the kernel interrupts the server and
// realiops clears up. Where both were killed at once, the next start removes what stayed: every run directory holds a
// lock that the keeper and all processes of the server share, so a free lock means that nobody lives there.
//
// As root the keeper stays root and the server runs as another user, because PostgreSQL refuses to be root.
//
// With Options.OwnDevice the data lie on a loop device that the keeper makes, formats and mounts in the run directory.
// Whoever removes the directory unmounts it first, and the kernel then detaches the device.
//
//   - server.go is the side of realiops, keeper.go the other, protocol.go what they say to each other.
//   - place.go chooses the disk, rundir.go keeps the directory, device.go makes a disk in it, account.go chooses the
//     user, cluster.go runs the server.
//   - journal.go turns what a server said before it died into one line.
//
// Programs that call Start must hand the process to [Keep] when [IsKeeper] says so, tests in their TestMain.
package embedded
