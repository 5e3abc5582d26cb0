// Package embedded runs a real PostgreSQL with nothing installed but realiops, and leaves nothing behind.
//
// [Start] fetches PostgreSQL where the cache has none (package binaries), makes a run directory, initializes a server
// and starts it. Each thing that it makes is handed to package supervisor, which stops the server and removes the
// directory at the end, also when realiops is killed. Where both were killed at once, the kernel interrupts the server,
// and the next start removes what stayed: every run directory holds a lock that all processes of the server share, so a
// free lock means that nobody lives there.
//
// The server is given nothing of the user's environment. As root realiops runs it as another user, because PostgreSQL
// refuses to be root.
//
// With Options.OwnDevice the data lie on a loop device that is made, formatted and mounted in the run directory. Before
// the directory is removed it is unmounted, and the kernel then detaches the device.
//
//   - server.go is the server as others see it, and how it comes about; programs.go finds what to run.
//   - place.go chooses the disk, rundir.go keeps the directory, device.go makes a disk in it, account.go chooses the
//     user, cluster.go runs the server.
//   - journal.go turns what a server said before it died into one line.
//
// Programs that call Start must be able to play the role of package supervisor, tests in their TestMain.
package embedded
