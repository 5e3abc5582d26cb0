// Package embedded runs a real PostgreSQL with nothing installed but realiops, and leaves nothing behind.
//
// [Start] fetches PostgreSQL unless the cache has it (package binaries), makes a run directory, initializes a
// server and starts it. Package supervisor learns of each thing made; it stops the server and removes the
// directory at the end, even when realiops is killed. If both are killed at once, the kernel interrupts the
// server, and the next start removes the rest: all processes of a server share a lock in its run directory, so a
// free lock means that the directory is unused.
//
// The server gets nothing of the user's environment. For root, realiops runs it as another user, because
// PostgreSQL refuses to run as root.
//
// With Options.OwnDevice the data lies on a loop device that is made, formatted and mounted in the run directory.
// Before the directory is removed it is unmounted, and the kernel then detaches the device.
//
//   - server.go has the server's interface, finds its programs and starts it.
//   - place.go chooses the disk and manages the run directory, device.go makes a disk in it, account.go chooses
//     the user, cluster.go runs the server.
//   - journal.go turns a dead server's last messages into one line.
//
// Programs that call Start must be able to play the role of package supervisor, tests in their TestMain.
package embedded
