// Package fio measures what storage delivers with the fio of the machine, and reads what it says.
//
// [Find] finds the program, [Database] and [Published] are named sets of jobs for it, and [ReadFile] takes a user's
// own, of which it lets through only what stays in a directory and changes nothing else. [Make] makes a directory for
// the test files; [Directory.Lay] writes them and [Directory.Run] runs a job on them, with its [Status] every second.
//
// Nothing stays, whatever happens: package supervisor ends fio and removes the directory, also when realiops is killed,
// and the next run does where both were.
//
//   - program.go finds fio, set.go has the sets, file.go reads a user's, job.go is what they are made of.
//   - directory.go keeps the directory, process.go runs fio, output.go reads what it says.
//   - metrics.go names its counts as any other probe's, so that a run file holds them side by side.
//
// It generates no load itself: a home-made imitation would have to be believed, and fio already is.
package fio
